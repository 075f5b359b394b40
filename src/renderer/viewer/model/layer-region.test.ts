import { describe, expect, it } from 'vitest';
import type { Dims3 } from '../../../core/shared/volume.ts';
import type { VolumeLevel } from '../../../core/shared/volume-level.ts';
import { holdsRange, holdsRegion, type LayerView, layerInSight, layerRegion } from './layer-region.ts';

const levels: VolumeLevel[] = [
  { dims: [1000, 800, 600, 2], factors: [1, 1, 1] },
  { dims: [500, 400, 300, 2], factors: [2, 2, 2] },
  { dims: [125, 100, 75, 2], factors: [8, 8, 8] },
];
const limits = { voxelBytes: 1, mostInBox: 1e9, mostTogether: 1e9 };

/** A canvas of 200 × 100 pixels on the plane z = 37.5. @param pixel its size in voxels */
function view(pixel: number, origin: Dims3 = [300, 200, 37.5], tilt = 0): LayerView {
  const right: Dims3 = [pixel * Math.cos(tilt), 0, pixel * Math.sin(tilt)];
  const plane = { origin, right, down: [0, -pixel, 0] as const, width: 200, height: 100 };
  return { levels, factors: [8, 8, 8], spacing: [1, 1, 1], plane };
}

describe('the boxes of a layer that a canvas needs', () => {
  it('are of the layer itself if a voxel takes a pixel or more, with the voxels beside those in sight', () => {
    expect(layerInSight(view(0.25))).toEqual({ first: [300, 175, 37], end: [351, 201, 38] });
    // 299 to 352 and 174 to 202, which lie between odd multiples of 8 along x. Along y too few are in sight.
    expect(layerRegion(view(0.25), limits)).toEqual({
      level: 0,
      isMade: false,
      boxes: [{ first: [280, 174, 36], size: [80, 28, 3] }],
    });
    expect(layerRegion(view(1), limits)).toMatchObject({ level: 0, boxes: [{ first: [224, 88, 36], size: [320, 128, 3] }] });
  });

  it('are of a level whose voxels are not larger than a pixel, and none if the voxels in GPU memory are not', () => {
    expect(layerRegion(view(2), limits)).toMatchObject({ level: 1 });
    expect(layerRegion(view(8), limits)).toBeUndefined();
    expect(layerRegion({ ...view(8), spacing: [1, 1, 3] }, limits)).toMatchObject({ level: 1 });
  });

  it('are none out of sight, and end where the layer ends', () => {
    expect(layerRegion(view(1, [1000, 200, 37.5]), limits)).toBeUndefined();
    expect(layerRegion(view(1, [300, 200, -0.5]), limits)).toBeUndefined();
    const [box] = layerRegion(view(1, [900, 40, 599.5]), limits)?.boxes ?? [];
    expect(box).toEqual({ first: [864, 0, 598], size: [136, 56, 2] });
  });

  it('are of levels that are made once they are, and of others only if their voxels can be skipped to', () => {
    const made = new Set<number>();
    const making = (canSkip: boolean) => ({ canSkip, isMade: (level: number) => made.has(level) });
    expect(layerRegion({ ...view(2), making: making(true) }, limits)).toMatchObject({ level: 1, isMade: false });
    expect(layerRegion({ ...view(2), making: making(false) }, limits)).toMatchObject({ level: 0, isMade: false });
    expect(layerRegion({ ...view(8), making: making(true) }, limits)).toBeUndefined();
    made.add(1).add(2);
    expect(layerRegion({ ...view(2), making: making(false) }, limits)).toMatchObject({ level: 1, isMade: true });
    expect(layerRegion({ ...view(8), making: making(true) }, limits)).toMatchObject({ level: 2, isMade: true });
  });

  it('reach through all slices of a slab', () => {
    const { plane, ...rest } = view(1);
    const swept = { ...rest, plane: { ...plane, sweep: { step: [0, 0, 1.5] as const, first: 10, last: 20 } } };
    expect(layerInSight(swept)).toMatchObject({ first: [300, 100, 52], end: [501, 201, 68] });
    expect(layerRegion(swept, limits)?.boxes[0]).toMatchObject({ first: [224, 88, 51], size: [320, 128, 18] });
  });

  it('lie along a tilted plane if one box around it would hold too much, and are of a coarser level if that does, too', () => {
    const tilted = view(2.5, [100, 500, 20], 0.8);
    const { boxes: [whole] = [] } = layerRegion({ ...tilted, plane: { ...tilted.plane, width: 300 } }, limits) ?? {};
    const found = layerRegion({ ...tilted, plane: { ...tilted.plane, width: 300 } }, { ...limits, mostInBox: 1e6 });
    expect(found?.level).toBe(1);
    const voxels = (size: Dims3): number => size[0] * size[1] * size[2];
    const sum = found?.boxes.reduce((total, { size }) => total + voxels(size), 0) ?? 0;
    expect(sum).toBeLessThan(voxels(whole?.size ?? [0, 0, 0]));
    // They do not overlap, and hold the voxels on the plane and those beside them.
    const holders = (place: Dims3): number =>
      found?.boxes.filter(({ first, size }) =>
        place.every((at, axis) => at >= first[axis as 0] && at < first[axis as 0] + size[axis as 0]),
      ).length ?? 0;
    for (let pixel = 0; pixel < 200; pixel++) {
      const at = (vector: Dims3): Dims3 =>
        vector.map((value, axis) => (tilted.plane.origin[axis as 0] + pixel * value) / 2) as never;
      const [x, y, z] = at([tilted.plane.right[0], 0, tilted.plane.right[2]]);
      for (const beside of [-1, 0, 1]) {
        const place: Dims3 = [Math.floor(x) + beside, Math.floor(y), Math.floor(z) + beside];
        if (place.every((each, axis) => each >= 0 && each < (levels[1]?.dims[axis] ?? 0))) expect(holders(place)).toBe(1);
      }
    }
    expect(layerRegion(tilted, { ...limits, mostInBox: 1, mostTogether: 1 })).toBeUndefined();
  });
});

describe('what is there', () => {
  const held = layerRegion(view(1), limits);
  const coarser = layerRegion(view(2), limits);
  if (!held || !coarser) throw new Error('a region is needed');

  it('suffices for a canvas that lies in it, at any level', () => {
    const seen = { first: [310, 150, 37], end: [400, 180, 38] } as const;
    expect(holdsRange(held, levels, seen)).toBe(true);
    expect(holdsRange(coarser, levels, seen)).toBe(true);
    for (const outside of [
      { first: [310, 150, 38], end: [400, 180, 39] },
      { first: [224, 150, 37], end: [400, 180, 38] },
      { first: [310, 150, 37], end: [544, 180, 38] },
    ] as const)
      expect(holdsRange(held, levels, outside)).toBe(false);
  });

  it('makes another read needless only if it is of the same level', () => {
    expect(holdsRegion(held, layerRegion(view(0.9), limits) ?? coarser)).toBe(true);
    expect(holdsRegion(held, coarser)).toBe(false);
    const along = { level: 0, isMade: false, boxes: [held.boxes[0], held.boxes[0]] } as typeof held;
    expect(holdsRegion(along, along)).toBe(true);
    expect(holdsRegion(along, held)).toBe(true);
    const [box] = held.boxes;
    const rows = [0, 1].map((row) => ({ ...box, first: [0, 64 * row, 0] as const, size: [64, 64, 64] as const }));
    expect(holdsRegion({ ...along, boxes: rows }, { ...along, boxes: rows.slice(1) })).toBe(true);
    expect(holdsRegion({ ...along, boxes: rows.slice(1) }, { ...along, boxes: rows })).toBe(false);
  });

  it('are pieces of one box if cubes along the plane would hold more', () => {
    const plane = { origin: [0, 0, 100.5], right: [4, 0, 0], down: [0, 4, 0], width: 1000, height: 1000 } as const;
    const large: LayerView = {
      ...{ levels: [{ dims: [4000, 4000, 300, 1], factors: [1, 1, 1] }], factors: [5, 5, 5], spacing: [1, 1, 1] },
      plane,
    };
    const region = layerRegion(large, { voxelBytes: 2, mostInBox: 2 ** 26, mostTogether: 2 ** 28 });
    expect(region?.boxes).toEqual([
      { first: [0, 0, 99], size: [2000, 4000, 3] },
      { first: [2000, 0, 99], size: [2000, 4000, 3] },
    ]);
  });
});
