import type { Backend, DeviceReport } from '../chunks/backend.ts';
import { type ChunkPlace, placeOf } from '../chunks/chunk-place.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { type ChunkGrid, codecElementBytes } from '../format/chunk-grid.ts';
import type { ContainerReader } from '../format/container-reader.ts';
import { checkPictures } from '../io/pictures/check-pictures.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { inContext, type StriaError, toStriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { volumeBytes } from '../shared/volume.ts';
import { maxBoxBytes, slabTargetBytes } from './pipeline.ts';
import { boxesOf, ReusedBytes, type SlabBox, slabsOf } from './slabs.ts';
import { gigabytesPerSecond, KernelClock, type KernelTimes, Stopwatch } from './stage-times.ts';

/** A damaged chunk: where it lies, and what is wrong. */
export interface DamagedChunk extends ChunkPlace {
  readonly message: string;
}

export interface VerifyReport {
  /** Every chunk was decoded and matched its checksums, and nothing else is wrong. */
  readonly sound: boolean;
  readonly chunkCount: number;
  readonly damagedCount: number;
  /** The first `maxListed` of them, in order. */
  readonly damaged: readonly DamagedChunk[];
  /** What is wrong beside chunks, in sentences. */
  readonly problems: readonly string[];
  readonly voxelBytes: number;
  readonly timesMs: Readonly<Record<'read' | 'decode' | 'total', number>>;
  /** Undefined on the CPU. */
  readonly kernelTimes?: KernelTimes | undefined;
  readonly device: DeviceReport;
  readonly gigabytesPerSecond: number;
}

/** So many damaged or lost chunks are listed by name at most. */
export const maxListed = 1000;

/**
 * Decodes every chunk and checks all that can be checked, so that what is sound can be decompressed. Damage is reported, not
 * thrown.
 * @throws StriaError `not-readable`, `device-lost`, `aborted` …: whatever is not damage of the file
 */
export async function verifyContainer(
  container: ContainerReader,
  { backend }: { readonly backend: Backend },
  job: JobOptions = {},
): Promise<VerifyReport> {
  const { grid, header } = container;
  const elementBytes = codecElementBytes(header.volume.type);
  const voxelBytes = volumeBytes(header.volume);
  const stopwatch = new Stopwatch(['read', 'decode']);
  const clock = new KernelClock();
  const damage = new DamageList(grid, header.volume.type);
  const scratch = new ReusedBytes();
  const slabBytes = Math.min(backend.maxBoxBytes, slabTargetBytes);
  const problems = new Problems();
  const pictures = await problems.catch(async () => checkPictures(header.volume, await container.sourceDescription(job)));
  let done = 0;
  for (const slab of slabsOf(grid, elementBytes, slabBytes)) {
    for (const box of boxesOf(slab, elementBytes, Math.min(backend.maxBoxBytes, maxBoxBytes))) {
      throwIfAborted(job.signal);
      for (const part of await stopwatch.time('read', () => readWhole(container, box, damage, job))) {
        const bytes = scratch.take(part.dims[0] * part.dims[1] * part.dims[2] * elementBytes);
        await stopwatch.time('decode', () =>
          backend.decode(
            part.encoded,
            part.chunks,
            { bytes, dims: part.dims, elementBytes },
            {
              signal: job.signal,
              onTimes: clock.onTimes,
              firstChunk: part.firstChunk,
              onDamage: (number, fault) => damage.add(number, fault),
            },
          ),
        );
        // Of a damaged chunk the samples mean nothing, and it is reported anyway.
        if (pictures && damage.count === 0) await problems.catch(async () => pictures.checkSamples(bytes));
      }
      done += box.dims[0] * box.dims[1] * box.dims[2] * elementBytes;
      job.onProgress?.({ stage: 'Verifying', done, total: voxelBytes });
    }
  }
  // Damage of a chunk's own record is known by now.
  await problems.catch(
    () => container.checkRecords({ signal: job.signal }),
    (fault) => damage.count === 0 || fault.tag !== 'corrupt',
  );
  const timesMs = stopwatch.times();
  return {
    sound: damage.count === 0 && problems.sentences.length === 0,
    chunkCount: grid.count,
    damagedCount: damage.count,
    damaged: damage.list,
    problems: problems.sentences,
    voxelBytes,
    timesMs,
    kernelTimes: clock.times(),
    device: backend.device,
    gigabytesPerSecond: gigabytesPerSecond(voxelBytes, timesMs.total),
  };
}

/** The chunks of a box, read; a box with a damaged chunk comes in boxes of one chunk each, without it. */
async function readWhole(
  container: ContainerReader,
  box: SlabBox,
  damage: DamageList,
  job: JobOptions,
): Promise<(SlabBox & { readonly encoded: readonly EncodedChunk[] })[]> {
  const options = { signal: job.signal };
  try {
    return [{ ...box, encoded: await container.readChunks(box.firstChunk, box.chunks.length, options) }];
  } catch (error) {
    if (toStriaError(error).tag !== 'corrupt') throw error;
  }
  const whole = [];
  for (const [at, { shape }] of box.chunks.entries()) {
    const firstChunk = box.firstChunk + at;
    try {
      const encoded = [await container.readChunk(firstChunk, options)];
      whole.push({ ...box, firstChunk, dims: shape, chunks: [{ origin: [0, 0, 0] as const, shape }], encoded });
    } catch (error) {
      const fault = toStriaError(error);
      if (fault.tag !== 'corrupt') throw fault;
      damage.add(firstChunk, fault);
    }
  }
  return whole;
}

/** What is wrong beside chunks, each once. */
class Problems {
  readonly #sentences = new Set<string>();

  get sentences(): readonly string[] {
    return [...this.#sentences];
  }

  /** What `check` returns; undefined where it finds fault with the file, which is kept if it `counts`. */
  async catch<T>(check: () => Promise<T>, counts: (fault: StriaError) => boolean = () => true): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      const fault = toStriaError(error);
      if (fault.tag !== 'corrupt' && fault.tag !== 'unsupported') throw fault;
      if (counts(fault)) this.#sentences.add(fault.fullMessage);
      return undefined;
    }
  }
}

class DamageList {
  readonly #list: DamagedChunk[] = [];
  readonly #grid: ChunkGrid;
  readonly #type: ContainerReader['header']['volume']['type'];
  count = 0;

  constructor(grid: ChunkGrid, type: ContainerReader['header']['volume']['type']) {
    this.#grid = grid;
    this.#type = type;
  }

  /** By number: devices find damage in another order. */
  get list(): readonly DamagedChunk[] {
    return this.#list.toSorted((a, b) => a.chunk - b.chunk);
  }

  add(number: number, fault: StriaError): void {
    this.count++;
    if (this.#list.length >= maxListed) return;
    const where = chunkName(number);
    const { fullMessage } = fault.context[0] === where ? fault : inContext(where, fault);
    this.#list.push({ ...placeOf(this.#grid, this.#type, number), message: fullMessage });
  }
}
