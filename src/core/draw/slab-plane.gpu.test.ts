import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { chainByName } from '../codecs/registry.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { type Dims3, typedVoxels, type VolumeInfo, type VoxelArray } from '../shared/volume.ts';
import { CompressedVolume } from '../volume/compressed/compressed-volume.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { testInfo, testVoxels, withBindingLimit } from '../volume/resident-testing.ts';
import type { AxisIndex, VolumeSource } from '../volume/volume-source.ts';
import { SlabPlane, slabKinds, slabRange, type ThickSlice } from './slab-plane.ts';

const gpu = await openTestGpu();

const dims = [13, 11, 9, 2] as const;
const chunkShape: Dims3 = [8, 4, 4];
/** A device whose bindings are so small that a volume has several boxes, and a layer of chunks several parts. */
const narrow = withBindingLimit(gpu, 2000);

async function encoded(info: VolumeInfo, bytes: Uint8Array): Promise<EncodedChunk[]> {
  const volume = await ResidentVolume.create(gpu, info, { chunkShape });
  volume.append(bytes);
  const [box] = volume.boxes;
  if (!box) throw new Error('the volume has no box');
  const { chunks } = await createGpuBackend(gpu).encodeResident(box, { codec: chainByName('raw'), options: { axis: 'auto' } });
  volume.destroy();
  return chunks;
}

/** The plane's values on the GPU, the lower axis fastest. */
async function planeOf(
  slabs: SlabPlane,
  volume: VolumeSource,
  axis: AxisIndex,
  index: number,
  slab: ThickSlice,
): Promise<number[]> {
  const commands = gpu.commands('slab');
  const boxes = slabs.record(commands, volume, axis, index, 1, slab);
  await commands.submit();
  const bytes = await gpu.read((boxes[0] as (typeof boxes)[number]).voxels.buffer);
  return [...new Float32Array(bytes.buffer)];
}

function expectedPlane(voxels: VoxelArray, axis: AxisIndex, index: number, { kind, slices }: ThickSlice): number[] {
  const [u, v] = axis === 0 ? ([1, 2] as const) : axis === 1 ? ([0, 2] as const) : ([0, 1] as const);
  const [first, last] = slabRange(index, slices, dims[axis]);
  return Array.from({ length: dims[u] * dims[v] }, (_, at) => {
    const values: number[] = [];
    for (let plane = first; plane <= last; plane++) {
      const voxel = [0, 0, 0];
      [voxel[u], voxel[v], voxel[axis]] = [at % dims[u], Math.floor(at / dims[u]), plane];
      const [x, y, z] = voxel as [number, number, number];
      const value = Math.fround(voxels[((dims[2] + z) * dims[1] + y) * dims[0] + x] as number);
      if (Number.isFinite(value)) values.push(value);
    }
    if (values.length === 0) return Number.NaN;
    if (kind === 'mean') return values.reduce((sum, value) => sum + value) / values.length;
    return kind === 'maximum' ? Math.max(...values) : Math.min(...values);
  });
}

test.each(['u8', 'i16', 'f32', 'f64'] as const)(
  '%s: slabs across every axis, from uncompressed and compressed volumes',
  async (type) => {
    const info = testInfo(dims, type);
    const bytes = testVoxels(info);
    const voxels = typedVoxels(type, bytes);
    if (type === 'f32') for (let at = 0; at < voxels.length; at += 3) voxels[at] = at % 2 === 0 ? Number.NaN : Infinity;
    const resident = await ResidentVolume.create(narrow, info, { chunkShape, budgetBytes: 2 ** 24 });
    resident.append(bytes);
    const chunks = await encoded(info, bytes);
    const compressed = await CompressedVolume.create(narrow, { info, chunkShape, chunks }, { verify: false });
    const slabs = new SlabPlane(gpu);
    const cases = [
      [2, 4, 5],
      [1, 3, 4],
      [0, 12, 3],
      [0, 0, 64],
    ] as const;
    for (const [at, [axis, index, slices]] of cases.entries()) {
      const slab = { kind: slabKinds[at % 3] as ThickSlice['kind'], slices };
      const wanted = expectedPlane(voxels, axis, index, slab);
      const scale = Math.max(...wanted.filter(Number.isFinite).map(Math.abs));
      for (const volume of [resident, compressed]) {
        const found = await planeOf(slabs, volume, axis, index, slab);
        expect(found).toHaveLength(wanted.length);
        // Means are rounded sums of 32-bit floats; extremes are exact.
        const allowed = slab.kind === 'mean' ? 1e-5 * scale : 0;
        expect(found.filter((value, place) => !isNear(value, wanted[place] as number, allowed))).toEqual([]);
      }
    }
    slabs.destroy();
    compressed.destroy();
    resident.destroy();
  },
);

test('a slab is computed again only if it changes', async () => {
  const info = testInfo(dims, 'u8');
  const volume = await ResidentVolume.create(gpu, info, { chunkShape });
  volume.append(testVoxels(info));
  const slabs = new SlabPlane(gpu);
  let reads = 0;
  const counted = new Proxy(volume, {
    get: (_, key) => {
      if (key === 'recordSlice') reads++;
      const value: unknown = Reflect.get(volume, key, volume);
      return typeof value === 'function' ? value.bind(volume) : value;
    },
  });
  const first = await planeOf(slabs, counted, 2, 4, { kind: 'maximum', slices: 3 });
  expect(await planeOf(slabs, counted, 2, 4, { kind: 'maximum', slices: 3 })).toEqual(first);
  expect(reads).toBe(3);
  expect(await planeOf(slabs, counted, 2, 5, { kind: 'maximum', slices: 3 })).not.toEqual(first);
  expect(reads).toBe(6);
  slabs.destroy();
  volume.destroy();
});

function isNear(a: number, b: number, allowed: number): boolean {
  return Number.isNaN(b) ? Number.isNaN(a) : Math.abs(a - b) <= allowed;
}
