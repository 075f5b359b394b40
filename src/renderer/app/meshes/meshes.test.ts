import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ballMesh } from '../../../core/mesh/mesh-testing.ts';
import type { SurfaceChoice } from '../../../core/mesh/surfaces.ts';
import { faultToData, StriaError } from '../../../core/shared/errors.ts';
import { type Transform, translation } from '../../../core/transforms/transform.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { HostFile } from '../../host/host.ts';
import { testLook } from '../../viewer/model/layer-testing.ts';
import { baseId, type LayerStack, noLayers, withoutLayer } from '../../viewer/model/layers.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { Layers } from '../layers/layers.ts';
import { AddingQueue } from '../state/adding-queue.ts';
import type { OpenDocument } from '../state/document-state.ts';
import type { MeshSource } from '../state/layer-state.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { AddingMeshes } from './adding-meshes.ts';
import type { extractShown, SurfaceVolume } from './extract-shown.ts';
import { Meshes } from './meshes.ts';

beforeAll(() => {
  vi.stubGlobal('GPUBufferUsage', { VERTEX: 1, INDEX: 2, STORAGE: 4 });
});
afterAll(() => {
  vi.unstubAllGlobals();
});

const info = testInfo([4, 4, 4, 1], 'u8');
const ball = ballMesh([0, 0, 0], 1, 6);
const source = (surface: SurfaceChoice) => ({ from: baseId, surface, timePoint: 0, smoothing: 0 });

/** Meshes with a fake device and a fake viewer that only record what they are given. */
function setUp() {
  const store = createAppStore();
  let [stack, timePoint] = [noLayers as LayerStack, 0];
  const volumes = new Map([[baseId, { info } as unknown as SurfaceVolume]]);
  const extracted: { readonly volume: SurfaceVolume; readonly timePoint: number }[] = [];
  const extract: typeof extractShown = async (volume, timePoint, { surfaces }, { onMesh }) => {
    extracted.push({ volume, timePoint });
    const [fault] = faults.splice(0);
    if (fault) throw fault;
    for (const choice of surfaces === 'labels' ? [] : surfaces) onMesh?.({ choice, mesh: ball });
    return 1;
  };
  /** Thrown by the next extraction. */
  const faults: StriaError[] = [];
  const fail = (fault: StriaError) => faults.push(fault);
  const readings: unknown[] = [];
  const read = async ({ name }: HostFile, metres: number) => {
    readings.push([name, metres]);
    if (name.startsWith('broken')) throw new StriaError('corrupt', 'the STL file ends early');
    return ['left', 'right'].map((side) => ({ name: `${name} ${side}`, mesh: ball }));
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
  const queue = new AddingQueue(store);
  const meshes = new Meshes(
    store,
    () => engine,
    queue,
    (id) => volumes.get(id),
    (...all) => extract(...all),
    (file, metres) => read(file, metres),
  );
  const show = (document: Partial<OpenDocument>) =>
    store.setState({ document: { kind: 'ready', document: { info, name: 'a', ...document } as OpenDocument } });
  store.setState({ gpu: { kind: 'ready', viewer, gpu } as unknown as AppState['gpu'] });
  const play = (to: number) => {
    timePoint = to;
  };
  return { store, queue, meshes, viewer, volumes, extracted, readings, show, play, fail, stack: () => stack };
}

test('meshes stay when the volume is restored on a new device or refined, and go when another volume opens', async () => {
  const { meshes, show } = setUp();
  const opened = {};
  show({ opened, decimation: 2 });
  await meshes.adding.addSurfaces(source({ level: 3 }));
  show({ opened, decimation: 1 });
  expect(meshes.meshOf('mesh-1')).toBeDefined();
  show({ opened: {} });
  expect(meshes.meshOf('mesh-1')).toBeUndefined();
});

test('a new mesh gets an id that is not in the list', async () => {
  const { meshes, viewer, show, stack } = setUp();
  show({});
  const look = { id: 'mesh-1', name: 'a', isVisible: true, opacity: 1, color: '#a1b2c3' };
  viewer.set({ layers: { ...noLayers, meshes: [look] } });
  await meshes.adding.addSurfaces(source({ level: 3 }));
  expect(stack().meshes.map(({ id }) => id)).toEqual(['mesh-1', 'mesh-2']);
});

test('a surface always has a name, because a session without the name could not be opened', async () => {
  const { meshes, show, stack } = setUp();
  show({});
  await meshes.adding.addFiles([{ name: 'a'.repeat(2000) } as HostFile]);
  const lengths = () => stack().meshes.map(({ name }) => name.length);
  expect(lengths()).toEqual([200, 200]);
  meshes.rename('mesh-1', '  ');
  expect(lengths()).toEqual([200, 200]);
  meshes.rename('mesh-1', ' Femur ');
  expect(stack().meshes[0]?.name).toBe('Femur');
});

/** Occupies the queue like a layer, until `end` is called. */
function layerInQueue({ queue, store }: ReturnType<typeof setUp>) {
  let end: (fault?: StriaError) => void = () => {};
  const file = { name: 'plate.zarr' } as HostFile;
  const isOver = queue.add(file.name, 'Opening', ({ onQuestion }) => {
    onQuestion(file);
    return new Promise<void>((resolve, reject) => (end = (fault) => (fault ? reject(fault) : resolve())));
  });
  const asking = store.getState().layers.adding;
  expect(asking).toEqual({ kind: 'choosing', name: 'plate.zarr', file });
  return { asking, isOver, end: (fault?: StriaError) => end(fault) };
}

test('surfaces wait, with their names in the list, while the user is asked for a volume of a file', async () => {
  const all = setUp();
  const { store, meshes, show, fail, stack, readings } = all;
  const state = () => store.getState().layers;
  show({});
  const { asking, isOver, end } = layerInQueue(all);
  fail(new StriaError('out-of-memory', 'no room'));
  const surfaces = [meshes.adding.addSurfaces(source({ level: 3 })), meshes.adding.addSurfaces(source({ label: 4 }))];
  const read = meshes.adding.addFiles(['a.obj', 'b.obj'].map((name) => ({ name }) as HostFile));
  await settled();
  expect([state().adding, state().waiting, readings]).toEqual([asking, ['Surface', 'Label 4', 'a.obj', 'b.obj'], []]);
  end();
  await isOver;
  expect(await Promise.all(surfaces)).toEqual([0, 1]);
  await read;
  expect(state()).toMatchObject({ adding: { kind: 'none' }, waiting: [], notAdded: [{ name: 'Surface' }] });
  expect(stack().meshes).toHaveLength(5);
});

test('a surface of a layer is extracted from the channel and time point that the layer shows', async () => {
  const { meshes, viewer, volumes, extracted, show, play, stack } = setUp();
  show({ info: { ...testInfo([4, 4, 4, 6], 'u8'), channels: [{ name: 'one' }, { name: 'two' }] } });
  const series = { info: { ...testInfo([4, 4, 4, 4], 'u8'), channels: [{ name: 'one' }, { name: 'two' }] } };
  volumes.set('a', series as unknown as SurfaceVolume);
  // The second look shows a channel of the volume that was loaded for the first.
  const looks = [testLook({ id: 'a' }), testLook({ id: 'a.2', of: 'a', channel: 1 })];
  viewer.set({ layers: { ...noLayers, layers: looks } });
  play(4);
  expect(await meshes.adding.addSurfaces({ ...source({ label: 3 }), from: 'a' })).toBe(1);
  expect(await meshes.adding.addSurfaces({ ...source({ label: 3 }), from: 'a.2' })).toBe(1);
  expect(extracted).toEqual([1, 3].map((timePoint) => ({ volume: series, timePoint })));
  expect(stack().meshes.map(({ id }) => meshes.sourceOf(id)?.from)).toEqual(['a', 'a.2']);
});

const savedSurface = (name: string, from: string) => ({
  look: { id: name, name, isVisible: true, opacity: 1, color: '#a1b2c3' },
  source: { ...source({ level: 3 }), from },
});

/** Lists the surfaces of a session, and sets their sources. */
function restored({ meshes, viewer, stack }: ReturnType<typeof setUp>, saved: readonly ReturnType<typeof savedSurface>[]) {
  viewer.set({ layers: { ...stack(), meshes: [...stack().meshes, ...saved.map(({ look }) => look)] } });
  meshes.restore(new Map(saved.map((one) => [one.look.id, one.source])));
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test('surfaces of a session are listed at once, in order, and a surface that is added meanwhile comes after them', async () => {
  const all = setUp();
  const { store, meshes, viewer, volumes, extracted, show, stack } = all;
  show({});
  viewer.set({ layers: { ...noLayers, layers: [testLook({ id: 'a' })] } });
  // The layer of the first is not loaded yet.
  restored(all, [savedSurface('A', 'a'), savedSurface('B', baseId), savedSurface('C', baseId)]);
  expect(stack().meshes.map(({ id }) => id)).toEqual(['A', 'B', 'C']);
  expect(store.getState().layers.surfaces).toMatchObject({ A: { kind: 'loading' }, B: { kind: 'loading' }, C: {} });
  expect(meshes.sourceOf('A')?.from).toBe('a');
  expect(await meshes.adding.addSurfaces(source({ level: 4 }))).toBe(1);
  await settled();
  expect(stack().meshes.map(({ id }) => id)).toEqual(['A', 'B', 'C', 'mesh-1']);
  expect(Object.keys(store.getState().layers.surfaces)).toEqual(['A']);
  expect(['A', 'B', 'C'].map((id) => meshes.triangleCount(id) > 0)).toEqual([false, true, true]);
  volumes.set('a', { info } as unknown as SurfaceVolume);
  viewer.set({ layers: { ...stack() } });
  await settled();
  expect(store.getState().layers.surfaces).toEqual({});
  expect(meshes.triangleCount('A')).toBeGreaterThan(0);
  expect(extracted).toHaveLength(4);
});

test('a surface that is removed while it is being made comes back with undo, and is made again on another device', async () => {
  const all = setUp();
  const { store, meshes, viewer, extracted, show, stack } = all;
  show({});
  restored(all, [savedSurface('A', baseId), savedSurface('B', baseId)]);
  const before = stack();
  viewer.set({ layers: withoutLayer(before, 'A') });
  await settled();
  expect([meshes.triangleCount('A'), store.getState().layers.surfaces]).toEqual([0, {}]);
  viewer.set({ layers: before });
  expect(store.getState().layers.surfaces).toMatchObject({ A: { kind: 'loading' } });
  const { gpu } = store.getState();
  store.setState({ gpu: { kind: 'recovering', message: '' } });
  store.setState({ gpu });
  await settled();
  expect(['A', 'B'].map((id) => meshes.triangleCount(id) > 0)).toEqual([true, true]);
  expect(store.getState().layers.surfaces).toEqual({});
  expect(extracted).toHaveLength(4);
});

test('a surface whose volume is replaced meanwhile starts over', async () => {
  const all = setUp();
  const { store, meshes, extracted, show, fail } = all;
  show({});
  // This happens when the volume is compressed in GPU memory: nothing else changes.
  fail(new StriaError('aborted', 'the volume was closed'));
  restored(all, [savedSurface('A', baseId)]);
  await settled();
  await settled();
  expect(extracted).toHaveLength(2);
  expect(store.getState().layers.surfaces).toEqual({});
  expect(meshes.triangleCount('A')).toBeGreaterThan(0);
});

test('a surface whose file was not found says so until the file is given', async () => {
  const { store, meshes, viewer, show, stack, readings } = setUp();
  show({});
  const look = { ...savedSurface('A', baseId).look, id: 'mesh-1' };
  viewer.set({ layers: { ...noLayers, meshes: [look] } });
  const place = { source: { files: [{ path: '../data/a.obj', size: 3 }] }, object: 1 };
  meshes.restore(new Map(), new Map([['mesh-1', place]]));
  expect(store.getState().layers.surfaces).toEqual({ 'mesh-1': { kind: 'lost', files: ['a.obj'] } });
  expect(meshes.lostFileOf('mesh-1')).toEqual(expect.objectContaining(place));
  await settled();
  expect(readings).toEqual([]);
  meshes.restore(new Map([['mesh-1', { file: { name: 'b.obj' } as HostFile, object: 1 }]]));
  await settled();
  expect(store.getState().layers.surfaces).toEqual({});
  expect(meshes.lostFileOf('mesh-1')).toBeUndefined();
  expect(stack().meshes).toEqual([look]);
  expect(meshes.fileOf('mesh-1')).toMatchObject({ file: { name: 'b.obj' }, object: 1 });
});

test('a surface of a layer moves with the layer, stays when it is removed, and is restored at the layer’s position', async () => {
  const all = setUp();
  const { store, queue, meshes, viewer, volumes, show, stack } = all;
  show({});
  volumes.set('a', { info } as unknown as SurfaceVolume);
  const shifts = () =>
    stack().meshes.map(({ id }) =>
      [0, 1, 2].map((axis) => (meshes.meshOf(id)?.positions[axis] as number) - (ball.positions[axis] as number)),
    );
  const expectShifts = (expected: readonly (readonly number[])[]) =>
    expect(shifts().map((shift) => shift.map((part) => Number(part.toFixed(4)) + 0))).toEqual(expected);
  const layers = new Layers(store, () => ({ viewer }) as unknown as Engine, queue);
  const move = (motion: Transform | undefined) => layers.change('a', { motion });
  viewer.set({ layers: { ...noLayers, layers: [testLook({ id: 'a', motion: translation([5, 0, 0]) })] } });
  await meshes.adding.addSurfaces({ ...source({ level: 3 }), from: 'a' });
  await meshes.adding.addSurfaces(source({ level: 3 }));
  expectShifts([
    [5, 0, 0],
    [0, 0, 0],
  ]);
  move(translation([0, 9, 0]));
  expectShifts([
    [0, 9, 0],
    [0, 0, 0],
  ]);
  const saved = stack().meshes.map((look) => ({ look, source: meshes.sourceOf(look.id) as MeshSource }));
  move(undefined);
  const again = saved
    .slice(0, 1)
    .map(({ look, source: of }) => ({ look: { ...look, id: 'again', motion: undefined }, source: of }));
  restored(all, again);
  await settled();
  expectShifts([
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ]);
  move(translation([0, 0, 2]));
  viewer.set({ layers: withoutLayer(stack(), 'a') });
  expectShifts([
    [0, 0, 2],
    [0, 0, 0],
    [0, 0, 2],
  ]);
});

test('a surface whose volume is compressed in GPU memory meanwhile says so, and one that the user cancels does not', async () => {
  const { store, queue, meshes, show, fail } = setUp();
  show({});
  fail(new StriaError('aborted', 'the volume was closed'));
  const cancelled = meshes.adding.addSurfaces(source({ level: 3 }));
  queue.cancel();
  await cancelled;
  expect(store.getState().notice).toBeUndefined();
  fail(new StriaError('aborted', 'the volume was closed'));
  expect(await meshes.adding.addSurfaces(source({ level: 3 }))).toBe(0);
  expect(store.getState().notice).toBe('Surface: the volume in GPU memory was replaced meanwhile. Try again');
});

test('each object of a file becomes a layer; adding stops at a file that cannot be read, and says why', async () => {
  const { store, meshes, show, stack, readings } = setUp();
  show({ info: { ...info, spatialUnit: 'um' } });
  const files = ['a.obj', 'broken.stl', 'b.obj'].map((name) => ({ name }) as HostFile);
  await meshes.adding.addFiles(files);
  expect(readings).toEqual([
    ['a.obj', 1e-6],
    ['broken.stl', 1e-6],
  ]);
  expect(stack().meshes.map(({ name, color }) => [name, color])).toEqual([
    ['a.obj left', '#e8c39e'],
    ['a.obj right', '#7fb2e5'],
  ]);
  expect(meshes.fileOf('mesh-2')).toEqual({ file: files[0], object: 1 });
  expect(meshes.sourceOf('mesh-2')).toBeUndefined();
  expect(meshes.meshOf('mesh-2')).toBe(ball);
  expect(store.getState().layers).toMatchObject({
    adding: { kind: 'none' },
    waiting: [],
    notAdded: [{ name: 'broken.stl', fault: { tag: 'corrupt' } }],
  });
  expect(store.getState().notice).toBe('Also not added: b.obj');
});

test('files that turn out not to be wanted wait, with their names in the list, and are not read', async () => {
  const all = setUp();
  const { store, meshes, show, stack, readings } = all;
  show({});
  const { isOver, end } = layerInQueue(all);
  const isWanted = isOver.then(() => false);
  const added = meshes.adding.addFiles([{ name: 'a.obj' } as HostFile], isWanted);
  expect(store.getState().layers.waiting).toEqual(['a.obj']);
  end(new StriaError('corrupt', 'the header is damaged'));
  await added;
  expect([readings, stack().meshes]).toEqual([[], []]);
  expect(store.getState().layers).toMatchObject({ adding: { kind: 'none' }, notAdded: [{ name: 'plate.zarr' }] });
});

test('files that are added while others are read follow in order, also after one that cannot be read', async () => {
  const { store, meshes, show, stack, readings } = setUp();
  show({});
  const add = (names: readonly string[]) => meshes.adding.addFiles(names.map((name) => ({ name }) as HostFile));
  await Promise.all([add(['a.obj', 'b.obj']), add(['broken.stl', 'never.obj']), add(['c.obj'])]);
  expect(readings.map(([name]) => name)).toEqual(['a.obj', 'b.obj', 'broken.stl', 'c.obj']);
  expect(new Set(stack().meshes.map(({ name }) => name.slice(0, 5)))).toEqual(new Set(['a.obj', 'b.obj', 'c.obj']));
  expect(store.getState().layers).toMatchObject({ adding: { kind: 'none' }, notAdded: [{ name: 'broken.stl' }] });
});

test('the message of a layer that cannot be added while surfaces wait stays, until something else is added', async () => {
  const all = setUp();
  const { store, meshes, show } = all;
  show({});
  const { end } = layerInQueue(all);
  const adding = meshes.adding.addFiles([{ name: 'a.obj' } as HostFile]);
  end(new StriaError('corrupt', 'the header is damaged'));
  await adding;
  expect(store.getState().layers).toMatchObject({ adding: { kind: 'none' }, notAdded: [{ name: 'plate.zarr' }] });
  await meshes.adding.addFiles([{ name: 'b.obj' } as HostFile]);
  expect(store.getState().layers).toMatchObject({ adding: { kind: 'none' }, notAdded: [] });
});

test('layers from files are restored with their looks, and a file with several objects is read only once', async () => {
  const { store, meshes, viewer, show, stack, readings } = setUp();
  show({});
  const file = { name: 'a.obj' } as HostFile;
  const look = { id: 'x', name: 'renamed', isVisible: false, opacity: 0.3, color: '#010203' };
  const looks = [look, { ...look, id: 'y', name: 'other' }, { ...look, id: 'z', name: 'none' }];
  viewer.set({ layers: { ...noLayers, meshes: looks } });
  meshes.restore(new Map([1, 0, 2].map((object, at) => ['xyz'.charAt(at), { file, object }])));
  await settled();
  expect(readings).toHaveLength(1);
  expect(stack().meshes).toEqual(looks);
  expect(meshes.fileOf('x')).toEqual({ file, object: 1 });
  expect(store.getState().notice).toBe('Surfaces that could not be restored: none. a.obj has no object 3');
  expect(store.getState().layers.surfaces).toMatchObject({ z: { kind: 'failed', fault: { message: 'a.obj has no object 3' } } });
});

test('one notice names all surfaces that cannot be restored, and those of a removed layer say so', async () => {
  const all = setUp();
  const { store, viewer, volumes, show, stack } = all;
  show({});
  viewer.set({ layers: { ...noLayers, layers: ['failing', 'removed', 'ready'].map((id) => testLook({ id })) } });
  restored(all, [
    savedSurface('A', 'failing'),
    savedSurface('B', 'failing'),
    savedSurface('C', 'removed'),
    savedSurface('D', 'ready'),
  ]);
  const fault = faultToData(new StriaError('corrupt', 'the file is damaged'));
  store.setState(({ layers }) => ({ layers: { ...layers, volumes: { failing: { kind: 'failed', fault } } } }));
  expect(store.getState().notice).toBe('Surfaces that could not be restored: A, B. the file is damaged');
  volumes.set('ready', { info } as unknown as SurfaceVolume);
  viewer.set({ layers: { ...stack(), layers: [testLook({ id: 'failing' }), testLook({ id: 'ready' })] } });
  await settled();
  const { surfaces, adding } = store.getState().layers;
  expect(Object.entries(surfaces).map(([id, state]) => [id, state.kind === 'failed' && state.fault.message])).toEqual([
    ['A', 'the file is damaged'],
    ['B', 'the file is damaged'],
    ['C', 'The layer whose surface it is was removed'],
  ]);
  expect(adding).toEqual({ kind: 'none' });
  expect(store.getState().notice).toBe('Surfaces that could not be restored: A, B. the file is damaged');
});

test('surfaces of a volume that opens at a coarse level are restored once it is refined', async () => {
  const all = setUp();
  const { meshes, extracted, show } = all;
  const opened = {};
  show({ opened, decimation: 4, isRefining: true });
  restored(all, [savedSurface('A', baseId)]);
  await settled();
  expect(extracted).toEqual([]);
  show({ opened, decimation: 1, isRefining: false });
  await settled();
  expect(meshes.triangleCount('A')).toBeGreaterThan(0);
});

test('a notice names the surfaces of a volume that stays coarse', async () => {
  const all = setUp();
  const { store, extracted, show } = all;
  show({ decimation: 4, isRefining: false });
  restored(all, [savedSurface('A', baseId)]);
  await settled();
  expect(extracted).toEqual([]);
  expect(store.getState().notice).toContain('restored: A. It needs all voxels, but the volume stays at 1/4 resolution');
});

test('no surface is extracted from a layer of which the GPU holds only some voxels', async () => {
  const { store, meshes, viewer, volumes, extracted, show } = setUp();
  show({});
  volumes.set('a', { info, decimation: 4 } as unknown as SurfaceVolume);
  viewer.set({ layers: { ...noLayers, layers: [testLook({ id: 'a' })] } });
  const ready = { kind: 'ready', info, format: 'NIfTI', placedBy: 'world', decimation: 4 } as const;
  store.setState(({ layers }) => ({ layers: { ...layers, volumes: { a: ready } } }));
  expect(await meshes.adding.addSurfaces({ ...source({ level: 3 }), from: 'a' })).toBe(0);
  expect(extracted).toEqual([]);
});

test('the message about a volume that could not be added stays when the surfaces that were dropped with it follow', async () => {
  const store = createAppStore();
  const queue = new AddingQueue(store);
  const meshes = new AddingMeshes(queue, store, {} as never, () => {});
  const areAdded = queue.add('pet.nii', 'Opening', () => Promise.reject(new Error('broken'))).then(Boolean);
  await areAdded;
  await meshes.addFiles(
    ['lh.stl', 'rh.stl'].map((name) => ({ name }) as HostFile),
    areAdded,
  );
  expect(store.getState().notice).toBe('Also not added: lh.stl, rh.stl');
  const many = Array.from({ length: 40 }, (_, at) => ({ name: `${at}.stl` }) as HostFile);
  await meshes.addFiles(many, areAdded);
  expect(store.getState().notice).toBe('Also not added: 0.stl, 1.stl, 2.stl, 3.stl, 4.stl and 35 more');
  expect(store.getState().layers.notAdded.map(({ name }) => name)).toEqual(['pet.nii']);
});
