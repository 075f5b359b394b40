import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ballMesh } from '../../../core/mesh/mesh-testing.ts';
import type { SurfaceChoice } from '../../../core/mesh/surfaces.ts';
import { faultToData, StriaError } from '../../../core/shared/errors.ts';
import { type Transform, translation } from '../../../core/transforms/transform.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { ExactVoxels } from '../../../core/volume/volume-source.ts';
import { testLook } from '../../viewer/model/layer-testing.ts';
import { baseId, type LayerStack, noLayers } from '../../viewer/model/layers.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import type { OpenDocument } from '../state/document-state.ts';
import type { MeshSource } from '../state/layer-state.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { Meshes } from './meshes.ts';
import type { extractInThread } from './surface-thread.ts';

beforeAll(() => {
  vi.stubGlobal('GPUBufferUsage', { VERTEX: 1, INDEX: 2, STORAGE: 4 });
});
afterAll(() => {
  vi.unstubAllGlobals();
});

const info = testInfo([4, 4, 4, 1], 'u8');
const ball = ballMesh([0, 0, 0], 1, 6);
const source = (surface: SurfaceChoice) => ({ from: baseId, surface, timePoint: 0, smoothing: 0 });

/** Meshes over a device and a viewer that only keep what they are given. */
function setUp() {
  const store = createAppStore();
  let [stack, timePoint] = [noLayers as LayerStack, 0];
  const volumes = new Map([[baseId, { info } as unknown as ExactVoxels]]);
  const extracted: { readonly volume: ExactVoxels; readonly timePoint: number }[] = [];
  const extract: typeof extractInThread = async (volume, timePoint, { surfaces }, { onMesh }) => {
    extracted.push({ volume, timePoint });
    for (const choice of surfaces === 'labels' ? [] : surfaces) onMesh?.({ choice, mesh: ball });
    return 1;
  };
  const viewer = {
    snapshot: () => ({ state: { layers: stack, timePoint } }),
    set: ({ layers }: { layers: LayerStack }) => {
      stack = layers;
      store.setState((state) => ({ layers: { ...state.layers, stack: layers } }));
    },
    setMeshes: () => {},
  };
  const gpu = { scope: () => ({ buffer: () => ({}), destroy: () => {} }), memory: { liveBytes: () => 0 } };
  const engine = { viewer, gpu, budgetBytes: 2 ** 20 } as unknown as Engine;
  const meshes = new Meshes(
    store,
    () => engine,
    (id) => volumes.get(id),
    (...all) => extract(...all),
  );
  const show = (document: Partial<OpenDocument>) =>
    store.setState({ document: { kind: 'ready', document: { info, name: 'a', ...document } as OpenDocument } });
  store.setState({ gpu: { kind: 'ready', viewer, gpu } as unknown as AppState['gpu'] });
  const play = (to: number) => {
    timePoint = to;
  };
  return { store, meshes, viewer, volumes, extracted, show, play, stack: () => stack };
}

test('meshes stay when the volume returns with a device or is refined, and end with another volume', async () => {
  const { meshes, show } = setUp();
  const opened = {};
  show({ opened, decimation: 2 });
  await meshes.addSurfaces(source({ level: 3 }));
  show({ opened, decimation: 1 });
  expect(meshes.meshOf('mesh-1')).toBeDefined();
  show({ opened: {} });
  expect(meshes.meshOf('mesh-1')).toBeUndefined();
});

test('a new mesh takes no id of the list', async () => {
  const { meshes, viewer, show, stack } = setUp();
  show({});
  const look = { id: 'mesh-1', name: 'a', isVisible: true, opacity: 1, color: '#a1b2c3' };
  viewer.set({ layers: { ...noLayers, meshes: [look] } });
  await meshes.addSurfaces(source({ level: 3 }));
  expect(stack().meshes.map(({ id }) => id)).toEqual(['mesh-1', 'mesh-2']);
});

test('a surface of a layer is that of the channel and time point that it shows', async () => {
  const { meshes, viewer, volumes, extracted, show, play, stack } = setUp();
  show({ info: { ...testInfo([4, 4, 4, 6], 'u8'), channels: [{ name: 'one' }, { name: 'two' }] } });
  const series = { info: { ...testInfo([4, 4, 4, 4], 'u8'), channels: [{ name: 'one' }, { name: 'two' }] } };
  volumes.set('a', series as unknown as ExactVoxels);
  // The second look shows a channel of the volume that was loaded with the first.
  const looks = [testLook({ id: 'a' }), testLook({ id: 'a.2', of: 'a', channel: 1 })];
  viewer.set({ layers: { ...noLayers, layers: looks } });
  play(4);
  expect(await meshes.addSurfaces({ ...source({ label: 3 }), from: 'a' })).toBe(1);
  expect(await meshes.addSurfaces({ ...source({ label: 3 }), from: 'a.2' })).toBe(1);
  expect(extracted).toEqual([1, 3].map((timePoint) => ({ volume: series, timePoint })));
  expect(stack().meshes.map(({ id }) => meshes.sourceOf(id)?.from)).toEqual(['a', 'a.2']);
});

test('a restored surface is placed by the motion that its layer had', async () => {
  const { meshes, viewer, volumes, show, stack } = setUp();
  show({});
  volumes.set('a', { info } as unknown as ExactVoxels);
  const moved = (motion?: Transform) => viewer.set({ layers: { ...stack(), layers: [testLook({ id: 'a', motion })] } });
  moved(translation([5, 0, 0]));
  await meshes.addSurfaces({ ...source({ level: 3 }), from: 'a' });
  moved(undefined);
  await meshes.addSurfaces({ ...source({ level: 3 }), from: 'a' });
  moved(translation([0, 9, 0]));
  const saved = stack().meshes.map((look) => ({ look, source: meshes.sourceOf(look.id) as MeshSource }));
  await meshes.restore(saved);
  // Not known: the layer's own.
  await meshes.restore(saved.slice(0, 1).map((one) => ({ ...one, source: { ...one.source, motion: undefined } })));
  const shifts = stack().meshes.map(({ id }) =>
    [0, 1, 2].map((axis) => (meshes.meshOf(id)?.positions[axis] as number) - (ball.positions[axis] as number)),
  );
  const expected = [
    [5, 0, 0],
    [0, 0, 0],
    [5, 0, 0],
    [0, 0, 0],
    [0, 9, 0],
  ];
  for (const [at, shift] of shifts.entries())
    for (const axis of [0, 1, 2]) expect(shift[axis]).toBeCloseTo(expected[at]?.[axis] as number, 4);
  expect(shifts).toHaveLength(5);
});

const savedSurface = (name: string, from: string) => ({
  look: { id: name, name, isVisible: true, opacity: 1, color: '#a1b2c3' },
  source: { ...source({ level: 3 }), from },
});

test('surfaces that cannot be restored are named in one notice, and those of a removed layer are skipped', async () => {
  const { store, meshes, viewer, volumes, show, stack } = setUp();
  show({});
  viewer.set({ layers: { ...noLayers, layers: ['failing', 'removed', 'ready'].map((id) => testLook({ id })) } });
  const restoring = meshes.restore([
    savedSurface('A', 'failing'),
    savedSurface('B', 'failing'),
    savedSurface('C', 'removed'),
    savedSurface('D', 'ready'),
  ]);
  const fault = faultToData(new StriaError('corrupt', 'the file is damaged'));
  store.setState(({ layers }) => ({ layers: { ...layers, volumes: { failing: { kind: 'failed', fault } } } }));
  await vi.waitFor(() => expect(store.getState().layers.adding).toMatchObject({ name: 'C' }));
  volumes.set('ready', { info } as unknown as ExactVoxels);
  viewer.set({ layers: { ...stack(), layers: [testLook({ id: 'ready' })] } });
  await restoring;
  expect(stack().meshes.map(({ name }) => name)).toEqual(['D']);
  expect(store.getState().layers.adding).toEqual({ kind: 'none' });
  expect(store.getState().notice).toBe('Surfaces that could not be restored: A, B. the file is damaged');
});

test('a cancel ends restoring', async () => {
  const { store, meshes, viewer, show, stack } = setUp();
  show({});
  viewer.set({ layers: { ...noLayers, layers: [testLook({ id: 'a' })] } });
  const restoring = meshes.restore([savedSurface('A', 'a'), savedSurface('B', baseId)]);
  meshes.cancelAdding();
  await restoring;
  expect(stack().meshes).toEqual([]);
  expect(store.getState().notice).toBeUndefined();
});

test('surfaces of a volume that opens at a coarse level are restored once it is refined', async () => {
  const { meshes, extracted, show, stack } = setUp();
  const opened = {};
  show({ opened, decimation: 4, isRefining: true });
  const restoring = meshes.restore([savedSurface('A', baseId)]);
  await new Promise((resolve) => setTimeout(resolve));
  expect(extracted).toEqual([]);
  show({ opened, decimation: 1, isRefining: false });
  await restoring;
  expect(stack().meshes.map(({ name }) => name)).toEqual(['A']);
});

test('a notice names the surfaces of a volume that stays coarse', async () => {
  const { store, meshes, extracted, show } = setUp();
  show({ decimation: 4, isRefining: false });
  await meshes.restore([savedSurface('A', baseId)]);
  expect(extracted).toEqual([]);
  expect(store.getState().notice).toContain('restored: A. It needs all voxels, but the volume stays at 1/4 resolution');
});
