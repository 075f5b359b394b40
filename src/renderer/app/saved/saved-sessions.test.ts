import { describe, expect, it } from 'vitest';
import { memorySink } from '../../../core/shared/bytes.ts';
import { faultToData, StriaError } from '../../../core/shared/errors.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { folderFile } from '../../host/folder-files.ts';
import type { HostFile, HostSink } from '../../host/host.ts';
import { autoView } from '../../viewer/model/auto-view.ts';
import { firstLabelLook } from '../../viewer/model/label-look.ts';
import { type LayerLook, noLayers } from '../../viewer/model/layers.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import type { Viewpoints } from '../../viewer/model/same-place.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import { readSession, writeSession } from '../session/session-file.ts';
import type { OpenDocument } from '../state/document-state.ts';
import type { MeshFileSource } from '../state/layer-state.ts';
import type { SavedMesh, SessionSource } from '../state/saved-session.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import type { PinnedCurve } from '../state/time-curve-state.ts';
import { LostFiles, type LostFilesNeeds } from './lost-files.ts';
import { SavedSessions, type SessionNeeds } from './saved-sessions.ts';
import type { MeshFilePlace } from './saved-surfaces.ts';
import { type SaverNeeds, SessionSaver } from './session-saver.ts';

function file(name: string, bytes: Uint8Array<ArrayBuffer>): HostFile {
  const blob = new Blob([bytes]);
  return { name, size: blob.size, handle: { kind: 'blob', name, blob }, siblings: async () => undefined };
}

const histogram = { low: 0, binWidth: 1, counts: Array.from({ length: 256 }, () => 100) };
const statistics = { min: 0, max: 255, count: 25_600, notFinite: 0, histogram, window: [10, 200], flatness: 0.1 } as const;
const firstView = autoView(testInfo([8, 8, 8, 1], 'u8'), statistics);
const timedInfo = { ...testInfo([8, 8, 8, 3], 'u8'), spacing: [1, 1, 1, 2], timeUnit: 's' } as const;
const measurement: Measurement = {
  id: 'a',
  kind: 'distance',
  name: 'Edge',
  axis: 'z',
  timePoint: 0,
  points: [
    [0, 0, 0],
    [1, 2, 3],
  ],
};
const plainLook = {
  labels: firstLabelLook,
  isVisible: true,
  opacity: 0.5,
  blending: 'add',
  colormap: 'hot',
  inverted: false,
  window: [1, 2],
  hidesBelow: true,
  smooth: false,
  outline: true,
  channel: 1,
} as const;
const viewpoints: Viewpoints = {
  '3d': { position: [1, 2, 3], target: [0, 0, 0], zoom: 1, aspect: 1.5 },
  x: { zoom: 2, center: [3, 4] },
};

/** The parts of the app that sessions use. @param beside the files at the paths that sessions name, and at web addresses */
function setUp(beside: Readonly<Record<string, HostFile>> = {}, atAddresses: Readonly<Record<string, HostFile>> = {}) {
  const store = createAppStore();
  let state: ViewState = firstView;
  let seenFrom: Viewpoints = {};
  const viewer = {
    views: {
      viewpoints: () => seenFrom,
      startFrom: (next: Viewpoints) => {
        seenFrom = next;
      },
    },
    snapshot: () => ({ state }),
    set: (change: Partial<ViewState>) => {
      state = { ...state, ...change };
    },
  };
  store.setState({ gpu: { kind: 'ready', viewer: viewer as unknown as Viewer } as AppState['gpu'] });
  let request: OpenRequest | undefined;
  const sink = memorySink();
  const layerRequests = new Map<string, OpenRequest>();
  const meshSources = new Map<string, SavedMesh['source']>();
  const meshFiles = new Map<string, MeshFileSource>();
  const lostMeshes = new Map<string, MeshFilePlace>();
  let restored: ReadonlyMap<string, OpenRequest> = new Map();
  const lostSources = new Map<string, SessionSource>();
  const open = async (next: OpenRequest) => {
    request = next;
    store.setState({ document: { kind: 'loading', name: '', progress: {} as never } });
    next.session?.restore(viewer as unknown as Viewer);
    store.setState({ document: { kind: 'ready', document: { info: timedInfo } as OpenDocument } });
  };
  const needs: SessionNeeds & SaverNeeds & LostFilesNeeds = {
    host: {
      saveAs: async (name): Promise<HostSink> => ({
        ...sink,
        name,
        folder: '',
        relativePath: async (one) => `../data/${one.name}`,
      }),
      openRelative: async (_, path) => beside[path],
      openAddress: async (address) => {
        const found = atAddresses[address];
        if (found) return found;
        throw new StriaError('not-readable', `${address}: there is nothing at this address (404)`);
      },
    },
    store,
    document: {
      get request() {
        return request;
      },
      seek: (name) => store.setState({ document: { kind: 'loading', name, progress: {} as never } }),
      ask: (document) => store.setState({ document }),
      fail: (name, error) => store.setState({ document: { kind: 'failed', name, fault: faultToData(error) } }),
      open,
    },
    layers: {
      requestOf: (id) => layerRequests.get(id),
      restore: (requests, lost) => {
        restored = requests;
        for (const [id, source] of lost ?? []) lostSources.set(id, source);
        for (const id of requests.keys()) lostSources.delete(id);
      },
      lostSourceOf: (id) => lostSources.get(id),
    },
    meshes: {
      sourceOf: (id) => meshSources.get(id),
      fileOf: (id) => meshFiles.get(id),
      lostFileOf: (id) => lostMeshes.get(id),
      restore: (sources, lost) => {
        for (const [id, place] of lost ?? []) lostMeshes.set(id, place);
        for (const [id, source] of sources) {
          lostMeshes.delete(id);
          if ('file' in source) meshFiles.set(id, source);
          else meshSources.set(id, source);
        }
      },
    },
    restoreTables: (loaded) => store.setState(({ labels }) => ({ labels: { ...labels, loaded } })),
    set: (change) => store.setState(({ settings }) => ({ settings: { ...settings, ...change } })),
    playAlong: () => {},
  };
  return {
    sessions: new SavedSessions(needs),
    saver: new SessionSaver(needs),
    lostFiles: new LostFiles(needs),
    store,
    viewer,
    open,
    sink,
    layerRequests,
    meshSources,
    meshFiles,
    lostMeshes,
    /** Copies the view's layers to the store, as the app does when the view changes. */
    follow: () => store.setState(({ layers }) => ({ layers: { ...layers, stack: state.layers } })),
    opened: () => request,
    restored: () => restored,
  };
}

const scan = file('scan.nii', Uint8Array.of(1, 2, 3, 4));

async function savedSession() {
  const { store, viewer, open, sink, saver } = setUp();
  await open({ kind: 'file', file: scan });
  viewer.set({ window: [3, 4], colormap: 'bone' });
  viewer.views.startFrom(viewpoints);
  store.setState(({ settings }) => ({ measurements: [measurement], sliceAxis: 'x', settings: { ...settings, layout: 'slice' } }));
  await saver.save();
  return file('scan.stria-session', sink.bytes());
}

it('has the layers that were there when it was asked for, even if the volume is closed meanwhile', async () => {
  const { open, viewer, saver, sink, layerRequests } = setUp();
  await open({ kind: 'file', file: scan });
  viewer.set({ layers: { ...noLayers, layers: [{ ...plainLook, id: 'a', name: 'atlas.nii' }] } });
  layerRequests.set('a', { kind: 'file', file: file('atlas.nii', Uint8Array.of(7)) });
  const saving = saver.save();
  layerRequests.clear();
  await saving;
  expect(readSession(sink.bytes()).layers.list).toHaveLength(1);
});

describe('a session of a volume at a web address', () => {
  const address = 'https://example.org/data/scan.nii?key=1';
  const remote = { ...scan, address };

  it('names the address without reading the file, and opens it again', async () => {
    const { open, sink, saver } = setUp();
    const unread = {
      kind: 'address',
      name: 'scan.nii',
      size: 4,
      address,
      relay: undefined,
      version: { etag: undefined, modified: undefined },
    } as const;
    await open({ kind: 'file', file: { ...remote, handle: unread } });
    await saver.save();
    expect(readSession(sink.bytes()).source).toMatchObject({
      files: [{ path: 'scan.nii', address, size: 4, fingerprint: undefined }],
    });
    const session = file('scan.stria-session', sink.bytes());
    const again = setUp({}, { [address]: remote });
    await again.sessions.open(session, []);
    expect(again.opened()).toMatchObject({ kind: 'file', file: { address } });

    const gone = setUp();
    await gone.sessions.open(session, []);
    expect(gone.store.getState().document).toMatchObject({
      kind: 'waiting',
      session: { missing: [{ name: 'scan.nii', reason: expect.stringContaining('there is nothing at this address') }] },
    });
    const longer = setUp({}, { [address]: { ...file('scan.nii', new Uint8Array(9)), address } });
    await longer.sessions.open(session, []);
    expect(longer.store.getState().document).toMatchObject({
      kind: 'waiting',
      session: { missing: [{ reason: expect.stringContaining('9 bytes') }] },
    });
  });

  it('may be of a Zarr, but only of addresses', async () => {
    const { open, sink, saver } = setUp();
    const zarr = { ...folderFile({ kind: 'address', name: 'cells.zarr', address, relay: undefined }), address };
    await open({ kind: 'file', file: zarr, dataset: '0' });
    await saver.save();
    const again = setUp({}, { [address]: zarr });
    await again.sessions.open(file('a.stria-session', sink.bytes()), []);
    expect(again.opened()).toMatchObject({ file: { folder: { address } }, dataset: '0' });
    const text = new TextDecoder().decode(sink.bytes()).replace('https:', 'file:');
    expect(() => readSession(new TextEncoder().encode(text))).toThrow('files[0].address is not a web address');
  });

  it('requests no further address once one is missing, or once it is cancelled', async () => {
    const asked: string[] = [];
    const { sessions, store } = setUp(
      {},
      new Proxy<Record<string, HostFile>>(
        {},
        {
          get: (_, key) => {
            asked.push(String(key));
            if (asked.length === 3) store.setState({ document: { kind: 'empty' } as AppState['document'] });
            return asked.length > 1 ? remote : undefined;
          },
        },
      ),
    );
    const files = ['a', 'b', 'c'].map((host) => ({ path: 'scan.nii', address: `https://${host}.example/scan.nii`, size: 4 }));
    const session = file(
      'a.stria-session',
      new TextEncoder().encode(JSON.stringify({ format: 'stria-session', version: 1, files })),
    );
    await sessions.open(session, []);
    expect(asked).toEqual(['https://a.example/scan.nii']);
    expect(store.getState().document).toMatchObject({ kind: 'waiting', session: { missing: [{}, {}, {}] } });
    await sessions.open(session, []);
    expect(asked).toHaveLength(3);
    expect(store.getState().document.kind).toBe('empty');
  });
});

describe('a saved session', () => {
  it('restores the view, the cameras, the layout and the measurements, from a file given with it', async () => {
    const session = await savedSession();
    const { sessions, store, viewer, opened } = setUp();
    await sessions.open(session, [scan]);
    expect(opened()).toMatchObject({ kind: 'file', file: scan });
    expect(viewer.snapshot().state).toEqual({ ...firstView, window: [3, 4], colormap: 'bone' });
    expect(viewer.views.viewpoints()).toEqual(viewpoints);
    expect(store.getState()).toMatchObject({ measurements: [measurement], sliceAxis: 'x', settings: { layout: 'slice' } });
    expect(store.getState().savedMeasurements).toBe(store.getState().measurements);
  });

  it('restores pinned curves with their values, and leaves out those that are too long', async () => {
    const from = setUp();
    await from.open({ kind: 'file', file: scan });
    const curve = (slot: number, values: readonly (number | null)[]): PinnedCurve => ({
      slot,
      voxel: [slot, 2, 3],
      region: undefined,
      times: values.map((_, at) => 2 * at),
      unit: 's',
      series: [{ volume: 'base', name: 'scan.nii', unit: 'HU', values }],
    });
    const long = Array.from({ length: 19_000 }, () => 1);
    const curves = [curve(2, [1.5, null, -3]), curve(1, [7, 8, 9]), curve(3, long), curve(4, long)];
    from.store.setState({ pinnedCurves: curves });
    expect(await from.saver.save()).toBe('scan.stria-session is saved, without pinned curves that are too long: x 5 y 3 z 4');
    const to = setUp();
    to.store.setState({ pinnedCurves: [curve(7, [0, 0])] });
    await to.sessions.open(file('scan.stria-session', from.sink.bytes()), [scan]);
    expect(to.store.getState().pinnedCurves).toEqual(curves.slice(0, 3));
  });

  it('names its volume by a path relative to its folder, and finds it there', async () => {
    const session = await savedSession();
    const { blob } = session.handle as { blob: Blob };
    const read = readSession(new Uint8Array(await blob.arrayBuffer()));
    expect(read.source).toMatchObject({ files: [{ path: '../data/scan.nii', size: 4 }] });
    const { sessions, opened } = setUp({ '../data/scan.nii': scan });
    await sessions.open(session, []);
    expect(opened()).toMatchObject({ file: scan });
  });

  it('asks for a missing volume, says how a different file differs, and accepts the right one under any name', async () => {
    const session = await savedSession();
    const { sessions, store, opened } = setUp();
    const waiting = () => {
      const { document } = store.getState();
      if (document.kind !== 'waiting') throw new Error(document.kind);
      return document.session;
    };
    await sessions.open(session, []);
    expect(waiting().missing).toEqual([{ name: 'scan.nii', reason: undefined }]);
    await sessions.complete(waiting(), [file('scan.nii', Uint8Array.of(1, 2, 3))]);
    expect(waiting().missing[0]?.reason).toContain('3 bytes, not 4');
    await sessions.complete(waiting(), [file('scan.nii', Uint8Array.of(1, 2, 3, 5))]);
    expect(waiting().missing[0]?.reason).toContain('different contents');
    await sessions.complete(waiting(), [file('renamed.nii', Uint8Array.of(1, 2, 3, 4))]);
    expect(opened()).toMatchObject({ file: { name: 'renamed.nii' } });
  });

  it('restores layers whose files are given or lie beside the session, names the others, and finds them later', async () => {
    const [atlas, pet, lost] = [
      file('atlas.nii', Uint8Array.of(7)),
      file('pet.nii', Uint8Array.of(8, 8)),
      file('lost.nii', Uint8Array.of(9)),
    ];
    const look = (id: string, name: string): LayerLook => ({ ...plainLook, id, name });
    const from = setUp();
    await from.open({ kind: 'file', file: scan });
    const stack = { ...noLayers, solo: 'b', layers: [look('a', 'atlas.nii'), look('b', 'PET'), look('c', 'lost.nii')] };
    from.viewer.set({ layers: stack });
    for (const [id, one] of [
      ['a', atlas],
      ['b', pet],
      ['c', lost],
    ] as const)
      from.layerRequests.set(id, { kind: 'file', file: one });
    const surface = (id: string) => ({ id, name: id, isVisible: true, opacity: 0.5, color: '#a1b2c3' });
    from.viewer.set({ layers: { ...stack, meshes: [surface('m'), surface('of-lost'), surface('unknown')] } });
    from.meshSources.set('m', { from: 'base', surface: { level: 3 }, timePoint: 0, smoothing: 5 });
    from.meshSources.set('of-lost', { from: 'c', surface: { label: 3 }, timePoint: 0, smoothing: 5 });
    await from.saver.save();
    const { sessions, store, viewer, sink, layerRequests, restored, meshSources, saver, lostFiles } = setUp({
      '../data/pet.nii': pet,
    });
    const others = ['pet.nii', 'lost.nii'].map((name) => file(name, Uint8Array.of(1)));
    await sessions.open(file('scan.stria-session', from.sink.bytes()), [scan, atlas, ...others]);
    // Surfaces are listed at once, and those of a layer are bound to it.
    expect(viewer.snapshot().state.layers).toEqual({ ...stack, meshes: [surface('m'), { ...surface('of-lost'), of: 'c' }] });
    expect([...restored()].map(([id, request]) => [id, request.kind === 'file' && request.file])).toEqual([
      ['a', atlas],
      ['b', pet],
    ]);
    expect([...meshSources.keys()]).toEqual(['m', 'of-lost']);
    expect(store.getState().notice).toBe('Not found: lost.nii. Choose the layer in the list to find its file');
    // The layer that was not found is saved again, and can be found later, under any name.
    layerRequests.set('a', { kind: 'file', file: atlas }).set('b', { kind: 'file', file: pet });
    await saver.save();
    const again = readSession(sink.bytes()).layers;
    expect(again.list.map(({ source }) => source && 'files' in source && source.files[0]?.path)).toEqual([
      '../data/atlas.nii',
      '../data/pet.nii',
      '../data/lost.nii',
    ]);
    expect(again.meshes.map(({ look }) => look.id)).toEqual(['m', 'of-lost']);
    expect(await lostFiles.findLayer('c', [file('other.nii', Uint8Array.of(1, 2))])).toMatch(/2 bytes, not 1/);
    expect(await lostFiles.findLayer('c', [atlas, pet])).toBe('lost.nii is not among the chosen files');
    const moved = file('moved.nii', Uint8Array.of(9));
    expect(await lostFiles.findLayer('c', [moved])).toBeUndefined();
    expect([...restored()]).toMatchObject([['c', { file: { name: 'moved.nii' } }]]);
  });

  it('restores meshes from their files, each object by its index, and keeps those whose file was not found', async () => {
    const [parts, gone] = [file('parts.obj', Uint8Array.of(1, 2)), file('gone.stl', Uint8Array.of(3))];
    const from = setUp();
    await from.open({ kind: 'file', file: scan });
    const surface = (id: string) => ({ id, name: `named ${id}`, isVisible: id !== 'right', opacity: 0.5, color: '#a1b2c3' });
    from.viewer.set({ layers: { ...noLayers, meshes: ['left', 'right', 'gone'].map(surface) } });
    from.meshFiles
      .set('left', { file: parts, object: 0 })
      .set('right', { file: parts, object: 1 })
      .set('gone', { file: gone, object: 0 });
    await from.saver.save();
    const { sessions, store, viewer, sink, meshFiles, lostMeshes, follow, saver, lostFiles } = setUp({
      '../data/parts.obj': parts,
      '../data/gone.stl': file('gone.stl', Uint8Array.of(4)),
    });
    await sessions.open(file('scan.stria-session', from.sink.bytes()), [scan]);
    const looks = ['left', 'right', 'gone'].map(surface);
    expect(viewer.snapshot().state.layers.meshes).toEqual(looks);
    expect([...meshFiles]).toEqual([
      ['left', { file: parts, object: 0 }],
      ['right', { file: parts, object: 1 }],
    ]);
    expect([...lostMeshes.keys()]).toEqual(['gone']);
    expect(store.getState().notice).toBe('Not found: named gone. Choose the layer in the list to find its file');
    await saver.save();
    expect(readSession(sink.bytes()).layers.meshFiles.map(({ look }) => look)).toEqual(looks);
    follow();
    expect(await lostFiles.findSurface('gone', [file('other.stl', Uint8Array.of(1, 2))])).toMatch(/2 bytes, not 1/);
    expect(await lostFiles.findSurface('gone', [parts, scan])).toBe('gone.stl is not among the chosen files');
    const moved = file('moved.stl', Uint8Array.of(3));
    expect(await lostFiles.findSurface('gone', [moved])).toBeUndefined();
    expect(meshFiles.get('gone')).toEqual({ file: moved, object: 0 });
    expect(lostMeshes.size).toBe(0);
  });

  it('reads a file with several objects only once for its fingerprint', async () => {
    const parts = file('parts.obj', Uint8Array.of(1, 2));
    let reads = 0;
    const counted: HostFile = {
      ...parts,
      get handle() {
        reads++;
        return parts.handle;
      },
    };
    const from = setUp();
    await from.open({ kind: 'file', file: scan });
    from.viewer.set({ layers: { ...noLayers, meshes: ['a', 'b', 'c'].map(surfaceLook) } });
    for (const [object, id] of ['a', 'b', 'c'].entries()) from.meshFiles.set(id, { file: counted, object });
    reads = 0;
    await from.saver.save();
    expect(reads).toBe(1);
    expect(readSession(from.sink.bytes()).layers.meshFiles.map(({ object }) => object)).toEqual([0, 1, 2]);
  });

  it('lists surfaces in order, whether extracted or read, and restores solo mode', async () => {
    const part = file('part.stl', Uint8Array.of(3));
    const from = setUp();
    await from.open({ kind: 'file', file: scan });
    const looks = ['a', 'b', 'c', 'd'].map(surfaceLook);
    from.viewer.set({ layers: { ...noLayers, meshes: looks, solo: 'c' } });
    for (const id of ['a', 'c']) from.meshFiles.set(id, { file: part, object: 0 });
    for (const id of ['b', 'd']) from.meshSources.set(id, { from: 'base', surface: { level: 3 }, timePoint: 0, smoothing: 0 });
    await from.saver.save();
    const to = setUp();
    await to.sessions.open(file('scan.stria-session', from.sink.bytes()), [scan, part]);
    expect(to.viewer.snapshot().state.layers).toMatchObject({ meshes: looks, solo: 'c' });
    // Earlier versions saved only the two lists, without places.
    const text = new TextDecoder().decode(from.sink.bytes()).replace(/,\s*"place":\s*\d+/g, '');
    expect(text).not.toContain('place"');
    await to.sessions.open(file('scan.stria-session', new TextEncoder().encode(text)), [scan, part]);
    expect(to.viewer.snapshot().state.layers.meshes.map(({ id }) => id)).toEqual(['b', 'd', 'a', 'c']);
  });

  const surfaceLook = (id: string) => ({ id, name: id, isVisible: true, opacity: 0.5, color: '#a1b2c3' });

  /** A session with two surfaces, opened without the file of the first. */
  async function withLostSurface() {
    const [gone, there] = [file('gone.stl', Uint8Array.of(3)), file('there.stl', Uint8Array.of(4))];
    const from = setUp();
    await from.open({ kind: 'file', file: scan });
    from.viewer.set({ layers: { ...noLayers, meshes: ['mesh-1', 'mesh-2'].map(surfaceLook) } });
    from.meshFiles.set('mesh-1', { file: gone, object: 0 }).set('mesh-2', { file: there, object: 0 });
    await from.saver.save();
    const to = setUp({ '../data/there.stl': there });
    await to.sessions.open(file('scan.stria-session', from.sink.bytes()), [scan]);
    to.follow();
    return { to, gone };
  }

  it('keeps a lost surface in its place, with its id', async () => {
    const { to } = await withLostSurface();
    await to.saver.save();
    const { meshFiles } = readSession(to.sink.bytes()).layers;
    expect(meshFiles.map(({ source, look }) => [source.files[0]?.path, look.id])).toEqual([
      ['../data/gone.stl', 'mesh-1'],
      ['../data/there.stl', 'mesh-2'],
    ]);
  });

  it('may contain the same id twice if an older version saved it, and is saved with unique ids', async () => {
    const { to } = await withLostSurface();
    await to.saver.save();
    const twice = new TextDecoder().decode(to.sink.bytes()).replace('"mesh-2"', '"mesh-1"');
    const again = setUp();
    await again.sessions.open(file('scan.stria-session', new TextEncoder().encode(twice)), [scan]);
    expect(again.store.getState().document.kind).toBe('ready');
    await again.saver.save();
    const { meshFiles } = readSession(again.sink.bytes()).layers;
    expect(meshFiles.map(({ look }) => look.name)).toEqual(['mesh-1', 'mesh-2']);
    expect(new Set(meshFiles.map(({ look }) => look.id)).size).toBe(2);
    expect(new TextDecoder().decode(again.sink.bytes()).match(/"id":\s*"mesh-1"/g)).toHaveLength(1);
  });

  it('uses a file that the user adds for the surface that lacks it, and adds no other surface', async () => {
    const { to, gone } = await withLostSurface();
    const other = file('other.stl', Uint8Array.of(5));
    expect(await to.lostFiles.takeSurfaces([other])).toEqual([other]);
    expect(to.lostMeshes.size).toBe(1);
    const moved = { ...gone, name: 'moved.stl' };
    expect(await to.lostFiles.takeSurfaces([moved])).toEqual([]);
    await to.saver.save();
    const { meshFiles } = readSession(to.sink.bytes()).layers;
    expect(meshFiles.map(({ source }) => source.files[0]?.path)).toEqual(['../data/moved.stl', '../data/there.stl']);
  });

  it('of an earlier version may have more surfaces than are listed, and says which are left out', async () => {
    const from = setUp();
    await from.open({ kind: 'file', file: scan });
    const ids = Array.from({ length: 256 }, (_, at) => `mesh-${at + 1}`);
    from.viewer.set({ layers: { ...noLayers, meshes: ids.map(surfaceLook) } });
    for (const id of ids) from.meshSources.set(id, { from: 'base', surface: { level: 9 }, timePoint: 0, smoothing: 0 });
    await from.saver.save();
    const saved = readSession(from.sink.bytes());
    const lost = { source: { files: [{ path: 'gone.stl', size: 1 }] }, object: 0, look: surfaceLook('mesh-1') };
    const layers = { ...saved.layers, meshes: saved.layers.meshes.map((one) => ({ ...one, place: undefined })) };
    const more = writeSession({
      ...saved,
      layers: { ...layers, meshFiles: [{ ...lost, look: { ...lost.look, name: 'Gone' } }] },
    });
    const to = setUp();
    await to.sessions.open(file('scan.stria-session', more), [scan]);
    expect(to.viewer.snapshot().state.layers.meshes).toHaveLength(256);
    expect(to.store.getState().notice).toBe('More than 256 surfaces. Left out: Gone');
    await to.saver.save();
    const again = readSession(to.sink.bytes()).layers;
    expect([again.meshes.length, again.meshFiles.length]).toEqual([256, 0]);
  });

  it('leaves out the surfaces of layers that were removed', async () => {
    const from = setUp();
    await from.open({ kind: 'file', file: scan });
    const surface = (id: string) => ({ id, name: id, isVisible: true, opacity: 0.5, color: '#a1b2c3' });
    from.viewer.set({ layers: { ...noLayers, meshes: [surface('kept'), surface('of-removed')] } });
    from.meshSources.set('kept', { from: 'base', surface: { level: 3 }, timePoint: 0, smoothing: 5 });
    from.meshSources.set('of-removed', { from: 'layer-1', surface: { label: 3 }, timePoint: 0, smoothing: 5 });
    await from.saver.save();
    expect(new TextDecoder().decode(from.sink.bytes())).not.toContain('of-removed');
    expect(readSession(from.sink.bytes()).layers.meshes.map(({ look }) => look.id)).toEqual(['kept']);
  });

  it('restores the surfaces of all channels of a layer', async () => {
    const pet = file('pet.nii', Uint8Array.of(8, 8));
    const from = setUp();
    await from.open({ kind: 'file', file: scan });
    const look = (id: string, of?: string): LayerLook => ({ ...plainLook, id, of, name: id });
    const surface = (id: string) => ({ id, name: id, isVisible: true, opacity: 0.5, color: '#a1b2c3' });
    const layers = [look('a'), look('a.2', 'a'), look('b', 'base')];
    from.viewer.set({ layers: { ...noLayers, layers, meshes: ['m', 'n', 'o'].map(surface) } });
    from.layerRequests.set('a', { kind: 'file', file: pet });
    for (const [id, of] of [
      ['m', 'a'],
      ['n', 'a.2'],
      ['o', 'b'],
    ] as const)
      from.meshSources.set(id, { from: of, surface: { level: 3 }, timePoint: 0, smoothing: 5 });
    await from.saver.save();
    const { sessions, viewer, meshSources } = setUp();
    await sessions.open(file('scan.stria-session', from.sink.bytes()), [scan, pet]);
    expect([...meshSources.values()].map((source) => source.from)).toEqual(['a', 'a.2', 'b']);
    // Surfaces of the open volume's channels do not move.
    expect(viewer.snapshot().state.layers.meshes.map(({ of }) => of)).toEqual(['a', 'a', undefined]);
  });

  it.each<AppState['document']>([
    { kind: 'ready', document: { info: timedInfo } as OpenDocument },
    { kind: 'loading', name: 'other.nii', progress: {} as never },
  ])('does not replace a volume that is $kind when its layers are found', async (document) => {
    const pet = file('pet.nii', Uint8Array.of(9, 8, 7));
    const from = setUp();
    await from.open({ kind: 'file', file: scan });
    from.viewer.set({ layers: { ...noLayers, layers: [{ ...plainLook, id: 'a', name: 'PET' }] } });
    from.layerRequests.set('a', { kind: 'file', file: pet });
    await from.saver.save();
    const { sessions, store, opened } = setUp({
      get '../data/pet.nii'() {
        store.setState({ document, measurements: [measurement] });
        return pet;
      },
    });
    await sessions.open(file('scan.stria-session', from.sink.bytes()), [scan]);
    expect(opened()).toBeUndefined();
    expect(store.getState().measurements).toEqual([measurement]);
  });

  it('restores nothing over a volume that was opened while its own was loading', async () => {
    const session = await savedSession();
    const { sessions, store, open, restored } = setUp();
    const end = store.subscribe(({ measurements }, before) => {
      if (measurements === before.measurements) return;
      end();
      void open({ kind: 'file', file: file('other.nii', Uint8Array.of(1)) });
    });
    const before = restored();
    await sessions.open(session, [scan]);
    expect(restored()).toBe(before);
  });

  it('of a stack needs all its pictures', async () => {
    const pictures = ['a', 'b', 'c'].map((name, index) => file(`${name}.png`, Uint8Array.of(index)));
    const [first, ...others] = pictures as [HostFile, HostFile, HostFile];
    const from = setUp();
    await from.open({ kind: 'file', file: { ...first, stackOf: pictures, pictures: pictures.map(({ handle }) => handle) } });
    await from.saver.save();
    const { sessions, store, opened } = setUp();
    await sessions.open(file('a.stria-session', from.sink.bytes()), others);
    const { document } = store.getState();
    if (document.kind !== 'waiting') throw new Error(document.kind);
    expect(document.session.missing.map(({ name }) => name)).toEqual(['a.png']);
    await sessions.complete(document.session, [first]);
    expect(opened()).toMatchObject({ file: { stackOf: pictures } });
  });

  it('of one of several volumes opens that volume again, from a folder that the user gives', async () => {
    const study = folderFile({ kind: 'url', name: 'study', url: 'app://stria/folder/1' });
    const first = setUp();
    await first.open({ kind: 'file', file: study, dataset: '3', label: 'Doe, thin bone' });
    await first.saver.save();
    expect(new TextDecoder().decode(first.sink.bytes())).not.toContain('Doe');
    const { sessions, store, opened } = setUp();
    await sessions.open(file('study.stria-session', first.sink.bytes()), []);
    expect(store.getState().document).toMatchObject({ kind: 'waiting', session: { missing: [{ name: 'study' }] } });
    const waiting = store.getState().document;
    if (waiting.kind === 'waiting') await sessions.complete(waiting.session, [study]);
    expect(opened()).toMatchObject({ kind: 'file', file: study, dataset: '3' });
  });

  it('fails with its name if it is damaged or far too large', async () => {
    const { sessions, store } = setUp();
    await sessions.open(file('bad.stria-session', new TextEncoder().encode('{"format": "stria-')), []);
    expect(store.getState().document).toMatchObject({ kind: 'failed', name: 'bad.stria-session', fault: { tag: 'corrupt' } });
    await sessions.open({ ...scan, size: 2 ** 40 }, []);
    expect(store.getState().document).toMatchObject({ kind: 'failed', fault: { tag: 'corrupt' } });
  });
});
