import type { VoxelBox } from '../chunks/backend.ts';
import { placePayloads } from '../codec/batch.ts';
import { type CodecElementBytes, type GpuVoxels, rowBytes } from '../codec/codec.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { LentBytes } from '../gpu/lent-bytes.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { UploadMemory } from '../gpu/upload-memory.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { paddedBoxBytes } from './gpu-chunks.ts';

/** Rows that need padding go through a buffer of about this size. */
const scratchBytes = 2 ** 22;

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

/** Smaller payloads are not worth memory of their own. */
const leastUploadBytes = 2 ** 20;

/** Uploads payloads, each to a multiple of 4 bytes. */
export async function uploadPayloads(gpu: Gpu, scope: GpuScope, payloads: readonly Uint8Array[]) {
  const byteLengths = payloads.map(({ byteLength }) => byteLength);
  const { byteOffsets, totalBytes } = placePayloads(byteLengths);
  const buffer = scope.reused('payloads', totalBytes);
  const join = (bytes: Uint8Array) => {
    payloads.forEach((payload, i) => {
      const end = (byteOffsets[i] as number) + payload.byteLength;
      bytes.set(payload, byteOffsets[i]);
      bytes.fill(0, end, Math.ceil(end / 4) * 4);
    });
  };
  if (totalBytes >= leastUploadBytes) {
    const memory = await UploadMemory.take(gpu, totalBytes);
    join(memory.bytes);
    memory.copyTo(buffer);
  } else if (totalBytes > 0) {
    const bytes = new Uint8Array(totalBytes);
    join(bytes);
    gpu.device.queue.writeBuffer(buffer, 0, bytes);
  }
  return { buffer, byteOffsets, byteLengths };
}

/** Lends a box's bytes, rows padded. */
async function lendBox(gpu: Gpu, { buffer, dims, elementBytes }: GpuVoxels): Promise<LentBytes> {
  const size = paddedBoxBytes(dims, elementBytes);
  const commands = gpu.commands('download');
  const lent = commands.lend(size, [{ buffer, offset: 0, size, to: 0 }]);
  await commands.submit();
  return lent();
}

/** Uploads a box, padding its rows with zeros. Bytes in `UploadMemory` are taken from there if they need no padding. */
export function uploadBox(gpu: Gpu, scope: GpuScope, { bytes, dims, elementBytes }: VoxelBox): GpuVoxels {
  const voxels = { buffer: scope.reused('box', paddedBoxBytes(dims, elementBytes)), dims, elementBytes };
  const rowLength = dims[0] * elementBytes;
  const padded = rowBytes(dims[0], elementBytes);
  if (padded === rowLength) {
    const memory = UploadMemory.of(bytes);
    if (memory) memory.copyTo(voxels.buffer);
    else gpu.device.queue.writeBuffer(voxels.buffer, 0, bytes);
    return voxels;
  }
  const rows = dims[1] * dims[2];
  const rowsAtOnce = Math.min(rows, Math.max(1, Math.floor(scratchBytes / padded)));
  const scratch = new Uint8Array(rowsAtOnce * padded);
  for (let first = 0; first < rows; first += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, rows - first);
    for (let row = 0; row < count; row++) {
      const start = (first + row) * rowLength;
      scratch.set(bytes.subarray(start, start + rowLength), row * padded);
    }
    gpu.device.queue.writeBuffer(voxels.buffer, first * padded, scratch, 0, count * padded);
  }
  return voxels;
}

/** Reads a box back into `bytes`, without its row padding. */
export async function downloadBox(gpu: Gpu, { buffer, dims, elementBytes }: GpuVoxels, bytes: Uint8Array): Promise<void> {
  const rowLength = dims[0] * elementBytes;
  const padded = rowBytes(dims[0], elementBytes);
  const rows = dims[1] * dims[2];
  const lent = await lendBox(gpu, { buffer, dims, elementBytes });
  const read = lent.bytes;
  if (padded === rowLength) bytes.set(read);
  else for (let row = 0; row < rows; row++) bytes.set(read.subarray(row * padded, row * padded + rowLength), row * rowLength);
  lent.release();
}

/**
 * Runs GPU work and raises every device error: work that the device refused (out of memory, an invalid call) would otherwise
 * read back as zeros. @throws StriaError `out-of-memory`, `internal`, `device-lost`
 */
export async function guarded<T>(gpu: Gpu, work: () => Promise<T>): Promise<T> {
  gpu.checkAlive();
  for (const filter of ['internal', 'validation', 'out-of-memory'] as const) gpu.device.pushErrorScope(filter);
  let outcome: { readonly value: T } | { readonly error: unknown };
  try {
    outcome = { value: await work() };
  } catch (error) {
    outcome = { error };
  }
  const faults = (await Promise.all([0, 1, 2].map(() => gpu.device.popErrorScope().catch(() => null)))).filter(
    (one) => one !== null,
  );
  if ('error' in outcome && !(outcome.error instanceof StriaError)) outcome = { error: await gpu.causeOf(outcome.error) };
  gpu.checkAlive();
  const aborted = 'error' in outcome && outcome.error instanceof StriaError && outcome.error.tag === 'aborted';
  const [fault] = faults;
  if (fault && !aborted) {
    const outOfMemory = fault instanceof GPUOutOfMemoryError;
    if (outOfMemory) gpu.spare.free();
    throw new StriaError(outOfMemory ? 'out-of-memory' : 'internal', `the GPU rejected the work: ${fault.message}`, {
      cause: fault,
    });
  }
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
