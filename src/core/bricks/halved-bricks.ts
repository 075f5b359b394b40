import { chunkBytes } from '../codec/batch.ts';
import type { HalveTask, TaskPool } from '../cpu/cpu-task.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import type { ContainerReader } from '../format/container-reader.ts';
import { constantElement, isSameElement } from '../left-out/halve-blocks.ts';
import { type LeftOutLevel, leftOutLevels } from '../left-out/left-out-levels.ts';
import { type BlockPart, LevelBlocks } from '../left-out/level-blocks.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { inContext, StriaError, toStriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { mapOnto } from '../shared/lanes.ts';
import type { VolumeInfo } from '../shared/volume.ts';
import type { Brick } from './brick.ts';
import type { BrickLevel, BrickPlace, BrickSource } from './brick-source.ts';
import { ContainerBricks } from './container-bricks.ts';

/** Chunks of the volume that are held at once for one read of bricks, and their records; more only if a single brick needs them. */
const [mostChunks, mostRecordBytes] = [2 ** 12, 2 ** 24];
/** Records at most this far apart are read together, up to a length. A server takes a while to answer, so some reads run at once. */
const [gapBytes, joinedBytes] = [2 ** 16, 2 ** 22];
const readsAtOnce = [0, 1, 2, 3];

interface MadeLevel extends LeftOutLevel {
  readonly blocks: LevelBlocks;
}

/** A brick to be made, and the chunks of the volume that it needs. */
interface Making {
  readonly level: MadeLevel;
  readonly number: number;
  readonly blocks: readonly { readonly number: number; readonly parts: readonly BlockPart[] }[];
  readonly chunkCount: number;
  readonly recordBytes: number;
}

/**
 * The bricks of a container at all its levels, also those that are finer than the first stored one. Such a brick is made of the chunks of
 * the volume that it covers, and encoded again, so that it goes to the GPU like any other.
 */
export class HalvedBricks implements BrickSource {
  readonly info: VolumeInfo;
  readonly levels: readonly BrickLevel[];
  readonly #file: BrickSource;
  readonly #leftOut: readonly MadeLevel[];
  readonly #pool: TaskPool;

  private constructor(file: BrickSource, leftOut: readonly LeftOutLevel[], pool: TaskPool) {
    this.info = file.info;
    const [volume, ...stored] = file.levels as [BrickLevel, ...BrickLevel[]];
    this.levels = [volume, ...leftOut, ...stored];
    this.#file = file;
    this.#leftOut = leftOut.map((level) => ({ ...level, blocks: new LevelBlocks(volume.grid, level, file.info.type) }));
    this.#pool = pool;
  }

  /** The bricks of the file alone if it leaves no level out. @param pool makes bricks @throws StriaError as `ContainerBricks.open` */
  static async open(reader: ContainerReader, pool: TaskPool, options?: JobOptions): Promise<BrickSource> {
    const file = await ContainerBricks.open(reader, options);
    const [first] = await reader.levels(options);
    const leftOut = leftOutLevels(reader.header, first?.level);
    return leftOut.length > 0 ? new HalvedBricks(file, leftOut, pool) : file;
  }

  /** The payload of a brick that is to be made is not known, but it is no longer than the brick's voxels. */
  place({ level, number }: Brick): BrickPlace {
    const leftOut = this.#leftOut[level - 1];
    if (!leftOut) return this.#file.place({ level: this.#levelInFile(level), number });
    return {
      payloadBytes: chunkBytes({ shape: leftOut.grid.box(number).shape, elementBytes: codecElementBytes(this.info.type) }),
    };
  }

  async read(bricks: readonly Brick[], options: JobOptions = {}): Promise<readonly (EncodedChunk | StriaError)[]> {
    const level = bricks[0]?.level ?? 0;
    const leftOut = this.#leftOut[level - 1];
    if (!leftOut) {
      const inFile = this.#levelInFile(level);
      return this.#file.read(
        bricks.map(({ number }) => ({ level: inFile, number })),
        options,
      );
    }
    const made: (EncodedChunk | StriaError)[] = [];
    for (const together of this.#batches(leftOut, bricks)) {
      throwIfAborted(options.signal);
      const chunks = await this.#chunks(together, options);
      made.push(...(await Promise.all(together.map((making) => this.#made(making, chunks, options)))));
    }
    return made;
  }

  /** Plans bricks in batches within the limits, each when the one before is made. */
  *#batches(level: MadeLevel, bricks: readonly Brick[]): Generator<readonly Making[]> {
    let batch: Making[] = [];
    let [count, bytes] = [0, 0];
    for (const { number } of bricks) {
      const making = this.#planned(level, number);
      count += making.chunkCount;
      bytes += making.recordBytes;
      if (batch.length > 0 && (count > mostChunks || bytes > mostRecordBytes)) {
        yield batch;
        batch = [];
        [count, bytes] = [making.chunkCount, making.recordBytes];
      }
      batch.push(making);
    }
    if (batch.length > 0) yield batch;
  }

  #levelInFile(level: number): number {
    return level > 0 ? level - this.#leftOut.length : 0;
  }

  #planned(level: MadeLevel, number: number): Making {
    const blocks = [...level.blocks.within(level.grid.box(number))].map((block) => {
      return { number: block, parts: level.blocks.partsOf(block) };
    });
    let [chunkCount, recordBytes] = [0, 0];
    for (const { parts } of blocks) {
      chunkCount += parts.length;
      for (const part of parts) recordBytes += this.#range(part.number)?.length ?? 0;
    }
    return { level, number, blocks, chunkCount, recordBytes };
  }

  #range(number: number): BrickPlace['range'] {
    return this.#file.place({ level: 0, number }).range;
  }

  /** Reads the chunks of bricks, with as few reads as their places in the file allow. */
  async #chunks(makings: readonly Making[], options: JobOptions): Promise<ReadonlyMap<number, EncodedChunk | StriaError>> {
    const numbers = new Set(makings.flatMap(({ blocks }) => blocks.flatMap(({ parts }) => parts.map(({ number }) => number))));
    const groups = this.#joined([...numbers]);
    const found = new Map<number, EncodedChunk | StriaError>();
    await mapOnto(readsAtOnce, groups, async (_, group) => {
      throwIfAborted(options.signal);
      const bricks = group.map((number) => ({ level: 0, number }));
      const chunks = await this.#file.read(bricks, options).catch((error: unknown) => {
        const fault = toStriaError(error);
        if (fault.tag === 'aborted') throw fault;
        return group.map(() => fault);
      });
      for (const [at, number] of group.entries()) found.set(number, chunks[at] ?? new StriaError('internal', 'it was left out'));
    });
    return found;
  }

  /** Groups chunks whose records lie near each other. Those without records are in the first group. */
  #joined(numbers: readonly number[]): number[][] {
    const placed = numbers.map((number) => ({ number, range: this.#range(number) }));
    placed.sort((a, b) => (a.range?.offset ?? 0) - (b.range?.offset ?? 0));
    const groups: number[][] = [];
    let [start, end] = [0, 0];
    for (const { number, range } of placed) {
      const group = groups.at(-1);
      const last = range ? range.offset + range.length : 0;
      if (group && (!range || (end > 0 && range.offset <= end + gapBytes && last - start <= joinedBytes))) group.push(number);
      else {
        groups.push([number]);
        start = range?.offset ?? 0;
      }
      end = last;
    }
    return groups;
  }

  async #made(
    { level, number, blocks }: Making,
    chunks: ReadonlyMap<number, EncodedChunk | StriaError>,
    { signal }: JobOptions,
  ): Promise<EncodedChunk | StriaError> {
    const filled: HalveTask['blocks'][number][] = [];
    const { origin, shape } = level.grid.box(number);
    for (const block of blocks) {
      const parts: (BlockPart & { readonly chunk: EncodedChunk })[] = [];
      for (const part of block.parts) {
        const chunk = chunks.get(part.number);
        if (!chunk || chunk instanceof StriaError) return inContext(chunkName(part.number), chunk);
        parts.push({ ...part, chunk });
      }
      const place = level.blocks.grid.box(block.number);
      const [x, y, z] = place.origin;
      const to = { origin: [x - origin[0], y - origin[1], z - origin[2]] as const, shape: place.shape };
      filled.push({ shape: level.blocks.shapeOf(block.number), to, parts });
    }
    const { halvings, method } = level;
    const task: HalveTask = { kind: 'halve', type: this.info.type, method, halvings, shape, blocks: filled };
    const constant = constantResult(task);
    if (constant) return constant;
    try {
      // Most blocks of a sparse volume are zeros, as bricks are before blocks are put into them.
      const result = await this.#pool.run({ ...task, blocks: filled.filter((block) => !isZero(block, task)) }, signal);
      if (result.kind !== 'halve') throw new StriaError('internal', 'a thread answered with the result of another task');
      return result.chunk;
    } catch (error) {
      const fault = toStriaError(error);
      if (fault.tag === 'aborted') throw fault;
      return fault;
    }
  }
}

/** The brick of a task with all blocks, if all their chunks are constant; undefined otherwise. Its checksum is not computed. */
function constantResult({ type, blocks }: HalveTask): EncodedChunk | undefined {
  const [first] = blocks;
  const element = first && constantElement(first, type);
  if (!element || !blocks.every((block) => isSameElement(constantElement(block, type), element))) return undefined;
  return { kind: 'constant', element, decodedChecksum: { sum: 0, cross: 0 } };
}

function isZero(block: HalveTask['blocks'][number], { type }: HalveTask): boolean {
  return constantElement(block, type)?.every((byte) => byte === 0) ?? false;
}
