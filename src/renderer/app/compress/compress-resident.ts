import type { EncodeChoice, NumberedBox } from '../../../core/chunks/backend.ts';
import { ChunkTally } from '../../../core/chunks/chunk-tally.ts';
import { bytesOfChunks } from '../../../core/codec/batch.ts';
import type { EncodedChunk } from '../../../core/format/chunk.ts';
import { type ChunkShape, withTimePoints } from '../../../core/format/chunk-grid.ts';
import { ContainerWriter } from '../../../core/format/container-writer.ts';
import type { GpuBackend } from '../../../core/gpu-chunks/gpu-backend.ts';
import { paddedBoxBytes } from '../../../core/gpu-chunks/gpu-chunks.ts';
import { decodesSlowly } from '../../../core/gpu-chunks/gpu-transcoder.ts';
import type { ByteSink } from '../../../core/shared/bytes.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../../core/shared/job.ts';
import { type SourceDescription, sourceBytes } from '../../../core/shared/source.ts';
import { volumeBytes } from '../../../core/shared/volume.ts';
import { KernelClock, Stopwatch } from '../../../core/stream/stage-times.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { type CompressionResult, stageClock } from '../state/result.ts';

/** A volume in GPU memory, with what is needed to write it. */
export interface Compressible {
  readonly kept: VolumeSource;
  readonly source: SourceDescription;
  readonly chunkShape: ChunkShape;
}

export interface Compressed {
  /** In order of their numbers. */
  readonly chunks: readonly EncodedChunk[];
  readonly result: CompressionResult;
}

/**
 * Encodes a volume in GPU memory, then decodes all of it again there and compares every bit. A volume kept compressed is
 * decoded for this, box by box.
 * @throws StriaError `internal` if any bit differs; the compressed bytes are then discarded
 */
export async function compressResident(
  backend: GpuBackend,
  volume: Compressible,
  choice: EncodeChoice,
  job: JobOptions,
): Promise<Compressed> {
  const { kept } = volume;
  const voxelBytes = volumeBytes(kept.info);
  const stopwatch = new Stopwatch(['Analyse', 'Encode', 'Read back', 'Check', 'Measure']);
  let paddedBytes = 0;
  const encodeClock = new KernelClock();
  const chunks: EncodedChunk[] = [];
  const encodeMs = await overBoxes('Compressing', kept, job, async (box, options) => {
    paddedBytes += paddedBoxBytes(box.voxels.dims, box.voxels.elementBytes);
    const encode = () =>
      backend.encodeResident(box, choice, {
        ...options,
        onTimes: encodeClock.onTimes,
        onSpan: (stage, ...span) => stage in spanNames && stopwatch.add(spanNames[stage as keyof typeof spanNames], ...span),
      });
    const encoded = await stopwatch.time('Encode', encode, boxBytes(box));
    box.chunkNumbers.forEach((number, index) => {
      chunks[number] = encoded.chunks[index] as EncodedChunk;
    });
  });

  const checkClock = new KernelClock();
  let differingWords = 0;
  const checkMs = await overBoxes('Checking', kept, job, async (box, options) => {
    const inBox = box.chunkNumbers.map((number) => chunks[number] as EncodedChunk);
    const check = () => backend.checkResident(box, inBox, { ...options, onTimes: checkClock.onTimes });
    const checked = await stopwatch.time('Check', check, boxBytes(box));
    differingWords += checked.differingWords;
  });
  if (differingWords > 0) {
    throw new StriaError('internal', `${differingWords} words differ after decoding on the GPU; the result was discarded`);
  }

  const tally = new ChunkTally();
  for (const chunk of chunks) tally.addChunk(chunk);
  const bytesOut = await stopwatch.time('Measure', () => writeContainer(nowhere, volume, chunks, { signal: job.signal }));
  return {
    chunks,
    result: {
      bytesIn: sourceBytes(kept.info, volume.source),
      voxelBytes,
      bytesOut,
      shares: tally.shares(),
      encode: stageClock(encodeClock.times(), () => true, encodeMs),
      decode: stageClock(checkClock.times(), (name) => name !== 'check', checkMs),
      isExact: true,
      timeline: stopwatch.timeline(),
      gpuBytes: chunks.some(decodesSlowly)
        ? undefined
        : {
            before: paddedBytes,
            after: chunks.reduce((sum, chunk) => sum + (chunk.kind === 'coded' ? chunk.payload.byteLength : 0), 0),
          },
    },
  };
}

const spanNames = { analyze: 'Analyse', readback: 'Read back' } as const;

function boxBytes({ voxels, chunks }: NumberedBox): number {
  return bytesOfChunks(chunks, voxels.elementBytes);
}

/** Writes compressed chunks as a .stria file. Does not close the sink. Resolves with the bytes written. */
export async function writeContainer(
  sink: ByteSink,
  { kept, source, chunkShape }: Compressible,
  chunks: readonly EncodedChunk[],
  { signal, onProgress }: JobOptions,
): Promise<number> {
  const { format: sourceFormat, stored } = source;
  const header = { volume: kept.info, chunkShape: withTimePoints(chunkShape), sourceFormat, stored };
  const writer = await ContainerWriter.create(sink, header);
  const total = chunks.reduce((sum, chunk) => sum + (chunk.kind === 'coded' ? chunk.payload.byteLength : 0), 0);
  for (const [number, chunk] of chunks.entries()) {
    throwIfAborted(signal);
    await writer.chunk(number, chunk);
    onProgress?.({ stage: 'Saving', done: Math.min(writer.bytesWritten, total), total });
  }
  await writer.finish(source);
  return writer.bytesWritten;
}

/** Counts bytes without keeping them, so that a container's size is known before it is saved. */
const nowhere: ByteSink = { write: async () => {}, close: async () => {}, abort: async () => {} };

/** Runs work box by box with progress over all of them. Resolves with the duration in milliseconds. */
async function overBoxes(
  stage: string,
  kept: VolumeSource,
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
