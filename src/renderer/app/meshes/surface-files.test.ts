import { expect, test, vi } from 'vitest';
import type { NamedMesh } from '../../../core/mesh/mesh-formats.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import type { HostFile } from '../../host/host.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { startProgress } from '../state/progress.ts';
import { sampleTitle } from '../state/samples.ts';
import { createAppStore } from '../state/store.ts';
import type { KeptSurfaces } from './meshes.ts';
import { SurfaceFiles } from './surface-files.ts';

const file = (name: string) => ({ name, size: 10 }) as HostFile;
const mesh = (...positions: number[]): NamedMesh => ({
  name: 'a',
  mesh: { positions: Float32Array.from(positions), triangles: new Uint32Array([0, 0, 0]) },
});
const cube = mesh(0, 0, 0, 64, 64, 64);
const nextTask = () => new Promise((resolve) => setTimeout(resolve));

function setUp(read: (name: string, signal: AbortSignal) => Promise<readonly NamedMesh[]> = async () => [cube]) {
  const store = createAppStore();
  // There are no measurements in a document that is not open yet.
  const loading = (name: string) =>
    store.setState({ measurements: [], document: { kind: 'loading', name, progress: startProgress('Opening', undefined, 0) } });
  const ready = (request: OpenRequest) => {
    current = request;
    const space = request.kind === 'space' ? request.space : undefined;
    store.setState({ document: { kind: 'ready', document: { opened: {}, space } as OpenDocument } });
  };
  let current: OpenRequest | undefined;
  const begin = (request: OpenRequest) => {
    current = request;
  };
  const fail = vi.fn((name: string, _error: unknown) =>
    store.setState({ document: { kind: 'failed', name, fault: { tag: 'corrupt', message: '', context: [] } } }),
  );
  const kept: KeptSurfaces = { looks: [], sources: new Map(), lost: new Map() };
  let shown: readonly NamedMesh['mesh'][] = [cube.mesh];
  const meshes = {
    adding: {
      addFiles: vi.fn(async () => undefined),
      addRead: vi.fn(async (_files: unknown) => undefined),
    },
    bring: vi.fn(),
    kept: () => kept,
    shown: () => shown,
  };
  const addLayers = vi.fn();
  const document = {
    get request() {
      return current;
    },
    seek: loading,
    fail,
    open: async (request: OpenRequest) => {
      loading(request.kind === 'space' ? request.name : '');
      ready(request);
    },
  };
  const files = new SurfaceFiles({ store, document, meshes, addLayers }, ({ name }, _metres, signal) => read(name, signal));
  return { store, files, meshes, addLayers, fail, kept, ready, loading, begin, show: (next: typeof shown) => (shown = next) };
}

const space = (store: ReturnType<typeof setUp>['store']) => {
  const { document } = store.getState();
  return document.kind === 'ready' ? document.document.space : undefined;
};

test('surfaces without a volume open in a space around all of them', async () => {
  const { store, files, meshes } = setUp(async (name) => [name === 'rh.pial' ? mesh(64, 0, 0, 128, 10, 10) : cube]);
  await files.open([file('lh.pial'), file('rh.pial')]);
  expect(space(store)).toEqual({ dims: [132, 68, 68], edge: 1, origin: [-1.5, -1.5, -1.5] });
  expect(meshes.adding.addRead).toHaveBeenCalledWith([
    { file: expect.objectContaining({ name: 'lh.pial' }), meshes: [cube] },
    { file: expect.objectContaining({ name: 'rh.pial' }), meshes: [mesh(64, 0, 0, 128, 10, 10)] },
  ]);
});

test('the document fails if a file cannot be read, and a cancel ends reading', async () => {
  const broken = setUp(() => Promise.reject(new StriaError('corrupt', 'it ends early')));
  await broken.files.open([file('a.stl')]);
  expect(broken.fail).toHaveBeenCalledWith('a.stl', expect.objectContaining({ message: 'it ends early' }));
  const slow = setUp(
    (_name, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new StriaError('aborted', 'cancelled')))),
  );
  const opened = slow.files.open([file('a.stl')]);
  slow.store.setState({ document: { kind: 'empty' } });
  await opened;
  expect(slow.fail).not.toHaveBeenCalled();
  expect(slow.meshes.adding.addRead).not.toHaveBeenCalled();
});

test('surfaces that are still being read are dropped when something else is opened', async () => {
  const reads = new Map<string, (meshes: readonly NamedMesh[]) => void>();
  const { files, meshes, loading, store } = setUp((name) => new Promise((resolve) => reads.set(name, resolve)));
  const [first, second] = [files.open([file('a.stl')]), files.open([file('b.stl')])];
  reads.get('b.stl')?.([cube]);
  await second;
  reads.get('a.stl')?.([cube]);
  await first;
  expect(meshes.adding.addRead).toHaveBeenCalledTimes(1);
  expect(meshes.adding.addRead).toHaveBeenCalledWith([{ file: expect.objectContaining({ name: 'b.stl' }), meshes: [cube] }]);
  const third = files.open([file('c.stl')]);
  loading('scan.nii');
  reads.get('c.stl')?.([cube]);
  await third;
  expect(store.getState().document).toMatchObject({ kind: 'loading', name: 'scan.nii' });
});

test('a space grows for surfaces that lie outside, and stays the same for others', async () => {
  const { store, files, meshes, show, kept } = setUp();
  await files.open([file('a.stl')]);
  const first = space(store);
  await files.add([file('b.stl')]);
  expect(space(store)).toBe(first);
  show([cube.mesh, mesh(0, 0, 0, 0, 200, 0).mesh]);
  // The undo history starts in a microtask after the space is open.
  let broughtBeforeUndo: boolean | undefined;
  store.subscribe(({ document }) => {
    if (document.kind !== 'ready') return;
    queueMicrotask(() => {
      broughtBeforeUndo ??= meshes.bring.mock.calls.length > 0;
    });
  });
  await files.add([file('c.stl')]);
  expect(broughtBeforeUndo).toBe(true);
  expect(meshes.adding.addFiles).toHaveBeenCalledTimes(2);
  expect(meshes.bring).toHaveBeenCalledWith(kept);
  const { dims, edge, origin } = space(store) ?? { dims: [0, 0, 0], edge: 0, origin: [0, 0, 0] };
  expect(origin[1] + edge * dims[1]).toBeGreaterThan(200);
});

test('measurements stay in place when a space grows', async () => {
  const { store, files, show } = setUp();
  await files.open([file('a.stl')]);
  const before = space(store);
  const distance: Measurement = {
    id: '1',
    kind: 'distance',
    name: '',
    axis: 'z',
    timePoint: 0,
    points: [
      [3, 3, 3],
      [60, 3, 3],
    ],
  };
  const measurements = [distance];
  store.setState({ measurements, savedMeasurements: measurements });
  show([cube.mesh, mesh(0, 0, 0, 0, 200, 0).mesh]);
  await files.add([file('b.stl')]);
  const after = space(store);
  const state = store.getState();
  const worldIn = (grid: typeof after, point: readonly number[] = []) =>
    point.map((at, axis) => (grid?.origin[axis] ?? 0) + (grid?.edge ?? 0) * (at - 0.5));
  expect(state.measurements[0]?.points.map((point) => worldIn(after, point))).toEqual(
    distance.points.map((point) => worldIn(before, point).map((at) => expect.closeTo(at, 9))),
  );
  expect(state.savedMeasurements).toBe(state.measurements);
});

test('a volume replaces a space, and shows its surfaces and those opened with the volume', async () => {
  const { files, meshes, addLayers, loading, ready, kept } = setUp();
  await files.open([file('a.stl')]);
  files.keepFor('scan.nii', [file('b.stl')]);
  loading('scan.nii');
  ready({ kind: 'file', file: file('scan.nii') });
  await nextTask();
  expect(meshes.bring).toHaveBeenCalledWith(kept);
  expect(addLayers).toHaveBeenCalledWith([file('b.stl')]);
});

test('surfaces that arrive while other surfaces or a volume are being opened are opened together with them', async () => {
  const reads: (() => void)[] = [];
  const { files, meshes, addLayers, loading, ready, begin } = setUp(
    () => new Promise((resolve) => reads.push(() => resolve([cube]))),
  );
  expect(files.join([file('a.stl')])).toBe(false);
  const opened = files.open([file('a.stl')]);
  expect(files.join([file('b.stl')])).toBe(true);
  while (reads.length > 0) {
    reads.shift()?.();
    await nextTask();
  }
  await opened;
  expect(meshes.adding.addRead.mock.calls).toEqual([[['a.stl', 'b.stl'].map((name) => ({ file: file(name), meshes: [cube] }))]]);

  files.keepFor('scan.nii', [file('c.stl')]);
  loading('scan.nii');
  begin({ kind: 'file', file: file('scan.nii') });
  expect(files.join([file('d.stl')])).toBe(true);
  ready({ kind: 'file', file: file('scan.nii') });
  await nextTask();
  expect(meshes.bring).toHaveBeenCalledTimes(1);
  expect(addLayers.mock.calls).toEqual([[[file('c.stl'), file('d.stl')]]]);
});

test('surfaces wait while their volume asks a question, but do not wait for another volume', async () => {
  const { store, files, addLayers, loading, ready } = setUp();
  files.keepFor('many.h5', [file('b.stl')]);
  loading('many.h5');
  store.setState({ document: { kind: 'choice', file: file('many.h5') } });
  loading('many.h5');
  ready({ kind: 'file', file: file('many.h5'), dataset: '/a' });
  await nextTask();
  expect(addLayers).toHaveBeenCalledTimes(1);
  files.keepFor('many.h5', [file('b.stl')]);
  loading('many.h5');
  store.setState({ document: { kind: 'choice', file: file('many.h5') } });
  loading('other.nii');
  ready({ kind: 'file', file: file('other.nii') });
  await nextTask();
  expect(addLayers).toHaveBeenCalledTimes(1);
});

test('surfaces that were open without a volume are shown over a sample, too', async () => {
  const { files, meshes, kept, ready } = setUp();
  await files.open([file('a.stl')]);
  const sample = { kind: 'potential', side: 64 } as const;
  files.keepFor(sampleTitle(sample), []);
  ready({ kind: 'sample', sample });
  await nextTask();
  expect(meshes.bring).toHaveBeenCalledWith(kept);
});
