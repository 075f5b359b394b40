import { expect, test } from 'vitest';
import { meshBytes } from '../../../core/draw/gpu-mesh.ts';
import { ballMesh } from '../../../core/mesh/mesh-testing.ts';
import type { SurfaceChoice } from '../../../core/mesh/surfaces.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { baseId, type LayerStack, noLayers } from '../../viewer/model/layers.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { AddingQueue } from '../state/adding-queue.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import type { extractShown, SurfaceVolume } from './extract-shown.ts';
import { Meshes } from './meshes.ts';

const gpu = await openTestGpu();
const info = testInfo([4, 4, 4, 1], 'u8');
const ball = ballMesh([0, 0, 0], 1, 6);
const source = (surface: SurfaceChoice | { all: 'labels' }) => ({ from: baseId, surface, timePoint: 0, smoothing: 0 });

function setUp(budgetBytes = 2 ** 20) {
  const store = createAppStore();
  let stack: LayerStack = noLayers;
  let shown: readonly string[] = [];
  let extract: typeof extractShown = async (_volume, _time, { surfaces }, { onMesh }) => {
    const choices: readonly SurfaceChoice[] = surfaces === 'labels' ? [{ label: 3 }, { label: 7 }] : surfaces;
    for (const choice of choices) onMesh?.({ choice, mesh: ball });
    return 1;
  };
  const engine = {
    viewer: {
      snapshot: () => ({ state: { layers: stack, timePoint: 0 } }),
      set: ({ layers }: { layers: LayerStack }) => {
        stack = layers;
        store.setState((state) => ({ layers: { ...state.layers, stack: layers } }));
      },
      setMeshes: (meshes: ReadonlyMap<string, unknown>) => {
        shown = [...meshes.keys()];
      },
    },
    gpu,
    budgetBytes,
  } as unknown as Engine;
  const ready = { kind: 'ready', viewer: engine.viewer, gpu } as unknown as AppState['gpu'];
  const lost = { kind: 'opening' } as unknown as AppState['gpu'];
  const queue = new AddingQueue(store);
  const meshes = new Meshes(
    store,
    () => engine,
    queue,
    () => ({ info }) as unknown as SurfaceVolume,
    (...all) => extract(...all),
  );
  store.setState({ gpu: ready, document: { kind: 'ready', document: { info, name: 'a' } as OpenDocument } });
  const setExtract = (next: typeof extract) => {
    extract = next;
  };
  return { store, queue, meshes, engine, ready, lost, shown: () => shown, stack: () => stack, setExtract };
}

const live = () => gpu.memory.liveBytes('mesh');

test('meshes follow the list: removed, brought back by undo, with a new device, and freed with the volume', async () => {
  const { store, meshes, engine, ready, lost, shown, stack } = setUp();
  expect(await meshes.adding.addSurfaces(source({ level: 3 }))).toBe(1);
  expect(await meshes.adding.addSurfaces(source({ all: 'labels' }))).toBe(2);
  expect(stack().meshes.map(({ id, name }) => [id, name])).toEqual([
    ['mesh-1', 'Surface at 3'],
    ['mesh-2', 'Label 3'],
    ['mesh-3', 'Label 7'],
  ]);
  expect(store.getState().layers).toMatchObject({ adding: { kind: 'none' }, chosen: 'mesh-3' });
  expect(meshes.sourceOf('mesh-3')).toEqual(source({ label: 7 }));
  expect([shown(), live()]).toEqual([['mesh-1', 'mesh-2', 'mesh-3'], 3 * meshBytes(ball)]);
  const before = stack();
  engine.viewer.set({ layers: { ...before, meshes: before.meshes.slice(1) } });
  expect([shown(), live()]).toEqual([['mesh-2', 'mesh-3'], 2 * meshBytes(ball)]);
  engine.viewer.set({ layers: before });
  expect(live()).toBe(3 * meshBytes(ball));
  store.setState({ gpu: lost });
  expect([shown(), live()]).toEqual([[], 0]);
  store.setState({ gpu: ready });
  expect([shown().length, live()]).toEqual([3, 3 * meshBytes(ball)]);
  store.setState({ document: { kind: 'empty' } as AppState['document'] });
  expect([shown(), live(), meshes.meshOf('mesh-1')]).toEqual([[], 0, undefined]);
});

test('hidden labels have no surface', async () => {
  const { store, meshes, engine, stack } = setUp();
  engine.viewer.set({ layers: { ...noLayers, base: { ...noLayers.base, labels: { ...noLayers.base.labels, except: [3] } } } });
  expect(await meshes.adding.addSurfaces(source({ all: 'labels' }))).toBe(1);
  expect(stack().meshes.map(({ name }) => name)).toEqual(['Label 7']);
  store.setState({ document: { kind: 'empty' } as AppState['document'] });
});

test('a cancel, lack of memory or a failure adds nothing and leaves nothing in memory', async () => {
  const { store, queue, meshes, stack, setExtract } = setUp(100);
  await meshes.adding.addSurfaces(source({ level: 3 }));
  expect(store.getState().layers).toMatchObject({ adding: { kind: 'none' }, notAdded: [{ fault: { tag: 'out-of-memory' } }] });
  setExtract(async () => 0);
  await meshes.adding.addSurfaces(source({ level: 3 }));
  expect(store.getState().layers.notAdded).toMatchObject([{ fault: { tag: 'invalid-input' } }]);
  setExtract((_volume, _time, _settings, { signal, onBytes }) => {
    onBytes?.(3, 8);
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new StriaError('aborted', 'cancelled')));
    });
  });
  const adding = meshes.adding.addSurfaces(source({ level: 3 }));
  expect(store.getState().layers.adding).toMatchObject({ kind: 'loading', progress: { done: 3, total: 8 } });
  queue.cancel();
  expect(await adding).toBe(0);
  expect([stack().meshes, live(), store.getState().layers.adding.kind]).toEqual([[], 0, 'none']);
});
