import { describe, expect, test, vi } from 'vitest';
import type { GpuMesh } from '../../core/draw/gpu-mesh.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import { testInfo } from '../../core/volume/resident-testing.ts';
import type { VolumeSource } from '../../core/volume/volume-source.ts';
import { areAlike, followed, type Linkable, LinkedViewers, sameValue } from './linked-viewers.ts';
import { autoView } from './model/auto-view.ts';
import { shownLayers, shownMeshes } from './model/layer-place.ts';
import { testLook } from './model/layer-testing.ts';
import { baseId, type LayerLook, type LayerStack, type MeshLook, noLayers, withLayersOf } from './model/layers.ts';
import { type FittedScales, type LinkedVolume, samePlace, sameViewpoints, type Viewpoints } from './model/same-place.ts';
import type { SliceCamera } from './model/slice-geometry.ts';
import type { ShownLayer } from './model/view-host.ts';
import type { ViewerSnapshot, ViewState } from './model/viewer-api.ts';

/** 2 mm voxels, x to the left; the second has 1 mm voxels, x to the right, shifted. */
const coarse: VolumeInfo = {
  ...testInfo([10, 10, 10, 3], 'i16'),
  affine: [-2, 0, 0, 20, 0, 2, 0, 0, 0, 0, 2, 0],
};
const fine: VolumeInfo = {
  ...testInfo([30, 30, 30, 1], 'i16'),
  affine: [1, 0, 0, -3, 0, 1, 0, 0, 0, 0, 1, 0],
};

const statistics = {
  min: 0,
  max: 100,
  count: 1000,
  notFinite: 0,
  histogram: { low: 0, binWidth: 1, counts: Array.from({ length: 100 }, () => 10) },
  window: [0, 100],
  flatness: 0,
} as const;

class FakeViewer implements Linkable {
  readonly #listeners = new Set<() => void>();
  readonly #drawn = new Set<() => void>();
  #snapshot: ViewerSnapshot;
  #viewpoints: Viewpoints = { z: { zoom: 1, center: undefined } };
  sets = 0;

  constructor(info: VolumeInfo) {
    this.#snapshot = { info, state: autoView(info, statistics), probe: undefined, decimation: 1 };
  }
  readonly snapshot = () => this.#snapshot;
  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly set = (change: Partial<ViewState>) => {
    this.sets++;
    this.#snapshot = { ...this.#snapshot, state: { ...this.#snapshot.state, ...change } };
    for (const listener of this.#listeners) listener();
  };
  #scales: FittedScales = { z: 10 };
  readonly views = {
    viewpoints: () => this.#viewpoints,
    fittedScales: () => this.#scales,
    setViewpoints: (viewpoints: Viewpoints) => {
      this.#viewpoints = { ...this.#viewpoints, ...viewpoints };
      for (const listener of this.#drawn) listener();
    },
  };
  readonly loop = {
    onDrawn: (listener: () => void) => {
      this.#drawn.add(listener);
      return () => this.#drawn.delete(listener);
    },
  };
  resize(scales: FittedScales) {
    this.#scales = scales;
    for (const listener of this.#drawn) listener();
  }
  get state() {
    return this.#snapshot.state;
  }
}

test('a place is the same by world coordinates, else by voxel index; outside, the nearest voxel', () => {
  // x: 20 − 2·4 = 12 mm = −3 + 15; y: 6 mm; z: 2 mm.
  expect(samePlace(coarse, fine, [4, 3, 1])).toEqual([15, 6, 2]);
  expect(samePlace(fine, coarse, [15, 6, 2])).toEqual([4, 3, 1]);
  expect(samePlace(coarse, fine, [0, 9, 9])).toEqual([23, 18, 18]);
  const plain = testInfo([5, 5, 5, 1], 'u8');
  expect(samePlace(coarse, plain, [9, 2, 1])).toEqual([4, 2, 1]);
  expect(samePlace(plain, plain, [4, 2, 1])).toEqual([4, 2, 1]);
});

test('values correspond by slope and intercept', () => {
  const scaled = { ...coarse, slope: 2, intercept: -1000 };
  expect(sameValue(coarse, scaled, 40)).toBe(520);
  expect(sameValue(scaled, coarse, 520)).toBe(40);
  const state = autoView(coarse, statistics);
  expect(
    followed(coarse, { ...coarse, slope: -1 }, state, ['window', 'level'], { views: true, values: true, layers: true }),
  ).toEqual({
    // The window is descending, since physical values ascend.
    window: [-0, -100],
    level: -state.level,
  });
});

test('windows are alike if they cover about the same physical values', () => {
  expect(areAlike(coarse, fine, [0, 100], [10, 120])).toBe(true);
  expect(areAlike(coarse, fine, [0, 100], [0, 220])).toBe(false);
  expect(areAlike(coarse, fine, [0, 100], [200, 300])).toBe(false);
  expect(areAlike({ ...coarse, slope: -2 }, fine, [-100, 0], [0, 200])).toBe(true);
  // Volumes with a single value.
  expect(areAlike(coarse, fine, [5, 5], [5, 5])).toBe(true);
  expect(areAlike(coarse, fine, [5, 5], [6, 6])).toBe(false);
});

describe('the same millimetres per pixel', () => {
  const linked = (info: VolumeInfo, scale: number, camera: LinkedVolume['camera'] = 'perspective'): LinkedVolume => {
    return { info, camera, scales: { x: scale, z: scale, oblique: scale } };
  };
  const pixelsPerMillimetre = ({ scales }: LinkedVolume, { x, z, oblique }: Viewpoints) =>
    [
      [x, scales.x],
      [z, scales.z],
      [oblique, scales.oblique],
    ].map(([view, scale]) => ((view as SliceCamera).zoom * (scale as number)).toFixed(9));
  const viewpoints: Viewpoints = {
    z: { zoom: 3, center: [5, 2] },
    x: { zoom: 1, center: undefined },
    oblique: { zoom: 2, center: [3, -4] },
  };

  test('volumes in one world show the same place at the same scale, on canvases of any size', () => {
    const [from, to] = [linked(coarse, 15), linked(fine, 4)];
    const same = sameViewpoints(from, to, viewpoints);
    expect(pixelsPerMillimetre(to, same)).toEqual(pixelsPerMillimetre(from, viewpoints));
    // x: 20 − 2 · 4.5 = 11 mm is the centre of voxel 14; y: 2 · 1.5 = 3 mm is the centre of voxel 3.
    expect(same.z?.center?.map((at) => Number(at.toFixed(9)))).toEqual([14.5, 3.5]);
    // The coarse volume's centre is at 9 mm along each axis, the fine one's at 14.5.
    expect(same.x?.center?.map((at) => Number(at.toFixed(9)))).toEqual([9.5, 9.5]);
    expect(same.oblique?.center).toEqual([3, -4]);
    const back = sameViewpoints(to, from, same);
    expect(back.x).toEqual({ zoom: expect.closeTo(1, 9), center: undefined });
    expect(back.z).toEqual({ zoom: expect.closeTo(3, 9), center: [expect.closeTo(5, 9), expect.closeTo(2, 9)] });
  });

  test('volumes far apart, or without an orientation, show the same offset from the centre', () => {
    const away = { ...fine, affine: fine.affine.with(3, 900) };
    // The coarse volume's centre is voxel position 5; 3 voxels of 2 mm are 6 of 1 mm. Both slices run to the patient's left.
    expect(sameViewpoints(linked(coarse, 15), linked(away, 15), viewpoints).z?.center).toEqual([15, 9]);
    const plain = (side: number, spacing: number): VolumeInfo => {
      return { ...testInfo([side, side, side, 1], 'u8'), affine: [spacing, 0, 0, 0, 0, spacing, 0, 0, 0, 0, spacing, 0] };
    };
    const same = sameViewpoints(linked(plain(10, 2), 1), linked(plain(30, 1), 1), viewpoints);
    expect(same.z?.center).toEqual([15, 9]);
    expect(same.x).toEqual({ zoom: 1, center: undefined });
  });

  test('the same volume twice needs no arithmetic', () => {
    expect(sameViewpoints(linked(coarse, 7.3), linked(coarse, 7.3), viewpoints)).toEqual(viewpoints);
  });

  test('different units give different numbers for the same length', () => {
    const metres: VolumeInfo = { ...coarse, spatialUnit: 'm', affine: coarse.affine.map((part) => part / 1000) };
    const same = sameViewpoints(linked(coarse, 5), linked(metres, 5000), viewpoints);
    expect([same.z?.zoom, same.oblique?.zoom]).toEqual([expect.closeTo(3, 9), expect.closeTo(2, 9)]);
    expect(same.z?.center).toEqual([expect.closeTo(5, 9), expect.closeTo(2, 9)]);
    expect(same.oblique?.center).toEqual([0.003, -0.004]);
    expect(samePlace(coarse, metres, [4, 3, 1])).toEqual([4, 3, 1]);
  });

  test('in the 3D view, a scene unit is the longest edge: 20 mm in one volume and 30 mm in the other', () => {
    const pose = { position: [0, 3, 6], target: [0, 0.3, 0], zoom: 4, aspect: 1 } as const;
    const there = { position: [0, 2, 4], target: [0, expect.closeTo(0.2, 9), 0], zoom: 4, aspect: 1 };
    expect(sameViewpoints(linked(coarse, 1), linked(fine, 1), { '3d': pose })['3d']).toEqual(there);
    const orthographic = [linked(coarse, 1, 'orthographic'), linked(fine, 1, 'orthographic')] as const;
    expect(sameViewpoints(...orthographic, { '3d': pose })['3d']).toEqual({ ...there, zoom: 6 });
  });
});

test('a canvas of another size keeps the scale: the second viewer follows the first', () => {
  const [first, second] = [new FakeViewer(coarse), new FakeViewer(coarse)];
  const link = new LinkedViewers(first, second, { views: true, values: true, layers: true });
  second.resize({ z: 5 });
  expect(second.views.viewpoints().z?.zoom).toBe(2);
  first.resize({ z: 5 });
  expect([first.views.viewpoints().z?.zoom, second.views.viewpoints().z?.zoom]).toEqual([1, 1]);
  link.end();
});

test('each follows the other, once; rounding does not send the crosshair back', () => {
  const [first, second] = [new FakeViewer(coarse), new FakeViewer(fine)];
  const link = new LinkedViewers(first, second, { views: true, values: true, layers: true });
  const start = first.sets;
  first.set({ crosshair: [4, 3, 1] });
  expect(second.state.crosshair).toEqual([15, 6, 2]);
  expect(first.sets).toBe(start + 1);
  // Between two voxels of the first volume.
  second.set({ crosshair: [16, 7, 2], window: [10, 20] });
  expect(first.state).toMatchObject({ crosshair: [4, 4, 1], window: [10, 20] });
  expect(second.state.crosshair).toEqual([16, 7, 2]);
  link.end();
  first.set({ crosshair: [0, 0, 0] });
  expect(second.state.crosshair).toEqual([16, 7, 2]);
});

test('unlinked parts stay; linking again adopts those of the first viewer', () => {
  const [first, second] = [new FakeViewer(coarse), new FakeViewer(coarse)];
  const link = new LinkedViewers(first, second, { views: true, values: false, layers: true });
  first.set({ window: [1, 2], timePoint: 2 });
  expect(second.state).toMatchObject({ window: [0, 100], timePoint: 2 });
  link.links = { views: false, values: true, layers: true };
  expect(second.state.window).toEqual([1, 2]);
  first.set({ timePoint: 0 });
  first.views.setViewpoints({ z: { zoom: 4, center: [1, 1] } });
  expect(second.state.timePoint).toBe(2);
  expect(second.views.viewpoints().z?.zoom).toBe(1);
  link.links = { views: true, values: true, layers: true };
  expect(second.state.timePoint).toBe(0);
  expect(second.views.viewpoints().z).toEqual({ zoom: 4, center: [1, 1] });
  second.views.setViewpoints({ z: { zoom: 2, center: [1, 1] } });
  expect(first.views.viewpoints().z?.zoom).toBe(2);
});

describe('while they are paused, viewers do not follow each other', () => {
  test.each(['succeeds', 'fails'])('until the work %s; links set meanwhile hold from then on', async (end) => {
    const [first, second] = [new FakeViewer(coarse), new FakeViewer(coarse)];
    const link = new LinkedViewers(first, second, { views: true, values: false, layers: true });
    const work = async () => {
      link.links = { views: true, values: true, layers: true };
      first.set({ timePoint: 1, window: [1, 2] });
      second.set({ timePoint: 2, window: [3, 4] });
      second.views.setViewpoints({ z: { zoom: 2, center: [1, 1] } });
      expect(first.state).toMatchObject({ timePoint: 1, window: [1, 2] });
      expect(second.state).toMatchObject({ timePoint: 2, window: [3, 4] });
      expect(first.views.viewpoints().z?.zoom).toBe(1);
      if (end === 'fails') throw new Error('the device is lost');
    };
    if (end === 'fails') await expect(link.pauseFor(work)).rejects.toThrow('the device is lost');
    else await link.pauseFor(work);
    expect(second.state).toMatchObject({ timePoint: 1, window: [1, 2] });
    expect(second.views.viewpoints().z?.zoom).toBe(1);
  });

  test('and if they were parted meanwhile, never again', async () => {
    const [first, second] = [new FakeViewer(coarse), new FakeViewer(coarse)];
    const link = new LinkedViewers(first, second, { views: true, values: true, layers: true });
    const set = vi.spyOn(second, 'set');
    await link.pauseFor(async () => {
      link.end();
      set.mockClear();
    });
    first.set({ timePoint: 1 });
    expect(set).not.toHaveBeenCalled();
    expect(second.state.timePoint).toBe(0);
  });
});

describe('layers', () => {
  const layer = testLook({ id: 'layer-1' });
  const mesh: MeshLook = { id: 'mesh-1', name: 'a surface', isVisible: true, opacity: 1, color: '#ff0000' };
  const stack: LayerStack = { ...noLayers, layers: [layer], meshes: [mesh] };

  test('the second viewer has exactly those of the first while they are linked', () => {
    const [first, second] = [new FakeViewer(coarse), new FakeViewer(fine)];
    first.set({ layers: stack });
    const link = new LinkedViewers(first, second, { views: true, values: false, layers: true });
    expect(second.state.layers).toEqual(stack);
    first.set({
      layers: { ...stack, base: { ...stack.base, isVisible: false }, solo: 'mesh-1', layers: [{ ...layer, opacity: 0.3 }] },
    });
    expect(second.state.layers).toEqual(first.state.layers);
    link.links = { views: true, values: false, layers: false };
    // Hidden ones are removed, too, since no panel could show them again.
    expect(second.state.layers).toEqual(noLayers);
    expect(first.state.layers.layers).toHaveLength(1);
    link.links = { views: false, values: false, layers: true };
    expect(second.state.layers).toEqual(first.state.layers);
    link.end();
  });

  test('those of the second viewer are never copied back', () => {
    const [first, second] = [new FakeViewer(coarse), new FakeViewer(fine)];
    first.set({ layers: stack });
    new LinkedViewers(first, second, { views: true, values: true, layers: true });
    second.set({ layers: noLayers, crosshair: [15, 6, 2] });
    expect(first.state).toMatchObject({ layers: stack, crosshair: [4, 3, 1] });
  });

  test('channels stay with their volume; the layers over them are shared', () => {
    const channel: LayerLook = { ...layer, id: 'channel-2', of: baseId, channel: 1 };
    const own: LayerStack = { ...noLayers, base: { ...noLayers.base, opacity: 0.5 }, solo: 'channel-2', layers: [channel] };
    expect(withLayersOf(stack, own)).toEqual({ ...own, layers: [channel, layer], meshes: [mesh] });
    expect(withLayersOf({ ...stack, solo: 'layer-1' }, own).solo).toBe('layer-1');
    // The solo layer is a channel of the first volume, which says nothing about the second, even if that has one of the same name.
    expect(
      withLayersOf({ ...stack, solo: 'channel-2', layers: [channel, layer] }, { ...own, solo: undefined }).solo,
    ).toBeUndefined();
    expect(withLayersOf({ ...stack, solo: 'channel-2', layers: [channel, layer] }, noLayers)).toEqual(stack);
  });

  test.each(['layer-1', 'mesh-1', baseId])('solo mode of %s, and its end, are followed over channels, too', (solo) => {
    const [first, second] = [new FakeViewer(coarse), new FakeViewer(fine)];
    const channel: LayerLook = { ...layer, id: 'channel-2', of: baseId, channel: 1 };
    second.set({ layers: { ...noLayers, layers: [channel] } });
    first.set({ layers: stack });
    const link = new LinkedViewers(first, second, { views: true, values: false, layers: true });
    first.set({ layers: { ...stack, solo } });
    expect(second.state.layers.solo).toBe(solo);
    first.set({ layers: stack });
    expect(second.state.layers).toEqual({ ...stack, layers: [channel, layer] });
    first.set({ layers: { ...stack, solo } });
    link.links = { views: true, values: false, layers: false };
    expect(second.state.layers).toEqual({ ...noLayers, layers: [channel] });
  });

  test('solo mode of the first channel is followed while values are linked, with or without layers', () => {
    const channels = ['a', 'b', 'c'].map((name) => ({ name }));
    const info: VolumeInfo = { ...coarse, channels };
    const channel: LayerLook = { ...layer, id: 'channel-2', of: baseId, channel: 1 };
    const alone: LayerStack = { ...noLayers, solo: baseId, layers: [channel] };
    for (const layers of [true, false]) {
      const links = { views: true, values: true, layers };
      const now = (state: LayerStack, own: LayerStack) =>
        followed(info, info, { ...autoView(info, statistics), layers: state }, ['layers'], links, own).layers;
      expect(now(alone, noLayers)).toEqual(alone);
      expect(now({ ...alone, solo: undefined }, alone)).toEqual({ ...alone, solo: undefined });
    }
  });

  test('over a volume with another unit, they are placed and moved as over the first', () => {
    const metres: VolumeInfo = { ...coarse, spatialUnit: 'm', affine: coarse.affine.map((part) => part / 1000) };
    // A quarter turn about z, and a translation.
    const motion = [0, -1, 0, 5, 1, 0, 0, -3, 0, 0, 1, 7];
    const moved: LayerStack = {
      ...stack,
      layers: [{ ...layer, motion }],
      meshes: [mesh, { ...mesh, id: 'mesh-2', motion }],
    };
    const links = { views: true, values: false, layers: true };
    const [first, second] = [new FakeViewer(coarse), new FakeViewer(metres)];
    first.set({ layers: moved });
    new LinkedViewers(first, second, links);
    const volume = { info: fine } as VolumeSource;
    const placed = (info: VolumeInfo, { layers }: ViewState): number[] => {
      const { map } = shownLayers(info, { ...noLayers, layers: layers.layers }, () => volume)[0] as ShownLayer;
      const surfaces = shownMeshes(info, layers, () => ({}) as GpuMesh);
      return [...map.columns.flat(), ...map.shift, ...surfaces.flatMap((surface) => surface.map)];
    };
    const wanted = placed(coarse, first.state);
    expect(wanted).toHaveLength(36);
    expect(placed(metres, second.state)).toEqual(wanted.map((part) => expect.closeTo(part, 6)));
  });
});
