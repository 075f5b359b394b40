import {
  type CodecDefinition,
  type CodecKernels,
  type CodecOptions,
  type GpuChunk,
  type GpuPayloads,
  type GpuVoxels,
  rowBytes,
} from '../../codec/codec.ts';
import { decodeChunks } from '../../codec/decode-chunks.ts';
import { createKernels } from '../../codecs/kernels.ts';
import { ChunkGrid, type ChunkShape } from '../../format/chunk-grid.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { StriaError } from '../../shared/errors.ts';
import { type BenchContext, caseOf } from './context.ts';
import type { Meter, Timing } from './meter.ts';
import type { BenchCase } from './result.ts';

/** A codec's work on a volume in GPU memory. */
export interface CodecWork extends Pick<BenchCase, 'table' | 'subject' | 'x'> {
  readonly codec: CodecDefinition;
  readonly method: string;
  readonly voxels: GpuVoxels;
  /** The contents of `voxels`. */
  readonly expected: Uint8Array<ArrayBuffer>;
  readonly chunkShape: ChunkShape;
  readonly axis: CodecOptions['axis'];
}

/**
 * Times a codec's encoder and decoder, and compares the decoded voxels with the originals.
 * @returns the total size of the payloads in bytes
 * @throws StriaError `internal` if the voxels differ
 */
export async function benchCodec(context: BenchContext, work: CodecWork): Promise<number> {
  const { gpu, meter } = context;
  const { codec, voxels, table, subject, x, method } = work;
  const kernels = createKernels(codec, gpu);
  const chunks = chunksOf(work);
  const copy = await meter.copyOf(voxels.buffer);
  let payloads: GpuPayloads | undefined;
  let owner: GpuScope | undefined;
  try {
    const encode = await meter.time(async (onTimes) => {
      owner?.destroy();
      owner = gpu.scope('bench.payloads');
      payloads = await kernels.encode(voxels, chunks, { scope: owner, onTimes, isFirstStage: codec.preparesEntropy });
    });
    const encoded = payloads as GpuPayloads;
    const written = chunks.map((_, index) => index).filter((index) => (encoded.byteLengths[index] ?? 0) > 0);
    const encodedBytes = encoded.byteLengths.reduce((sum, length) => sum + length, 0);
    const rawChunks = chunks.length - written.length;
    const rawBytes = sum(chunks, (chunk, index) => (encoded.byteLengths[index] ? 0 : bytesOf(chunk, voxels)));
    const inputBytes = bytesOf({ shape: voxels.dims }, voxels);
    const facts = {
      table,
      subject,
      x,
      method,
      processor: 'gpu',
      inputBytes,
      outputBytes: encodedBytes + rawBytes,
      movedBytes: inputBytes + encodedBytes,
      movedBytesAre: 'least',
      verified: 'decoded on the GPU and compared byte by byte',
      ...(rawChunks > 0 && { note: `${rawChunks} of ${chunks.length} chunks stay raw: encoding would not make them smaller` }),
    } as const;
    if (written.length === 0) {
      const verified = 'no chunk would be smaller: nothing was written';
      context.add(caseOf({ ...facts, operation: 'encode', verified }, encode, copy));
      return encodedBytes + rawBytes;
    }
    using scope = gpu.scope('bench.decode');
    const target: GpuVoxels = { ...voxels, buffer: scope.storage('target', voxels.buffer.size) };
    // Poisons the target, so that a decoder that leaves out voxels cannot pass.
    gpu.device.queue.writeBuffer(target.buffer, 0, new Uint8Array(target.buffer.size).fill(0xa5));
    const decode = await timeDecode(gpu, meter, kernels, encoded, chunks, written, target);
    expectEqual(await gpu.read(target.buffer), work, chunks, written);
    context.add(caseOf({ ...facts, operation: 'encode' }, encode, copy));
    context.add(caseOf({ ...facts, operation: 'decode' }, decode, copy));
    return encodedBytes + rawBytes;
  } finally {
    owner?.destroy();
  }
}

function chunksOf({ codec, voxels: { dims, elementBytes }, chunkShape, axis }: CodecWork): GpuChunk[] {
  const grid = new ChunkGrid([...dims, 1], chunkShape);
  return Array.from({ length: grid.count }, (_, number) => {
    const { origin, shape } = grid.box(number);
    return { origin, shape, parameters: codec.choose({ changes: [1, 1, 1] }, { shape, elementBytes }, { axis }) };
  });
}

async function timeDecode(
  gpu: Gpu,
  meter: Meter,
  kernels: CodecKernels,
  encoded: GpuPayloads,
  chunks: readonly GpuChunk[],
  written: readonly number[],
  target: GpuVoxels,
): Promise<Timing> {
  const payloads: GpuPayloads = {
    buffer: encoded.buffer,
    byteOffsets: written.map((index) => encoded.byteOffsets[index] ?? 0),
    byteLengths: written.map((index) => encoded.byteLengths[index] ?? 0),
  };
  const toDecode = written.map((index) => chunks[index] as GpuChunk);
  return meter.time(async (onTimes) => {
    using scope = gpu.scope('bench.decode');
    await decodeChunks(gpu, 'decode', kernels, payloads, toDecode, target, { scope, onTimes });
  });
}

function expectEqual(
  actual: Uint8Array,
  { voxels, expected, method, subject }: CodecWork,
  chunks: readonly GpuChunk[],
  written: readonly number[],
): void {
  const pitch = rowBytes(voxels.dims[0], voxels.elementBytes);
  for (const index of written) {
    const { origin, shape } = chunks[index] as GpuChunk;
    const length = shape[0] * voxels.elementBytes;
    for (let z = origin[2]; z < origin[2] + shape[2]; z++) {
      for (let y = origin[1]; y < origin[1] + shape[1]; y++) {
        const start = (z * voxels.dims[1] + y) * pitch + origin[0] * voxels.elementBytes;
        for (let at = start; at < start + length; at++) {
          if (expected[at] === actual[at]) continue;
          throw new StriaError('internal', `${method} on ${subject}: chunk ${index} does not decode to its voxels`);
        }
      }
    }
  }
}

function bytesOf({ shape }: Pick<GpuChunk, 'shape'>, { elementBytes }: GpuVoxels): number {
  return shape[0] * shape[1] * shape[2] * elementBytes;
}

function sum<T>(items: readonly T[], of: (item: T, index: number) => number): number {
  return items.reduce((total, item, index) => total + of(item, index), 0);
}

/** The bytes of elements in the layout of `GpuVoxels`: each row padded with zeros to whole words. */
export function padRows(bytes: Uint8Array<ArrayBuffer>, x: number, elementBytes: 1 | 2 | 4): Uint8Array<ArrayBuffer> {
  const width = x * elementBytes;
  const pitch = rowBytes(x, elementBytes);
  if (pitch === width) return bytes;
  const rows = bytes.byteLength / width;
  const padded = new Uint8Array(rows * pitch);
  for (let row = 0; row < rows; row++) padded.set(bytes.subarray(row * width, (row + 1) * width), row * pitch);
  return padded;
}
