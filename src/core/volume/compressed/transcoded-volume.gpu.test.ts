import { expect, test } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { gatherChunk } from '../../chunks/boxes.ts';
import { testRandom } from '../../codec/chunk-testing.ts';
import { codecByName } from '../../codecs/registry.ts';
import { encodeChunk } from '../../cpu/cpu-task-run.ts';
import { checksum } from '../../format/checksum.ts';
import type { CodedChunk, EncodedChunk } from '../../format/chunk.ts';
import { ChunkGrid, type ChunkShape, codecElementBytes, codecElementDims, isInterleaved } from '../../format/chunk-grid.ts';
import { type Dims3, type Dims4, type ElementType, typedVoxels, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { only } from '../../stream/engine-testing.ts';
import { testInfo, withBindingLimit } from '../resident-testing.ts';
import { CompressedVolume } from './compressed-volume.ts';

const gpu = await openTestGpu();

/** Smooth values with noise, like a scan. The first chunks are constant, like air. */
function scan(info: VolumeInfo): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(volumeBytes(info));
  const voxels = typedVoxels(info.type, bytes);
  const random = testRandom(11);
  const [width, rows, slices] = info.dims;
  for (let i = 0; i < voxels.length; i++) {
    const [x, y, z] = [i % width, Math.floor(i / width) % rows, Math.floor(i / (width * rows)) % slices];
    voxels[i] = z < 8 && y < 8 ? 3 : 60 + 3 * x + 2 * y + z + (random() & 3);
  }
  return bytes;
}

/** The volume's chunks, every third encoded by `rice` and the others by `wave`. */
function encode(info: VolumeInfo, bytes: Uint8Array<ArrayBuffer>, chunkShape: ChunkShape): EncodedChunk[] {
  const dims = codecElementDims(info);
  const grid = new ChunkGrid(dims, chunkShape);
  const elementBytes = codecElementBytes(info.type);
  return Array.from({ length: grid.count }, (_, number) => {
    const { origin, shape, t, timePoints } = grid.box(number);
    const depth = shape[2] / timePoints;
    const planes = Array.from({ length: shape[2] }, (_, plane) => {
      const [z, time] = isInterleaved(chunkShape)
        ? [Math.floor(plane / timePoints), plane % timePoints]
        : [plane % depth, Math.floor(plane / depth)];
      const at: Dims3 = [origin[0], origin[1], (t + time) * dims[2] + origin[2] + z];
      const stack = { bytes, dims: [dims[0], dims[1], dims[2] * dims[3]] as const, elementBytes };
      return gatherChunk(stack, { origin: at, shape: [shape[0], shape[1], 1] });
    });
    const voxels = new Uint8Array(Buffer.concat(planes));
    return encodeChunk({ bytes: voxels, shape, elementBytes }, only(number % 3 === 2 ? 'rice' : 'wave'));
  });
}

const waveId = codecByName('wave').id;
const isWave = (chunk: EncodedChunk): chunk is CodedChunk => chunk.kind === 'coded' && chunk.stages[0]?.codecId === waveId;

test.each([
  ['u8', [21, 17, 19, 1], [8, 8, 8], 2 ** 27],
  ['i16', [21, 17, 19, 1], [8, 8, 8], 2 ** 27],
  ['i16', [21, 17, 19, 1], [8, 8, 8], 12000],
  ['f64', [13, 9, 7, 2], [8, 8, 8], 2 ** 27],
  ['u8', [16, 9, 7, 7], [64, 9, 7, 2], 2 ** 27],
  ['u8', [21, 17, 7, 7], [16, 16, 4, 3, 'interleaved'], 2 ** 27],
] as const)('%s %o in chunks of %o: wave is replaced in GPU memory, and every voxel is the source’s', async (...given) => {
  const [type, dims, chunkShape, limit] = given as unknown as [ElementType, Dims4, ChunkShape, number];
  const info = testInfo(dims, type);
  const bytes = scan(info);
  const chunks = encode(info, bytes, chunkShape);
  expect(chunks.some(isWave)).toBe(true);
  const before = chunks.map((chunk) => (chunk.kind === 'coded' ? checksum(chunk.payload) : undefined));
  const stages: number[] = [];
  const volume = await CompressedVolume.create(
    withBindingLimit(gpu, limit),
    { info, chunkShape, chunks },
    { verify: true, onProgress: ({ stage, done }) => stage === 'Preparing for display' && stages.push(done) },
  );
  expect(stages.length, 'batches').toBeGreaterThan(limit < 2 ** 20 ? 1 : 0);
  expect(volume.shares.map(({ codec }) => codec)).not.toContain('wave');
  expect(volume.shares.reduce((sum, { count }) => sum + count, 0)).toBe(chunks.length);
  expect(volume.shares.reduce((sum, share) => sum + share.bytes, 0)).toBe(volume.payloadBytes);
  const values = typedVoxels(type, bytes);
  for (let t = 0; t < dims[3]; t++) {
    for (const [x, y, z] of [
      [0, 0, 0],
      [dims[0] - 1, dims[1] - 1, dims[2] - 1],
      [5, 6, 4],
    ] as const) {
      const at = ((t * dims[2] + z) * dims[1] + y) * dims[0] + x;
      expect(await volume.voxel(x, y, z, t), `${x}, ${y}, ${z} at ${t}`).toBe(values[at]);
    }
  }
  // The source's bytes are kept for saving, and for a new device.
  expect(chunks.map((chunk) => (chunk.kind === 'coded' ? checksum(chunk.payload) : undefined))).toEqual(before);
  volume.destroy();
});

test('damage is found before anything replaces the payload, and all memory is freed', async () => {
  const info = testInfo([16, 16, 16, 1], 'u8');
  const chunkShape: ChunkShape = [8, 8, 8];
  const chunks = encode(info, scan(info), chunkShape);
  const number = chunks.findLastIndex(isWave);
  const sound = chunks[number] as CodedChunk;
  const damaged = (payload: Uint8Array) => {
    const source = { info, chunkShape, chunks: chunks.with(number, { ...sound, payload }) };
    return CompressedVolume.create(gpu, source, { verify: false });
  };
  const flipped = sound.payload.slice();
  const middle = flipped.length >> 1;
  flipped[middle] = (flipped[middle] as number) ^ 0x10;
  const context = [`chunk ${number + 1}`];
  await expect(damaged(flipped)).rejects.toMatchObject({ tag: 'corrupt', context });
  // This payload decodes to the right voxels, but no encoder writes it.
  await expect(damaged(Uint8Array.of(...sound.payload, 0))).rejects.toMatchObject({ tag: 'corrupt', context });
});

test('transcoding can be cancelled between batches, and all memory is freed', async () => {
  const info = testInfo([21, 17, 19, 1], 'i16');
  const chunkShape: ChunkShape = [8, 8, 8];
  const chunks = encode(info, scan(info), chunkShape);
  const abort = new AbortController();
  const creating = CompressedVolume.create(
    withBindingLimit(gpu, 12000),
    { info, chunkShape, chunks },
    { verify: true, signal: abort.signal, onProgress: ({ done }) => done > 0 && abort.abort() },
  );
  await expect(creating).rejects.toMatchObject({ tag: 'aborted' });
});
