import type { BackendJob } from '../../chunks/backend.ts';
import { checkChunkShape } from '../../chunks/chunk-shape.ts';
import { ChunkTally } from '../../chunks/chunk-tally.ts';
import { bytesOfChunks } from '../../codec/batch.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { codecElementBytes, withTimePoints } from '../../format/chunk-grid.ts';
import { ContainerWriter } from '../../format/container-writer.ts';
import { ownBytes } from '../../format/part.ts';
import type { OpenVolume } from '../../io/common/volume-reader.ts';
import type { ByteSink } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { useLent } from '../../shared/lent-parts.ts';
import { type SourceDescription, sourceBytes } from '../../shared/source.ts';
import { nextTurn } from '../../shared/turn.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { BoxReader, hasSmallSlabs, type ReadBox, readsFile } from '../box-reader.ts';
import { backendFor, isSoonEncoded } from '../early-start.ts';
import { bytesWithLevels } from '../levels/level-choice.ts';
import { type EncodedRun, LevelMaker } from '../levels/level-maker.ts';
import { LeveledWriter, noLevels } from '../levels/leveled-writer.ts';
import { Beside, writingTo } from '../pipeline.ts';
import { KernelClock, type StageReport, Stopwatch } from '../stage-times.ts';
import { type CompressReport, type CompressSettings, type CompressStage, compressStages } from './compress-contract.ts';
import { planName, planPart } from './part-plan.ts';
import { chooseTimeGroup, shapeFor } from './time-group.ts';

/** After this time, finished chunks are written even if others of their box are not finished. */
const longestWaitMs = 500;

/**
 * Streams a volume into a container, layer by layer, in bounded memory: one layer (at most 256 MiB with the default chunk
 * shape) or two small ones, the time points that chunks interleave (at most 256 MiB), and a few boxes of at most 64 MiB. If
 * backend and file allow it, the backend's threads read the voxels and hold them. The sink is closed once everything is written, or aborted once if anything fails.
 * @throws StriaError of the volume, the backend or the sink; `aborted`
 */
export async function compressVolume(
  volume: OpenVolume,
  sink: ByteSink,
  settings: CompressSettings,
  job: JobOptions = {},
): Promise<CompressReport> {
  const stopwatch = new Stopwatch(compressStages);
  const report = await writingTo([sink], () => compress(volume, sink, settings, stopwatch, job), stopwatch);
  return { ...report, ...stopwatch.report(report.voxelBytes, 'encode') };
}

async function compress(
  input: OpenVolume,
  sink: ByteSink,
  settings: CompressSettings,
  stopwatch: Stopwatch<CompressStage>,
  { signal, onProgress }: JobOptions,
): Promise<Omit<CompressReport, keyof StageReport>> {
  throwIfAborted(signal);
  const { choice, chunkShape, part, timesKernels = true } = settings;
  if (part && settings.levels) {
    throw new StriaError('invalid-input', 'a part holds no levels: `stria merge` makes them when it joins all parts');
  }
  const { volume, timeGroup } = await chooseTimeGroup(input, settings, signal);
  const { info } = volume;
  const elementBytes = codecElementBytes(info.type);
  const shapeOf = (whole: VolumeInfo) => checkChunkShape(whole, chunkShape ?? shapeFor(whole, volume.format, timeGroup));
  const plan = planPart(volume, shapeOf, part);
  const clock = new KernelClock();
  const tally = new ChunkTally();
  const writer = await ContainerWriter.create(sink, { ...plan.container, levelsOf: settings.levelsOf });
  const voxelBytes = ownBytes(writer.grid, writer.header.part, elementBytes);
  const hasLevels = !part && LevelMaker.plan(info, plan.container.chunkShape, settings.levels) !== undefined;
  const backend = await backendFor(settings.backend, async () => {
    const canHalve = !hasLevels || settings.backend.halves?.(info.type) === true;
    const canBegin = canHalve && readsFile(volume, plan.grid, settings.backend) && hasSmallSlabs(plan.grid, elementBytes);
    return canBegin && (await isSoonEncoded(volume, signal));
  });
  // Levels that the file leaves out count, too: they are encoded until that is decided.
  backend.expect?.(hasLevels ? bytesWithLevels(voxelBytes) : voxelBytes);
  const { boxesAtOnce = 1 } = backend;
  const levels = part ? undefined : LevelMaker.create(info, plan.container.chunkShape, backend, choice, settings.levels);
  const leveled = levels && new LeveledWriter(writer, levels, settings.levelLimits);
  await levels?.judge(volume, { signal });
  // The voxels come by here until the backend can halve them.
  const tap = levels && {
    isOpen: () => levels.firstHalving() === undefined,
    take: (bytes: Uint8Array) => levels.take(bytes),
  };
  const boxes = new BoxReader(volume, plan.grid, backend, stopwatch, signal, plan.span, tap);
  const reading = new Beside<ReadBox | undefined>();
  const writing = new Beside<void>();
  const running: RunningBox[] = [];
  let read: ReadBox | undefined;

  /** @param runs those due up to the last chunk */
  const write = (
    firstChunk: number,
    chunks: readonly EncodedChunk[],
    runs: Promise<readonly EncodedRun[]> = Promise.resolve([]),
    release = () => {},
  ): Promise<void> => {
    const work = async (due: readonly EncodedRun[], payloads: readonly Uint8Array[]) => {
      throwIfAborted(signal);
      await useLent(payloads, async () => {
        if (leveled) await leveled.write(firstChunk, chunks, due);
        else await plan.write(writer, firstChunk, chunks);
      });
      for (const chunk of chunks) tally.addChunk(chunk);
    };
    const written = writing.start(async () => {
      const due = await runs;
      const payloads = [chunks, ...due.map((run) => run.chunks)].flatMap(payloadsOf);
      const payloadBytes = payloads.reduce((sum, { byteLength }) => sum + byteLength, 0);
      await stopwatch.time('write', () => work(due, payloads), payloadBytes);
    });
    // Also if an earlier write fails.
    void Promise.allSettled([written, runs]).then(release);
    return written;
  };

  let doneBytes = 0;
  let lastWriteMs = performance.now();
  /** @param earlier ends when the chunks of all earlier boxes are queued for writing or written */
  const encode = async (box: ReadBox, earlier: Promise<unknown>): Promise<EncodedBox> => {
    const { voxels, chunks, firstChunk, release } = box;
    const byteLength = bytesOfChunks(chunks, elementBytes);
    let doneHere = 0;
    /** Whether all chunks before this box's are queued for writing or written. */
    let isNext = false;
    earlier.then(
      () => {
        isNext = true;
      },
      () => {},
    );
    // Finished chunks of a slow codec are written from time to time, so that `recover` finds them if the process is killed.
    let waiting: EncodedChunk[] = [];
    let writtenChunks = 0;
    const writeWaiting = (count: number, runs?: Promise<readonly EncodedRun[]>, releasePayloads?: () => void) => {
      const [first, ready] = [firstChunk + writtenChunks, waiting.splice(0, count)];
      writtenChunks += ready.length;
      lastWriteMs = performance.now();
      return write(first, ready, runs, releasePayloads);
    };
    // Behind a layer, levels may have to be written first.
    const early = () => (levels ? levels.endOfLayer(firstChunk) - firstChunk - writtenChunks : waiting.length);
    const payloads: (() => void)[] = [];
    const releasePayloads = () => {
      for (const one of payloads.splice(0)) one();
    };
    let halved: readonly Uint8Array[] | undefined;
    let releaseHalved = () => {};
    const onHalved = (results: readonly Uint8Array[], release = () => {}) => {
      halved = results;
      releaseHalved = release;
    };
    const options: BackendJob = {
      onChunks: (finished) => {
        waiting.push(...finished);
        if (isNext && performance.now() > lastWriteMs + longestWaitMs && early() > 0) writeWaiting(early());
      },
      lend: (one) => payloads.push(one),
      signal,
      onTimes: timesKernels ? clock.onTimes : undefined,
      onSpan: (...span) => stopwatch.add(...span),
      firstChunk,
      onProgress: ({ done }) => {
        doneBytes += done - doneHere;
        doneHere = done;
        onProgress?.({ stage: 'Compressing', done: doneBytes, total: voxelBytes });
      },
    };
    try {
      const halving = box.isTapped ? undefined : levels?.halvingOf(box);
      const work = async () => {
        const wanted = await halving;
        const job = { ...options, halving: wanted && { ...wanted, onHalved } };
        if ('bytes' in voxels) return backend.encode(voxels, chunks, choice, job);
        if ('encode' in voxels) return voxels.encode(chunks, choice, job);
        return (await backend.encodeFile?.(voxels, chunks, choice, job)) ?? [];
      };
      const encoded = await stopwatch.time('encode', work, byteLength).finally(release);
      doneBytes += byteLength - doneHere;
      doneHere = byteLength;
      await earlier;
      waiting = encoded.slice(writtenChunks);
      if (halving) await levels?.addHalved(box, halved).finally(releaseHalved);
      const runs = levels?.encodeDue(firstChunk, encoded, { signal, lend: options.lend });
      return { written: writeWaiting(waiting.length, runs, releasePayloads) };
    } catch (error) {
      releaseHalved();
      releasePayloads();
      throw error;
    }
  };

  let source: SourceDescription;
  let levelCounts = noLevels;
  try {
    reading.start(() => boxes.next());
    // Here and below, the next read begins before this thread is busy with encoding.
    await nextTurn();
    const { count } = writer.grid;
    const shapes = count > 0 ? [writer.grid.box(0).shape, writer.grid.box(count - 1).shape] : [];
    // Parsing shaders keeps this thread busy, so the first read begins before.
    void boxes.begun.then(() => backend.prepareEncode?.(shapes, elementBytes, choice));
    for (read = await reading.end(); read; read = await reading.end()) {
      throwIfAborted(signal);
      reading.start(() => boxes.next());
      await nextTurn();
      // Besides the boxes that are being encoded, one more may wait to be written.
      if (running.length >= boxesAtOnce) await running.at(-boxesAtOnce)?.encoded;
      if (running.length > boxesAtOnce) await running.shift()?.written;
      throwIfAborted(signal);
      running.push(new RunningBox(encode(read, running.at(-1)?.encoded ?? Promise.resolve())));
      read = undefined;
    }
    for (const { written } of running) await written;
    await boxes.end();
    throwIfAborted(signal);
    source = await volume.source();
    if (part) await writer.skip(writer.grid.count);
    await stopwatch.time('write', async () => {
      const description = plan.describe(source);
      if (leveled) levelCounts = await leveled.finish(description, { signal });
      else await writer.finish(description);
    });
  } finally {
    read?.release();
    // No read, encode or write may be pending when the sink is closed or aborted.
    await Promise.allSettled(running.map(({ written }) => written));
    (await reading.settle())?.release();
    await writing.settle();
    await levels?.close();
    await boxes.close();
  }

  const bytesIn = part ? voxelBytes : sourceBytes(info, source);
  return {
    bytesIn,
    voxelBytes,
    bytesOut: writer.bytesWritten,
    ratio: bytesIn / writer.bytesWritten,
    chunkCount: plan.span.count,
    chunkShape: withTimePoints(plan.container.chunkShape),
    chunks: tally.shares(),
    ...levelCounts,
    ...(part && { part: planName(plan) }),
    kernelTimes: clock.times(),
    device: backend.device,
  };
}

function payloadsOf(chunks: readonly EncodedChunk[]): Uint8Array[] {
  return chunks.flatMap((chunk) => (chunk.kind === 'coded' ? [chunk.payload] : []));
}

interface EncodedBox {
  readonly written: Promise<void>;
}

/** A box that is being encoded and written. */
class RunningBox {
  /** Ends when its chunks are queued for writing. */
  readonly encoded: Promise<EncodedBox>;
  readonly written: Promise<void>;

  constructor(work: Promise<EncodedBox>) {
    this.encoded = work;
    this.written = work.then(({ written }) => written);
    // Whoever awaits it later gets the error.
    this.encoded.catch(() => {});
    this.written.catch(() => {});
  }
}
