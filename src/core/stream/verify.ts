import { constantChecksum } from '../chunks/analyze.ts';
import type { Backend, DeviceReport } from '../chunks/backend.ts';
import { mismatch } from '../chunks/choose.ts';
import type { ChunkGeometry } from '../codec/codec.ts';
import { sameChecksum } from '../format/checksum.ts';
import type { ConstantChunk } from '../format/chunk.ts';
import { type ChunkSpan, codecElementBytes } from '../format/chunk-grid.ts';
import type { ContainerReader } from '../format/container-reader.ts';
import { checkPictures } from '../io/pictures/check-pictures.ts';
import { type StriaError, toStriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { volumeBytes } from '../shared/volume.ts';
import { BatchDecoder } from './batch-decoder.ts';
import { type DamagedChunk, DamageList, lostWords } from './damage-list.ts';
import { gigabytesPerSecond, KernelClock, type KernelTimes, Stopwatch } from './stage-times.ts';

export interface VerifyReport {
  /** Every chunk was decoded and matched its checksums, and nothing else is wrong. */
  readonly sound: boolean;
  readonly chunkCount: number;
  readonly damagedCount: number;
  /** Chunks that were lost before, in the damaged file that this one was recovered from: one is enough not to be sound. */
  readonly lostCount: number;
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
  const voxelBytes = volumeBytes(header.volume);
  const stopwatch = new Stopwatch(['read', 'decode']);
  const clock = new KernelClock();
  const damage = new DamageList(grid, header.volume.type);
  const problems = new Problems();
  const pictures = await problems.catch(async () => checkPictures(header.volume, await container.sourceDescription(job)));
  const checkSamples = async (bytes: Uint8Array) => {
    // Of a damaged chunk the samples mean nothing, and it is reported anyway.
    if (pictures && damage.count === 0) await problems.catch(async () => pictures.checkSamples(bytes));
  };
  const decoding = new BatchDecoder(container, backend, {
    stopwatch,
    clock,
    job,
    onDamage: (number, fault) => damage.add(number, fault),
    onDecoded: checkSamples,
  });
  for (const { kind, first, count } of container.spans()) {
    throwIfAborted(job.signal);
    if (kind === 'constant') {
      checkConstants(container, { first, count }, damage);
      await checkSamples((container.entry(first) as ConstantChunk).element);
    } else if (kind !== 'lost') {
      for (let at = 0; at < count; at++) await decoding.add(first + at);
    }
    job.onProgress?.({ stage: 'Verifying', done: voxelBytes * ((first + count) / grid.count), total: voxelBytes });
  }
  await decoding.finish();
  if (container.lostCount > 0) problems.add(lostWords(container));
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
    lostCount: container.lostCount,
    damaged: damage.sorted(),
    problems: problems.sentences,
    voxelBytes,
    timesMs,
    kernelTimes: clock.times(),
    device: backend.device,
    gigabytesPerSecond: gigabytesPerSecond(voxelBytes, timesMs.total),
  };
}

/** Constant chunks that are alike are not decoded one by one: there are few shapes of chunks, and each has one checksum. */
function checkConstants(container: ContainerReader, { first, count }: ChunkSpan, damage: DamageList): void {
  const { grid } = container;
  const chunk = container.entry(first) as ConstantChunk;
  const elementBytes = codecElementBytes(container.header.volume.type);
  const isRight: boolean[] = [];
  for (let number = first; number < first + count; number++) {
    const kind = grid.shapeKind(number);
    isRight[kind] ??= isConstantOf(chunk, { shape: grid.box(number).shape, elementBytes });
    if (!isRight[kind]) damage.add(number, mismatch());
  }
}

function isConstantOf({ element, decodedChecksum }: ConstantChunk, geometry: ChunkGeometry): boolean {
  return sameChecksum(constantChecksum(element, geometry), decodedChecksum);
}

/** What is wrong beside chunks, each once. */
class Problems {
  readonly #sentences = new Set<string>();

  get sentences(): readonly string[] {
    return [...this.#sentences];
  }

  add(sentence: string): void {
    this.#sentences.add(sentence);
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
