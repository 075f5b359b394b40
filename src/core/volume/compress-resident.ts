import type { Backend, BackendJob, EncodeChoice, NumberedBox } from '../chunks/backend.ts';
import { type ChunkShare, ChunkTally } from '../chunks/chunk-tally.ts';
import { bytesOfChunks } from '../codec/batch.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { ChunkShape } from '../format/chunk-grid.ts';
import { ContainerWriter } from '../format/container-writer.ts';
import type { GpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { paddedBoxBytes } from '../gpu-chunks/gpu-chunks.ts';
import type { ByteSink } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { isWorthDeflating, type SourceDescription } from '../shared/source.ts';
import { volumeBytes } from '../shared/volume.ts';
import { type LevelChoice, LevelMaker } from '../stream/level-maker.ts';
import { LeveledCopy } from '../stream/leveled-copy.ts';
import { KernelClock, type KernelTimes, type StageSpan, Stopwatch } from '../stream/stage-times.ts';
import type { VolumeSource } from './volume-source.ts';

/** A volume in GPU memory, with the information needed to write it. */
export interface Compressible {
  readonly kept: Pick<VolumeSource, 'info' | 'forEachBox'>;
  readonly source: SourceDescription;
  readonly chunkShape: ChunkShape;
}

/** The time of one part of the work: of its kernels, and by the host's clock. */
export interface PartTimes {
  readonly kernels: KernelTimes | undefined;
  readonly wallMs: number;
}

export interface CompressedResident {
  /** In order of their numbers. */
  readonly chunks: readonly EncodedChunk[];
  readonly shares: readonly ChunkShare[];
  /** Size of the .stria file. */
  readonly bytesOut: number;
  /** Bytes of the voxels with padded rows, as in GPU memory. */
  readonly paddedBytes: number;
  readonly encode: PartTimes;
  /** Undefined if the check was not requested. */
  readonly check: PartTimes | undefined;
  readonly timeline: readonly StageSpan<Stage>[];
}

const stages = ['Analyse', 'Encode', 'Read back', 'Check', 'Measure'] as const;
type Stage = (typeof stages)[number];

/**
 * Encodes a volume in GPU memory. Then decodes all of it there and compares every bit, unless `check` is false. A volume that is
 * kept compressed is decoded box by box before it is encoded.
 * @param options `check`, and memory for the payloads as in `BackendJob`
 * @throws StriaError `internal` if any bit differs; the compressed bytes are then discarded
 */
export async function compressResident(
  backend: GpuBackend,
  volume: Compressible,
  choice: EncodeChoice,
  { check = true, allocate, ...job }: JobOptions & Pick<BackendJob, 'allocate'> & { readonly check?: boolean },
): Promise<CompressedResident> {
  const { kept } = volume;
  const stopwatch = new Stopwatch(stages);
  let paddedBytes = 0;
  const encodeClock = new KernelClock();
  const chunks: EncodedChunk[] = [];
  const encodeMs = await overBoxes('Compressing', kept, job, async (box, options) => {
    paddedBytes += paddedBoxBytes(box.voxels.dims, box.voxels.elementBytes);
    const encode = () =>
      backend.encodeResident(box, choice, {
        ...options,
        allocate,
        onTimes: encodeClock.onTimes,
        onSpan: (stage, ...span) => stage in spanNames && stopwatch.add(spanNames[stage as keyof typeof spanNames], ...span),
      });
    const encoded = await stopwatch.time('Encode', encode, boxBytes(box));
    box.chunkNumbers.forEach((number, index) => {
      chunks[number] = encoded.chunks[index] as EncodedChunk;
    });
  });
  const checked = check ? await checkChunks(backend, kept, chunks, stopwatch, job) : undefined;

  const tally = new ChunkTally();
  for (const chunk of chunks) tally.addChunk(chunk);
  const bytesOut = await stopwatch.time('Measure', () => writeContainer(undefined, volume, chunks, { signal: job.signal }));
  return {
    chunks,
    shares: tally.shares(),
    bytesOut,
    paddedBytes,
    encode: { kernels: encodeClock.times(), wallMs: encodeMs },
    check: checked,
    timeline: stopwatch.timeline(),
  };
}

async function checkChunks(
  backend: GpuBackend,
  kept: Compressible['kept'],
  chunks: readonly EncodedChunk[],
  stopwatch: Stopwatch<Stage>,
  job: JobOptions,
): Promise<PartTimes> {
  const clock = new KernelClock();
  let differingWords = 0;
  const wallMs = await overBoxes('Checking', kept, job, async (box, options) => {
    const inBox = box.chunkNumbers.map((number) => chunks[number] as EncodedChunk);
    const check = () => backend.checkResident(box, inBox, { ...options, onTimes: clock.onTimes });
    const checked = await stopwatch.time('Check', check, boxBytes(box));
    differingWords += checked.differingWords;
  });
  if (differingWords > 0) {
    throw new StriaError('internal', `${differingWords} words differ after decoding on the GPU; the result was discarded`);
  }
  return { kernels: clock.times(), wallMs };
}

const spanNames = { analyze: 'Analyse', readback: 'Read back' } as const;

function boxBytes({ voxels, chunks }: NumberedBox): number {
  return bytesOfChunks(chunks, voxels.elementBytes);
}

/** The backend that computes the levels of a file, and its settings, as in `CompressSettings`. */
export interface FileLevels {
  readonly backend: Backend;
  readonly choice: EncodeChoice;
  readonly levels?: LevelChoice;
}

/**
 * Writes compressed chunks as a .stria file. Does not close the sink. Resolves with the bytes written.
 * @param sink undefined to count the bytes of the file without levels
 * @param making how to compute levels, for which the chunks are decoded. Default: no levels
 */
export async function writeContainer(
  sink: ByteSink | undefined,
  { kept, source, chunkShape }: Compressible,
  chunks: readonly EncodedChunk[],
  { signal, onProgress }: JobOptions,
  making?: FileLevels,
): Promise<number> {
  const { format: sourceFormat, stored } = source;
  const deflatesSource = isWorthDeflating(sourceFormat, source.parts);
  const header = { volume: kept.info, chunkShape, sourceFormat, stored, deflatesSource };
  const writer = await ContainerWriter.create(sink, header);
  const total = chunks.reduce((sum, chunk) => sum + (chunk.kind === 'coded' ? chunk.payload.byteLength : 0), 0);
  const maker = making && LevelMaker.create(kept.info, chunkShape, making.backend, making.choice, making.levels);
  const copy = maker && making && new LeveledCopy(writer, maker, making.backend, { signal });
  try {
    for (let first = 0; first < chunks.length; first += chunksAtOnce) {
      throwIfAborted(signal);
      const some = chunks.slice(first, first + chunksAtOnce);
      if (copy) await copy.add(some);
      else await writer.chunks(first, some);
      onProgress?.({ stage: 'Saving', done: Math.min(writer.bytesWritten, total), total });
    }
    if (copy) await copy.finish(source);
    else await writer.finish(source);
  } finally {
    await copy?.close();
  }
  return writer.bytesWritten;
}

/** The number of chunks per write. */
const chunksAtOnce = 32;

/** Runs work box by box, with progress over all boxes. Resolves with the duration in milliseconds. */
async function overBoxes(
  stage: string,
  kept: Compressible['kept'],
  { signal, onProgress }: JobOptions,
  work: (box: NumberedBox, options: JobOptions) => Promise<void>,
): Promise<number> {
  const total = volumeBytes(kept.info);
  const start = performance.now();
  let before = 0;
  onProgress?.({ stage, done: 0, total });
  await kept.forEachBox(async (box) => {
    throwIfAborted(signal);
    let inBox = 0;
    await work(box, {
      signal,
      onProgress: ({ done }) => {
        inBox = done;
        onProgress?.({ stage, done: before + done, total });
      },
    });
    before += inBox;
  });
  return performance.now() - start;
}
