import { expect, test } from 'vitest';
import {
  type Dims3,
  type Dims4,
  type ElementType,
  elementBytes,
  typedVoxels,
  type VoxelArray,
  voxelCount,
} from '../shared/volume.ts';
import { labelPlace } from './label-place.ts';
import { labelStatistics, type ToImage } from './label-statistics.ts';
import { testInfo } from './resident-testing.ts';
import type { ExactVoxels } from './volume-source.ts';

/** A volume that returns padded rows, in pieces that extend beyond the box. */
function exact(
  dims: Dims4,
  type: ElementType,
  valueAt: (index: number) => number,
  more = {},
): ExactVoxels & { voxels: VoxelArray } {
  const voxels = typedVoxels(type, new Uint8Array(voxelCount(dims) * elementBytes(type)));
  for (let at = 0; at < voxels.length; at++) voxels[at] = valueAt(at);
  const [width, height, depth] = dims;
  return {
    voxels,
    info: { ...testInfo(dims, type), ...more },
    async readBox({ first, size, timePoint }, visit) {
      for (let z = first[2]; z < first[2] + size[2]; z++) {
        const plane = typedVoxels(type, new Uint8Array((width + 3) * height * elementBytes(type)));
        for (let y = 0; y < height; y++) {
          for (let x = 0; x < width; x++)
            plane[y * (width + 3) + x] = voxels[((timePoint * depth + z) * height + y) * width + x] as number;
        }
        visit({ first: [0, 0, z], size: [width, height, 1], values: plane, rowLength: width + 3 });
      }
    },
  };
}

const [slope, intercept] = [0.5, -3];
const labels = exact([21, 13, 19, 2], 'i16', (at) => ((at >> 3) % 7) - 2);
const image = exact([17, 23, 12, 3], 'u16', (at) => (at * 7919) % 4001, { slope, intercept });

const identity: ToImage = {
  columns: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  shift: [0, 0, 0],
};
const turned: ToImage = {
  columns: [
    [0.1, 1.2, -0.2],
    [0.9, -0.2, 0.05],
    [-0.1, 0.3, 0.7],
  ],
  shift: [1.3, -4, 2],
};

function bruteForce({ columns, shift }: ToImage, labelTime: number, imageTime: number) {
  const found = new Map<number, { values: number[]; outside: number }>();
  const [width, height, depth] = labels.info.dims;
  const dims = image.info.dims;
  for (let z = 0; z < depth; z++) {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const number = labels.voxels[((labelTime * depth + z) * height + y) * width + x] as number;
        const place = [0, 1, 2].map((axis) =>
          Math.floor(
            (columns[0][axis] as number) * (x + 0.5) +
              (columns[1][axis] as number) * (y + 0.5) +
              (columns[2][axis] as number) * (z + 0.5) +
              (shift[axis] as number),
          ),
        ) as unknown as Dims3;
        const region = found.get(number) ?? { values: [], outside: 0 };
        found.set(number, region);
        const isInside = place.every((at, axis) => at >= 0 && at < (dims[axis] as number));
        if (!isInside) region.outside++;
        else {
          const index = ((imageTime * dims[2] + place[2]) * dims[1] + place[1]) * dims[0] + place[0];
          region.values.push(slope * (image.voxels[index] as number) + intercept);
        }
      }
    }
  }
  return [...found].sort(([a], [b]) => a - b);
}

test.each([
  ['the same grid', identity],
  ['a turned grid', turned],
  ['a grid far away', { ...identity, shift: [500, 0, 0] as const }],
])('statistics inside labels equal brute force: %s', async (_, toImage) => {
  const rows = await labelStatistics({ labels, labelTime: 1, image, imageTime: 2, toImage });
  const expected = bruteForce(toImage, 1, 2);
  expect(rows.map(({ number }) => number)).toEqual(expected.map(([number]) => number));
  for (const [index, [, { values, outside }]] of expected.entries()) {
    const row = rows[index];
    expect(row).toMatchObject({ outside, count: values.length, notFinite: 0 });
    if (values.length < 2) continue;
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
    expect(row).toMatchObject({ min: Math.min(...values), max: Math.max(...values) });
    expect(row?.mean).toBeCloseTo(mean, 9);
    expect(row?.deviation).toBeCloseTo(deviation, 9);
  }
});

test('only a part of the voxels is in memory at once, even if the image is rotated', async () => {
  let largest = 0;
  const watched = (volume: ExactVoxels): ExactVoxels => ({
    info: volume.info,
    readBox: (box, visit) => {
      largest = Math.max(largest, box.size[0] * box.size[1] * box.size[2]);
      return volume.readBox(box, visit);
    },
  });
  const work = { labels: watched(labels), labelTime: 1, image: watched(image), imageTime: 2, toImage: turned };
  const parts = await labelStatistics(work, {}, 300);
  expect(largest).toBeLessThanOrEqual(300);
  const whole = await labelStatistics(work);
  expect(largest).toBeGreaterThan(3000);
  expect(parts.map(({ number, count, outside, min, max }) => [number, count, outside, min, max])).toEqual(
    whole.map(({ number, count, outside, min, max }) => [number, count, outside, min, max]),
  );
  for (const [at, { mean }] of parts.entries()) expect(mean).toBeCloseTo(whole[at]?.mean ?? 0, 9);
});

test.each([
  [false, 19],
  [true, 38],
])(
  'voxels in GPU memory, compressed: %s: %i planes are read, whole ones where each is a read of its own',
  async (isCompressed, planes) => {
    let read = 0;
    const counted: ExactVoxels = {
      info: labels.info,
      isCompressed,
      readBox: (box, visit) => {
        read += box.size[2];
        return labels.readBox(box, visit);
      },
    };
    const other = exact([21, 13, 19, 1], 'u8', (at) => at);
    const work = { labels: counted, labelTime: 0, image: { ...other, isCompressed }, imageTime: 0, toImage: identity };
    await labelStatistics(work, {}, 1500);
    expect(read).toBe(planes);
  },
);

test('cancelling takes effect after the part that is being read', async () => {
  const controller = new AbortController();
  const stopping: ExactVoxels = {
    info: labels.info,
    readBox: async (box, visit) => {
      await labels.readBox(box, visit);
      controller.abort();
    },
  };
  const work = { labels: stopping, labelTime: 0, image, imageTime: 0, toImage: identity };
  await expect(labelStatistics(work, { signal: controller.signal }, 500)).rejects.toMatchObject({ tag: 'aborted' });
});

test('NaN labels are left out, and values that are not finite are counted separately', async () => {
  const marks = exact([6, 1, 1, 1], 'f32', (at) => [1, Number.NaN, Number.NaN, 2, -Infinity, Infinity][at] as number);
  const values = exact([6, 1, 1, 1], 'f32', (at) => [5, 6, 7, Number.POSITIVE_INFINITY, 8, 9][at] as number);
  const rows = await labelStatistics({ labels: marks, labelTime: 0, image: values, imageTime: 0, toImage: identity });
  expect(rows).toMatchObject([
    { number: 1, count: 1, mean: 5, notFinite: 0 },
    { number: 2, count: 0, notFinite: 1 },
  ]);
});

test('the position of a label is its voxel nearest to the centroid', async () => {
  // The centroid of a ring lies outside the ring.
  const ring = exact([11, 11, 3, 2], 'u8', (at) => {
    const [x, y, z] = [at % 11, Math.floor(at / 11) % 11, Math.floor(at / 121)];
    const radius = Math.hypot(x - 5, y - 5);
    return z === 4 && radius > 3.5 && radius < 4.5 ? 7 : 0;
  });
  const place = await labelPlace(ring, 7, 1);
  expect(place?.[2]).toBe(1);
  expect(Math.hypot((place?.[0] ?? 0) - 5, (place?.[1] ?? 0) - 5)).toBeCloseTo(Math.hypot(2, 3), 12);
  expect(await labelPlace(ring, 7, 0)).toBeUndefined();
  const block = exact([9, 9, 9, 1], 'i32', (at) =>
    at % 9 > 2 && at % 9 < 8 && Math.floor(at / 9) % 9 === 4 && at > 360 ? -5 : 0,
  );
  expect(await labelPlace(block, -5, 0)).toEqual([5, 4, 6]);
});
