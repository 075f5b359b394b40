import { afterEach, expect, test, vi } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import type { CodecDefinition, CodecKernels } from '../../codec/codec.ts';
import * as codecKernels from '../../codecs/kernels.ts';
import { codecByName } from '../../codecs/registry.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { createGpuBackend } from '../../gpu-chunks/gpu-backend.ts';
import { type Dims4, typedVoxels, volumeBytes } from '../../shared/volume.ts';
import { ResidentVolume } from '../resident/resident-volume.ts';
import { testInfo } from '../resident-testing.ts';
import { CompressedVolume } from './compressed-volume.ts';

const gpu = await openTestGpu();
const backend = createGpuBackend(gpu);
afterEach(() => vi.restoreAllMocks());

/** Counts the chunks and the segments of chunks that a codec's kernels decode from now on. */
function countDecoding(codec: CodecDefinition): { chunks: number; segments: number } {
  const counts = { chunks: 0, segments: 0 };
  const { createKernels } = codecKernels;
  vi.spyOn(codecKernels, 'createKernels').mockImplementation((one, device): CodecKernels => {
    const kernels = createKernels(one, device);
    if (one !== codec) return kernels;
    const { prepareDecodeRanges } = kernels;
    return {
      ...kernels,
      prepareDecode: (...call) => {
        counts.chunks += call[1].length;
        return kernels.prepareDecode(...call);
      },
      ...(prepareDecodeRanges && {
        prepareDecodeRanges: (...call) => {
          const plan = prepareDecodeRanges(...call);
          counts.segments += plan.segmentCount;
          return plan;
        },
      }),
    };
  });
  return counts;
}

test.each([
  ['u8', 'parle', 'x', { chunks: 0, segments: 5 }],
  ['i16', 'parle', 'y', { chunks: 0, segments: 5 }],
  ['f32', 'parle', 'z', { chunks: 0, segments: 5 }],
  // An f64 voxel is two elements, in neighbouring columns.
  ['f64', 'parle', 'z', { chunks: 0, segments: 10 }],
  ['u8', 'rle', 'x', { chunks: 5, segments: 0 }],
] as const)('reading 5 voxels of %s in chunks of %s along %s decodes little', async (type, name, axis, expected) => {
  const before = gpu.memory.liveBytes();
  const codec = codecByName(name);
  const dims: Dims4 = [40, 30, 20, 2];
  const info = testInfo(dims, type);
  const bytes = new Uint8Array(volumeBytes(info));
  const voxels = typedVoxels(type, bytes);
  // Runs of 7 along the axis, with values that all types can hold.
  const place = (at: number) => [at % 40, Math.floor(at / 40) % 30, Math.floor(at / 1200)] as const;
  for (let at = 0; at < voxels.length; at++) {
    const [x, y, z] = place(at).map((along, one) => ('xyz'[one] === axis ? Math.floor(along / 7) : along)) as [
      number,
      number,
      number,
    ];
    voxels[at] = (37 * x + 11 * y + 53 * z) % 101;
  }
  const chunkShape = [type === 'f64' ? 32 : 16, 16, 16] as const;
  const resident = await ResidentVolume.create(gpu, info, { chunkShape });
  resident.append(bytes);
  const chunks: EncodedChunk[] = [];
  for (const box of resident.boxes) {
    const coded = await backend.encodeResident(box, { codec: [codec], options: { axis } });
    box.chunkNumbers.forEach((number, index) => {
      chunks[number] = coded.chunks[index] as EncodedChunk;
    });
  }
  resident.destroy();

  const counts = countDecoding(codec);
  const volume = await CompressedVolume.create(gpu, { info, chunkShape, chunks }, { verify: false });
  const places: readonly Dims4[] = [
    [0, 0, 0, 0],
    [39, 29, 19, 1],
    [15, 16, 15, 0],
    [17, 3, 5, 1],
    [1, 2, 3, 0],
  ];
  for (const [x, y, z, t] of places) {
    expect(await volume.voxel(x, y, z, t)).toBe(voxels[((t * dims[2] + z) * dims[1] + y) * dims[0] + x]);
  }
  expect(counts).toEqual(expected);
  volume.destroy();
  gpu.spare.free();
  expect(gpu.memory.liveBytes()).toBe(before);
});
