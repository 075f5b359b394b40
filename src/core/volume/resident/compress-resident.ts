import type { Backend, BackendJob, EncodeChoice, NumberedBox } from '../../chunks/backend.ts';
import { type ChunkShare, ChunkTally } from '../../chunks/chunk-tally.ts';
import { bytesOfChunks } from '../../codec/batch.ts';
import type { ChunkOutline, EncodedChunk } from '../../format/chunk.ts';
import type { ChunkShape } from '../../format/chunk-grid.ts';
import { ContainerWriter } from '../../format/container-writer.ts';
import type { GpuBackend } from '../../gpu-chunks/gpu-backend.ts';
import { paddedBoxBytes } from '../../gpu-chunks/gpu-chunks.ts';
import type { ByteSink } from '../../shared/bytes.ts';
import { StriaError, toStriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { isWorthDeflating, type SourceDescription } from '../../shared/source.ts';
import { volumeBytes } from '../../shared/volume.ts';
import type { LevelChoice } from '../../stream/levels/level-choice.ts';
import { LevelMaker } from '../../stream/levels/level-maker.ts';
import { LeveledCopy } from '../../stream/levels/leveled-copy.ts';
import { KernelClock, type KernelTimes, type StageSpan, Stopwatch } from '../../stream/stage-times.ts';
import { Payloads } from '../payloads.ts';
import type { VolumeSource } from '../volume-source.ts';

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
  /** The compressed chunks. The caller reads them back or releases them. */
  readonly payloads: Payloads;
  readonly shares: readonly ChunkShare[];
  /** Size of the .stria file. */
  readonly bytesOut: number;
  /** Bytes of the voxels with padded rows, as in GPU memory. */
  readonly paddedBytes: number;
  readonly encode: PartTimes;
  /** Undefined if the check was not requested. */
  readonly check: PartTimes | undefined;
  readonly timeline: readonly StageSpan<Stage>[];
  /** When the timeline begins, by `performance.now()`. */
  readonly startMs: number;
}

export interface CompressResidentOptions extends JobOptions {
  /** Whether all voxels are decoded again and compared. Default: true. */
  readonly check?: boolean | undefined;
  /** How many bytes of payloads may be in GPU memory. If there are more, they are read back part by part. Default: 256 MiB. */
  readonly keptBytes?: number | undefined;
  /** Parts of the volume are at least this large. Default: 128 MiB, as much as is encoded in one batch. */
  readonly leastPartBytes?: number | undefined;
}

const stages = ['Analyse', 'Encode', 'Read back', 'Check', 'Measure'] as const;
type Stage = (typeof stages)[number];

/**
 * Encodes a volume in GPU memory, and leaves the payloads there. Then decodes all of it there and compares every bit, unless `check` is
 * false. A volume that is kept compressed is decoded box by box before it is encoded.
 * @throws StriaError `internal` if any bit differs; the compressed bytes are then discarded
 */
export async function compressResident(
  backend: GpuBackend,
  volume: Compressible,
  choice: EncodeChoice,
  { check = true, keptBytes = 2 ** 28, leastPartBytes = 2 ** 27, signal, onProgress }: CompressResidentOptions,
): Promise<CompressedResident> {
  const { info } = volume.kept;
  const startMs = performance.now();
  const stopwatch = new Stopwatch(stages);
  const [encoding, checking] = [new PartClock(), new PartClock()];
  const payloads = new Payloads();
  let [paddedBytes, differingWords, before] = [0, 0, 0];
  const total = volumeBytes(info);
  const jobOf = (stage: string, clock: PartClock): BackendJob => ({
    signal,
    onProgress: ({ done }) => onProgress?.({ stage, done: before + done, total }),
    onTimes: clock.kernels.onTimes,
  });
  const encodeJob: BackendJob = {
    ...jobOf('Compressing', encoding),
    onSpan: (stage, ...span) => stage === 'analyze' && stopwatch.add('Analyse', ...span),
  };
  const makeRoom = () => stopwatch.time('Read back', () => payloads.makeRoom({ signal }), payloads.bytesInGpu);
  const encode = async (box: NumberedBox) => {
    try {
      return await backend.encodeKept(box, choice, encodeJob);
    } catch (error) {
      if (toStriaError(error).tag !== 'out-of-memory' || payloads.bytesInGpu === 0) throw error;
      await makeRoom();
      return await backend.encodeKept(box, choice, encodeJob);
    }
  };
  try {
    onProgress?.({ stage: 'Compressing', done: 0, total });
    await volume.kept.forEachBox(async (box) => {
      paddedBytes += paddedBoxBytes(box.voxels.dims, box.voxels.elementBytes);
      for (const part of partsOf(box, Math.max(keptBytes, leastPartBytes))) {
        throwIfAborted(signal);
        const bytes = bytesOfChunks(part.chunks, part.voxels.elementBytes);
        const kept = await encoding.time(() => stopwatch.time('Encode', () => encode(part), bytes));
        payloads.add(part.chunkNumbers, kept);
        if (check) {
          const checkPart = () => backend.checkKept(part, kept, jobOf('Checking', checking));
          differingWords += (await checking.time(() => stopwatch.time('Check', checkPart, bytes))).differingWords;
        }
        before += bytes;
        if (payloads.bytesInGpu > keptBytes) await makeRoom();
      }
    });
    if (differingWords > 0) {
      throw new StriaError('internal', `${differingWords} words differ after decoding on the GPU; the result was discarded`);
    }
    const tally = new ChunkTally();
    for (const chunk of payloads.outlines) tally.addChunk(chunk);
    const bytesOut = await stopwatch.time('Measure', () => containerBytes(volume, payloads.outlines));
    return {
      payloads,
      shares: tally.shares(),
      bytesOut,
      paddedBytes,
      encode: encoding.times(),
      check: check ? checking.times() : undefined,
      timeline: stopwatch.timeline(),
      startMs,
    };
  } catch (error) {
    payloads.release();
    throw error;
  }
}

/**
 * Cuts a box into parts of at most `mostBytes` of voxels, at least one chunk each. A box may be as large as the device can bind, and its
 * payloads nearly as large as its voxels.
 */
function partsOf({ voxels, chunks, chunkNumbers }: NumberedBox, mostBytes: number): NumberedBox[] {
  const parts: NumberedBox[] = [];
  for (let first = 0, end = 0; first < chunks.length; first = end) {
    for (let bytes = 0; end < chunks.length; end++) {
      bytes += bytesOfChunks(chunks.slice(end, end + 1), voxels.elementBytes);
      if (end > first && bytes > mostBytes) break;
    }
    parts.push({ voxels, chunks: chunks.slice(first, end), chunkNumbers: chunkNumbers.slice(first, end) });
  }
  return parts;
}

/** Times one part of the work. */
class PartClock {
  readonly kernels = new KernelClock();
  #wallMs = 0;

  async time<T>(work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.#wallMs += performance.now() - start;
    }
  }

  times(): PartTimes {
    return { kernels: this.kernels.times(), wallMs: this.#wallMs };
  }
}

/** The size of the .stria file, without levels. */
async function containerBytes(volume: Compressible, chunks: readonly ChunkOutline[]): Promise<number> {
  const writer = await createWriter(undefined, volume);
  await writer.countChunks(0, chunks);
  await writer.finish(volume.source);
  return writer.bytesWritten;
}

function createWriter(sink: ByteSink | undefined, { kept, source, chunkShape }: Compressible): Promise<ContainerWriter> {
  const { format: sourceFormat, stored } = source;
  const deflatesSource = isWorthDeflating(sourceFormat, source.parts);
  return ContainerWriter.create(sink, { volume: kept.info, chunkShape, sourceFormat, stored, deflatesSource });
}

/** The backend that computes the levels of a file, and its settings, as in `CompressSettings`. */
export interface FileLevels {
  readonly backend: Backend;
  readonly choice: EncodeChoice;
  readonly levels?: LevelChoice;
}

/**
 * Writes compressed chunks as a .stria file. Does not close the sink. Resolves with the bytes written.
 * @param making how to compute levels, for which the chunks are decoded. Default: no levels
 */
export async function writeContainer(
  sink: ByteSink,
  volume: Compressible,
  chunks: readonly EncodedChunk[],
  { signal, onProgress }: JobOptions,
  making?: FileLevels,
): Promise<number> {
  const { kept, source, chunkShape } = volume;
  const writer = await createWriter(sink, volume);
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
