import type { ResidentBox, VoxelBox } from '../chunks/backend.ts';
import { stackedChunks } from '../chunks/boxes.ts';
import { placePayloads } from '../codec/batch.ts';
import type { CodecElementBytes, GpuVoxels } from '../codec/codec.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { wholeWords } from '../gpu/lent-bytes.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { UploadMemory } from '../gpu/upload-memory.ts';
import { isShared } from '../shared/shared-bytes.ts';
import { nextTurn } from '../shared/turn.ts';
import type { Dims3 } from '../shared/volume.ts';
import { paddedBoxBytes } from './gpu-chunks.ts';
import { hasPaddedRows, packRows, padRows, plainBoxBytes } from './gpu-rows.ts';

/** A box of zeros in GPU memory. */
export function emptyBox(scope: GpuScope, dims: Dims3, elementBytes: CodecElementBytes): GpuVoxels {
  return { buffer: scope.storage('box', paddedBoxBytes(dims, elementBytes)), dims, elementBytes };
}

/** As `emptyBox`, in memory that may have been used before. */
export function clearedBox(gpu: Gpu, scope: GpuScope, { dims, elementBytes }: Omit<VoxelBox, 'bytes'>): GpuVoxels {
  const buffer = scope.reused('box', paddedBoxBytes(dims, elementBytes));
  const encoder = gpu.device.createCommandEncoder({ label: 'clear' });
  encoder.clearBuffer(buffer);
  gpu.device.queue.submit([encoder.finish()]);
  return { buffer, dims, elementBytes };
}

/**
 * As `stackedBox`, in memory that may have been used before. It is cleared: otherwise it could hold what the check of the same volume decoded
 * last, and words that a decoder does not write would seem to be right.
 */
export function reusedStack(gpu: Gpu, scope: GpuScope, shapes: readonly Dims3[], elementBytes: CodecElementBytes): ResidentBox {
  const { dims, boxes } = stackedChunks(shapes);
  return { voxels: clearedBox(gpu, scope, { dims, elementBytes }), chunks: boxes };
}

/** Smaller payloads are not worth memory of their own. */
const leastUploadBytes = 2 ** 20;

/** Payloads go to the GPU in pieces of this size, for the reason that boxes do (`standardPieceBytes`). */
const uploadPieceBytes = 2 ** 23;

export interface UploadedPayloads {
  readonly buffer: GPUBuffer;
  readonly byteOffsets: readonly number[];
  readonly byteLengths: readonly number[];
}

/** Uploads payloads, each to a multiple of 4 bytes. */
export async function uploadPayloads(gpu: Gpu, scope: GpuScope, payloads: readonly Uint8Array[]): Promise<UploadedPayloads> {
  const byteLengths = payloads.map(({ byteLength }) => byteLength);
  const { byteOffsets, totalBytes } = placePayloads(byteLengths);
  const buffer = scope.reused('payloads', totalBytes);
  const startOf = (payload: number) => byteOffsets[payload] ?? totalBytes;
  for (let first = 0, end = 0; first < payloads.length; first = end) {
    const start = startOf(first);
    do end++;
    while (end < payloads.length && startOf(end + 1) - start <= uploadPieceBytes);
    const length = startOf(end) - start;
    const join = (bytes: Uint8Array) => {
      for (let i = first; i < end; i++) {
        const payload = payloads[i] as Uint8Array;
        const at = startOf(i) - start;
        bytes.set(payload, at);
        bytes.fill(0, at + payload.byteLength, startOf(i + 1) - start);
      }
    };
    if (length >= leastUploadBytes) {
      const memory = await UploadMemory.take(gpu, length);
      join(memory.bytes);
      memory.copyTo(buffer, start);
      // All copies of a batch at once would keep this thread busy for longer than two writes to a file take.
      await nextTurn();
    } else if (length > 0) {
      const bytes = new Uint8Array(length);
      join(bytes);
      gpu.device.queue.writeBuffer(buffer, start, bytes);
    }
  }
  return { buffer, byteOffsets, byteLengths };
}

export interface BoxUpload {
  readonly voxels: GpuVoxels;
  /** Takes the bytes of the box, as a file holds them. */
  readonly target: GPUBuffer;
  /** Call it when the target is filled. GPU work that is submitted later sees the voxels. @throws StriaError `device-lost` */
  finish(): void;
}

/** Begins the upload of a box. If its rows are padded, its bytes go to a buffer of their own, from which the GPU copies the rows. */
export function boxUpload(gpu: Gpu, scope: GpuScope, { dims, elementBytes }: Omit<VoxelBox, 'bytes'>): BoxUpload {
  const voxels: GpuVoxels = { buffer: scope.reused('box', paddedBoxBytes(dims, elementBytes)), dims, elementBytes };
  if (!hasPaddedRows(voxels)) return { voxels, target: voxels.buffer, finish() {} };
  const plainScope = scope.scope('plain');
  const target = plainScope.reused('box', plainBoxBytes(voxels));
  const finish = () => {
    const commands = gpu.commands('upload');
    padRows(gpu, commands, target, voxels, plainScope);
    // Whoever waits for later work gets the error.
    commands.submit().catch(() => {});
    plainScope.destroy();
  };
  return { voxels, target, finish };
}

/** Uploads a box. Bytes in `UploadMemory` are taken from there. */
export function uploadBox(gpu: Gpu, scope: GpuScope, { bytes, ...box }: VoxelBox): GpuVoxels {
  const { voxels, target, finish } = boxUpload(gpu, scope, box);
  const memory = UploadMemory.of(bytes);
  if (memory) memory.copyTo(target);
  else writeBytes(gpu, target, bytes);
  finish();
  return voxels;
}

/** Writes any number of bytes to the start of a buffer, and zeros up to a whole word. */
function writeBytes({ device: { queue } }: Gpu, buffer: GPUBuffer, bytes: Uint8Array<ArrayBuffer>): void {
  // Dawn in Node crashes on memory that is shared with threads.
  const own = isShared(bytes) ? new Uint8Array(bytes) : bytes;
  const whole = own.byteLength - (own.byteLength % 4);
  queue.writeBuffer(buffer, 0, own, 0, whole);
  if (whole === own.byteLength) return;
  const last = new Uint8Array(4);
  last.set(own.subarray(whole));
  queue.writeBuffer(buffer, whole, last);
}

/** Reads a box back into `bytes`, without its row padding. */
export async function downloadBox(gpu: Gpu, voxels: GpuVoxels, bytes: Uint8Array): Promise<void> {
  using scope = gpu.scope('pack');
  const commands = gpu.commands('download');
  const buffer = packRows(gpu, commands, voxels, scope);
  const size = plainBoxBytes(voxels);
  const lent = commands.lend(size, [{ buffer, offset: 0, size: wholeWords(size), to: 0 }]);
  await commands.submit();
  const { bytes: read, release } = lent();
  bytes.set(read);
  release();
}

/** A buffer that starts with a box's voxels as a file holds them, for GPU work that is submitted later. @throws StriaError `device-lost` */
export function plainVoxels(gpu: Gpu, scope: GpuScope, voxels: GpuVoxels): GPUBuffer {
  if (!hasPaddedRows(voxels)) return voxels.buffer;
  const commands = gpu.commands('download');
  const plain = packRows(gpu, commands, voxels, scope);
  // Whoever waits for later work gets the error.
  commands.submit().catch(() => {});
  return plain;
}
