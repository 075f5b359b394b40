import { constantChecksum } from '../../chunks/analyze.ts';
import type { Backend, DeviceReport } from '../../chunks/backend.ts';
import { mismatch } from '../../chunks/choose.ts';
import type { ChunkGeometry } from '../../codec/codec.ts';
import { sameChecksum } from '../../format/checksum.ts';
import type { ConstantChunk } from '../../format/chunk.ts';
import { type ChunkSpan, codecElementBytes } from '../../format/chunk-grid.ts';
import type { ContainerReader } from '../../format/container-reader.ts';
import { ownBytes } from '../../format/part.ts';
import { StriaError, toStriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { type DamagedChunk, DamageList, lostWords } from '../damage-list.ts';
import { gigabytesPerSecond, KernelClock, type KernelTimes, Stopwatch } from '../stage-times.ts';
import { BatchDecoder, type BatchWork } from './batch-decoder.ts';
import { checkSource } from './check-source.ts';

export interface VerifyReport {
  /** Every chunk decoded and matched its checksums, and nothing else is wrong. */
  readonly sound: boolean;
  readonly chunkCount: number;
  readonly damagedCount: number;
  /** Chunks that were already lost in the damaged file from which this one was recovered. Any such chunk makes the file unsound. */
  readonly lostCount: number;
  /** Up to `maxListed` damaged chunks, in order. */
  readonly damaged: readonly DamagedChunk[];
  /** What is wrong apart from chunks, in sentences. */
  readonly problems: readonly string[];
  readonly voxelBytes: number;
  readonly timesMs: Readonly<Record<'read' | 'decode' | 'total', number>>;
  /** Undefined on the CPU. */
  readonly kernelTimes?: KernelTimes | undefined;
  readonly device: DeviceReport;
  readonly gigabytesPerSecond: number;
}

/**
 * Decodes every chunk and checks everything that can be checked, so that a sound file can be decompressed. Damage is reported,
 * not thrown.
 * @throws StriaError `not-readable`, `device-lost`, `aborted` and others that do not concern damage
 */
export async function verifyContainer(
  container: ContainerReader,
  { backend }: { readonly backend: Backend },
  job: JobOptions = {},
): Promise<VerifyReport> {
  const { grid, header } = container;
  const voxelBytes = ownBytes(grid, header.part, codecElementBytes(header.volume.type));
  const stopwatch = new Stopwatch(['read', 'decode']);
  const clock = new KernelClock();
  const damage = new DamageList(grid, header.volume.type);
  const problems = new Problems();
  const pictures = await problems.catch(async () => checkSource(header.volume, await container.sourceDescription(job)));
  const checkSamples = async (bytes: Uint8Array) => {
    // The samples of a damaged chunk mean nothing, and it has already been reported.
    if (pictures && damage.count === 0) await problems.catch(async () => pictures.checkSamples(bytes));
  };
  const decoding = new BatchDecoder(container, backend, {
    stopwatch,
    clock,
    job,
    onDamage: (number, fault) => damage.add(number, fault),
    onDecoded: pictures && checkSamples,
  });
  try {
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
  } finally {
    await decoding.settle();
  }
  await problems.catch(async () => {
    for (const level of await container.levels(job)) await checkLevel(level, backend, problems, { stopwatch, clock, job });
  });
  if (container.lostCount > 0) problems.add(lostWords(container));
  // Damage of a chunk's own record was reported already.
  await problems.catch(
    () => container.checkRecords({ signal: job.signal }),
    (fault) => damage.count === 0 || fault.tag !== 'corrupt',
  );
  const timesMs = stopwatch.times();
  return {
    sound: damage.count === 0 && problems.sentences.length === 0,
    chunkCount: container.ownCount,
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

/** Decodes each chunk of a level. A level with damage is named, not its chunks: it can be made again. */
async function checkLevel(
  level: ContainerReader,
  backend: Backend,
  problems: Problems,
  work: Pick<BatchWork, 'stopwatch' | 'clock' | 'job'>,
): Promise<void> {
  const damage = new DamageList(level.grid, level.header.volume.type);
  const onDamage = (number: number, fault: StriaError) => damage.add(number, fault);
  const decoding = new BatchDecoder(level, backend, { ...work, onDamage });
  try {
    for (const { kind, first, count } of level.spans()) {
      if (kind === 'constant') checkConstants(level, { first, count }, damage);
      else if (kind === 'lost') throw new StriaError('corrupt', `level ${level.level?.number} has lost chunks`);
      else for (let at = 0; at < count; at++) await decoding.add(first + at);
    }
    await decoding.finish();
  } finally {
    await decoding.settle();
  }
  const [worst] = damage.sorted();
  if (!worst) return;
  const chunks = damage.count === 1 ? '1 chunk is' : `${damage.count} chunks are`;
  problems.add(`level ${level.level?.number}: ${chunks} damaged; \`stria levels\` makes the levels again`);
}

/** Constant chunks are not decoded one by one: they have few shapes, and equal chunks of one shape have one checksum. */
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

/** Problems apart from chunks, each once. */
class Problems {
  readonly #sentences = new Set<string>();

  get sentences(): readonly string[] {
    return [...this.#sentences];
  }

  add(sentence: string): void {
    this.#sentences.add(sentence);
  }

  /** Returns what `check` returns. If `check` finds a fault in the file, returns undefined and keeps the fault if it `counts`. */
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
