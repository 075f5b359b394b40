import { describe, expect, it } from 'vitest';
import type { VolumeLevel } from '../../../core/shared/volume-level.ts';
import { type DetailView, detailRegion, holdsBox, type PixelRect, pixelRect, rectsAround } from './detail-region.ts';

const levels: VolumeLevel[] = [
  { dims: [1000, 800, 600, 2], factors: [1, 1, 1] },
  { dims: [500, 400, 300, 2], factors: [2, 2, 2] },
  { dims: [125, 100, 75, 2], factors: [8, 8, 8] },
];

/** A canvas of 200 × 100 pixels on the slice z = 37. @param pixels the number of pixels per voxel */
function view(pixels: number, at: readonly [number, number] = [300, 200]): DetailView {
  const step = 1 / pixels;
  const map = {
    origin: [...at, 37.5] as const,
    right: [step, 0, 0] as const,
    down: [0, -step, 0] as const,
    pixelsPerUnit: pixels,
  };
  return {
    levels,
    factors: [8, 8, 8],
    spacing: [1, 1, 1],
    axis: 2,
    index: 37,
    map,
    width: 200,
    height: 100,
  };
}

describe('the box that a slice needs', () => {
  it('is of the volume itself if a voxel takes a pixel or more', () => {
    // Voxels 300 to 350 and 175 to 200, plus one on each side.
    expect(detailRegion(view(4), 1, 1e9)).toEqual({ level: 0, first: [256, 128, 37], size: [128, 128, 1] });
    expect(detailRegion(view(1), 1, 1e9)).toMatchObject({ level: 0 });
  });

  it('is of a level whose voxels are not larger than a pixel', () => {
    expect(detailRegion(view(0.5, [0, 700]), 1, 1e9)).toEqual({
      level: 1,
      first: [0, 192, 18],
      size: [256, 192, 1],
    });
    expect(detailRegion(view(0.3), 1, 1e9)).toMatchObject({ level: 1 });
    expect(detailRegion(view(0.125), 1, 1e9)).toBeUndefined();
  });

  it('is of a coarser level if it would be too large, and never of one that the GPU has', () => {
    expect(detailRegion(view(1), 1, 30_000)).toMatchObject({ level: 1 });
    expect(detailRegion(view(1), 1, 10)).toBeUndefined();
    expect(detailRegion({ ...view(1), factors: [2, 2, 2] }, 1, 30_000)).toBeUndefined();
  });

  it('is of a made level also where the voxels in GPU memory would suffice, because those skip voxels', () => {
    const isMade = (level: number) => level === 2;
    const making = { isMade, canSkip: false };
    expect(detailRegion({ ...view(0.125), making }, 1, 1e9)).toMatchObject({ level: 2 });
    expect(detailRegion({ ...view(0.05), making }, 1, 1e9)).toMatchObject({ level: 2 });
    expect(detailRegion({ ...view(0.125), making: { ...making, isMade: () => false } }, 1, 1e9)).toBeUndefined();
    // Only coarser ones are made, and those in GPU memory are finer than these.
    expect(detailRegion({ ...view(0.3), factors: [2, 2, 2], making }, 1, 1e9)).toBeUndefined();
    expect(detailRegion({ ...view(1), making }, 1, 1e9)).toMatchObject({ level: 0 });
  });

  it('is never of a level that is not made and cannot be read', () => {
    const making = { isMade: (level: number) => level === 2, canSkip: false };
    expect(detailRegion({ ...view(0.5), making }, 1, 1e9)).toMatchObject({ level: 0 });
    expect(detailRegion({ ...view(0.5), making: { ...making, canSkip: true } }, 1, 1e9)).toMatchObject({ level: 1 });
    // The exact voxels would be too much, and level 1 is not there.
    expect(detailRegion({ ...view(1), making }, 1, 30_000)).toMatchObject({ level: 2 });
    // The voxels in GPU memory are finer than level 2.
    expect(detailRegion({ ...view(1), factors: [2, 2, 2], making }, 1, 30_000)).toBeUndefined();
  });

  it('follows the spacing: a level whose thick slices are thinner than a pixel is fine enough', () => {
    const uneven: VolumeLevel[] = [
      { dims: [1000, 800, 100, 1], factors: [1, 1, 1] },
      { dims: [500, 400, 100, 1], factors: [2, 2, 1] },
    ];
    expect(detailRegion({ ...view(0.5), levels: uneven, spacing: [1, 1, 9] }, 1, 1e9)).toMatchObject({ level: 1 });
  });

  it('ends at the edges of the volume, and is undefined outside it', () => {
    expect(detailRegion(view(4, [980, 10]), 1, 1e9)).toMatchObject({ first: [960, 0, 37], size: [40, 64, 1] });
    expect(detailRegion(view(4, [1100, 200]), 1, 1e9)).toBeUndefined();
  });

  it('is not needed again if a loaded one contains it', () => {
    const loaded = { level: 0, first: [0, 0, 3], size: [128, 128, 1] } as const;
    expect(holdsBox(loaded, { ...loaded, first: [64, 0, 3], size: [64, 128, 1] })).toBe(true);
    expect(holdsBox(loaded, { ...loaded, first: [64, 0, 3] })).toBe(false);
    expect(holdsBox(loaded, { ...loaded, first: [0, 0, 4] })).toBe(false);
  });
});

describe('pixels', () => {
  it('belong to the voxels under their centres', () => {
    // Columns 10 to 20 of a map with 4 pixels a voxel from x = 300.
    expect(pixelRect(view(4), [310, 190, 37], [320, 195, 38])).toEqual({ begin: [40, 20], end: [80, 40] });
    expect(pixelRect(view(4), [0, 0, 0], [1000, 800, 600])).toEqual({ begin: [0, 0], end: [200, 100] });
    const { begin, end } = pixelRect(view(4), [700, 0, 0], [800, 800, 600]);
    expect(end[0] - begin[0]).toBe(0);
  });

  it('around a rectangle are in exactly one rectangle each', () => {
    const outer: PixelRect = { begin: [1, 2], end: [20, 15] };
    const inners: PixelRect[] = [
      { begin: [5, 5], end: [9, 9] },
      { begin: [0, 0], end: [30, 30] },
      { begin: [0, 4], end: [4, 40] },
      { begin: [25, 0], end: [30, 30] },
    ];
    for (const inner of inners) {
      const rects = rectsAround(outer, inner);
      for (let y = 0; y < 20; y++) {
        for (let x = 0; x < 24; x++) {
          const isIn = ({ begin, end }: PixelRect) => x >= begin[0] && x < end[0] && y >= begin[1] && y < end[1];
          const expected = isIn(outer) && !isIn(inner) ? 1 : 0;
          if (rects.filter(isIn).length !== expected) expect([inner, x, y]).toBe('in one rectangle');
        }
      }
    }
  });
});
