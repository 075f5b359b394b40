import { codecOfChunk, mismatch } from '../chunks/choose.ts';
import type { CodecElementBytes, KernelCall } from '../codec/codec.ts';
import { codecs } from '../codecs/registry.ts';
import { sameChecksum } from '../format/checksum.ts';
import type { ChunkOutline, CodedChunk } from '../format/chunk.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { inContext } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import type { Dims3 } from '../shared/volume.ts';
import { batchBytesAfter, firstBatchBytes, leastBatchBytes } from './batch-bytes.ts';
import { DecodePlanner, type PlannedChunk, type StoredChunk } from './decode-planner.ts';
import { FaultFlags, judgeChunk } from './fault-flags.ts';
import { paddedBoxBytes, stackedBox } from './gpu-chunks.ts';
import { GpuEncoder } from './gpu-encoder.ts';
import { uploadPayloads } from './gpu-transfer.ts';
import { movePlaced, type PlacedChunk, storedChunk } from './placed-chunk.ts';

/** A chunk to transcode, with its number in its volume. */
export interface TranscodedChunk {
  readonly chunk: CodedChunk;
  readonly number: number;
  readonly shape: Dims3;
}

/** Fast to decode: that is why chunks are transcoded. */
const choice = { codec: 'auto', options: { axis: 'auto', prefer: 'speed' } } as const;

/** Whether a chunk's codec decodes too slowly to be drawn from. */
export function decodesSlowly<Chunk extends ChunkOutline>(chunk: Chunk): chunk is Chunk & { readonly kind: 'coded' } {
  if (chunk.kind !== 'coded') return false;
  const { stages } = chunk;
  return stages.some(({ codecId }) => codecs.find(({ id }) => id === codecId)?.decodeGigabytesPerSecond !== undefined);
}

/**
 * Decodes chunks and encodes them again with the codecs that 'auto' takes for speed, entirely on the GPU: in batches of at most
 * 128 MiB of voxels, each of which takes several times as much scratch memory. The decoded voxels are compared with the chunks'
 * checksums before anything replaces them.
 * @param owner owns the buffers of the new payloads
 * @returns the chunks in GPU memory, in the same order
 * @throws StriaError `corrupt` or `unsupported` in the context of `chunk N`, `out-of-memory`, `aborted`, `device-lost`
 */
export async function transcodeOnGpu(
  gpu: Gpu,
  owner: GpuScope,
  chunks: readonly TranscodedChunk[],
  elementBytes: CodecElementBytes,
  { signal, onProgress, onTimes }: JobOptions & Pick<KernelCall, 'onTimes'>,
): Promise<StoredChunk[]> {
  const work: Work = { gpu, owner, elementBytes, planner: new DecodePlanner(gpu), encoder: new GpuEncoder(gpu) };
  const bytesOf = ({ shape }: TranscodedChunk) => paddedBoxBytes(shape, elementBytes);
  const total = chunks.reduce((sum, chunk) => sum + bytesOf(chunk), 0);
  const stored: StoredChunk[] = [];
  let done = 0;
  try {
    while (stored.length < chunks.length) {
      throwIfAborted(signal);
      const batch = nextBatch(gpu, chunks, stored.length, elementBytes);
      onProgress?.({ stage: 'Preparing for display', done, total });
      using scope = gpu.scope('transcode');
      for (const one of await transcodeBatch(work, batch, { scope, signal, onTimes })) stored.push(one);
      for (const chunk of batch) done += bytesOf(chunk);
    }
  } finally {
    gpu.spare.free();
  }
  throwIfAborted(signal);
  return stored;
}

interface Work {
  readonly gpu: Gpu;
  readonly owner: GpuScope;
  readonly elementBytes: CodecElementBytes;
  readonly planner: DecodePlanner;
  readonly encoder: GpuEncoder;
}

/** How many bytes of voxels the next batch may have, by device. */
const batchBytes = new WeakMap<Gpu, number>();

function nextBatchBytes(gpu: Gpu): number {
  const wanted = gpu.isSoftware ? leastBatchBytes : (batchBytes.get(gpu) ?? firstBatchBytes);
  return Math.min(wanted, Math.floor(gpu.maxBindingBytes / 4));
}

/** The next chunks, which share a scratch box; at least one. */
function nextBatch(gpu: Gpu, chunks: readonly TranscodedChunk[], first: number, elementBytes: CodecElementBytes) {
  const most = nextBatchBytes(gpu);
  let [width, rows, slices] = [0, 0, 0];
  let end = first;
  for (; end < chunks.length; end++) {
    const [x, y, z] = (chunks[end] as TranscodedChunk).shape;
    [width, rows, slices] = [Math.max(width, x), Math.max(rows, y), slices + z];
    if (end > first && paddedBoxBytes([width, rows, slices], elementBytes) > most) break;
  }
  return chunks.slice(first, end);
}

async function transcodeBatch(work: Work, batch: readonly TranscodedChunk[], call: KernelCall): Promise<StoredChunk[]> {
  const { gpu, owner, elementBytes, planner, encoder } = work;
  const { scope, signal } = call;
  const payloads = batch.map(({ chunk }) => chunk.payload);
  const { buffer, byteOffsets, byteLengths } = await uploadPayloads(gpu, scope, payloads);
  const shapes = batch.map(({ shape }) => shape);
  const box = stackedBox(scope, shapes, elementBytes);
  const planned = batch.map(({ chunk, shape, number }, i): PlannedChunk => {
    const place = { buffer, byteOffset: byteOffsets[i] as number, byteLength: byteLengths[i] as number };
    const stored = inChunk(number, () => ({ kind: 'coded', ...codecOfChunk(chunk, { shape, elementBytes }), ...place }) as const);
    return { ...(box.chunks[i] as (typeof box.chunks)[number]), stored, number };
  });
  const flags = new FaultFlags(scope);
  const plan = planner.planNamed(planned, box.voxels, scope, undefined, flags);
  const commands = gpu.commands('transcode', call.onTimes);
  plan(commands);
  const { wallMs } = await commands.submit();
  batchBytes.set(gpu, batchBytesAfter(batchBytes.get(gpu) ?? firstBatchBytes, wallMs));
  const suspects = await flags.take(gpu);
  const placed = await encoder.encodeInPlace(box, choice, call);
  for (const [i, { chunk, shape, number }] of batch.entries()) {
    const { decodedChecksum } = placed[i] as PlacedChunk;
    inChunk(number, () => {
      if (!sameChecksum(decodedChecksum, chunk.decodedChecksum)) throw mismatch();
    });
    if (!suspects.has(number)) continue;
    await judgeChunk(chunk, shape, elementBytes, signal).catch((error: unknown) => {
      throw inContext(chunkName(number), error);
    });
  }
  const kept = movePlaced(gpu, placed, (byteLength) => owner.storage('payloads', byteLength));
  await gpu.finish();
  return kept.map((chunk, i) => storedChunk(chunk, { shape: shapes[i] as Dims3, elementBytes }));
}

function inChunk<T>(number: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw inContext(chunkName(number), error);
  }
}
