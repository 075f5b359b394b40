import type { EncodedChunk } from '../../format/chunk.ts';
import type { ContainerWriter } from '../../format/container-writer.ts';
import type { LevelHeader } from '../../format/level.ts';
import { bytesOfLevels } from '../../format/level-entries.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import type { SourceDescription } from '../../shared/source.ts';
import type { EncodedRun, LevelMaker } from './level-maker.ts';

/** How much of a file levels may take. */
export interface LevelLimits {
  /** Of the file. The finest levels are left out until the others take no more; the coarsest one is kept. 100: all are kept. */
  readonly percent: number;
  /** Runs of levels are held in memory up to this size, until it is decided which levels are kept. */
  readonly heldBytes: number;
}

/** Of a file that holds the volume, too. docs/FORMAT.md, 'Levels'. */
const usualLimits: LevelLimits = { percent: 15, heldBytes: 2 ** 26 };

/** Of a file of levels beside a plain one. */
export const allLevels: LevelLimits = { percent: 100, heldBytes: 0 };

/** The levels of a file. */
export interface LevelCounts {
  readonly levelCount: number;
  /** How many levels the file lacks because they would take too much of it, the finest ones. */
  readonly leftOutCount: number;
  /** The size of the levels in the file. */
  readonly levelBytes: number;
}

export const noLevels: LevelCounts = { levelCount: 0, leftOutCount: 0, levelBytes: 0 };

/** What a chunk counts for besides its payload. */
const heldPerChunk = 128;

/**
 * Writes a volume's chunks and its levels, and decides which levels the file keeps. Runs of levels are held until the volume ends or
 * they exceed a size. The bytes of the file depend neither on how chunks are cut into calls nor on how early runs are encoded.
 */
export class LeveledWriter {
  readonly #writer: ContainerWriter;
  readonly #maker: Pick<LevelMaker, 'stack' | 'leaveOut'>;
  readonly #limits: LevelLimits;
  readonly #levelCount: number;
  /** The finest levels, which the file does not get. */
  #leftOut = 0;
  /** Undefined once it is decided which levels are kept. */
  #held: EncodedRun[] | undefined;
  #heldBytes = 0;

  constructor(
    writer: ContainerWriter,
    maker: Pick<LevelMaker, 'stack' | 'leaveOut'>,
    limits = writer.header.levelsOf ? allLevels : usualLimits,
  ) {
    this.#writer = writer;
    this.#maker = maker;
    this.#limits = limits;
    this.#levelCount = maker.stack.headers.length;
    this.#held = limits.percent < 100 ? [] : undefined;
  }

  /**
   * Writes consecutive chunks of the volume, and takes the runs of levels that are due up to the last of them, in order. Nothing of them
   * is needed afterwards. @throws StriaError `internal` out of order, `not-writable`
   */
  async write(first: number, chunks: readonly EncodedChunk[], runs: readonly EncodedRun[]): Promise<void> {
    let next = first;
    const writeTo = async (end: number) => {
      if (end > next) await this.#writer.chunks(next, chunks.slice(next - first, end - first));
      next = Math.max(next, end);
    };
    for (const run of runs) {
      if (this.#isLeftOut(run) || this.#hold(run)) continue;
      await writeTo(run.due);
      this.#choose(run);
      if (this.#isLeftOut(run) || this.#hold(run)) continue;
      await this.#writeHeld();
      await this.#writeRun(run);
    }
    await writeTo(first + chunks.length);
  }

  /** Writes the rest of the file, after all chunks of the volume. @throws StriaError as `ContainerWriter.finish`; `aborted` */
  async finish(source: SourceDescription, { signal }: JobOptions): Promise<LevelCounts> {
    this.#choose();
    await this.#writeHeld(signal);
    const kept = this.#maker.stack.headers.slice(this.#leftOut);
    await this.#writer.finish(
      source,
      kept.map((header, at): LevelHeader => ({ ...header, number: at + 1 })),
    );
    return { levelCount: kept.length, leftOutCount: this.#leftOut, levelBytes: this.#writer.levelBytes };
  }

  #isLeftOut({ level }: EncodedRun): boolean {
    return level <= this.#leftOut;
  }

  /** @returns whether the run is held, because there is room for it */
  #hold(run: EncodedRun): boolean {
    const bytes = heldBytes(run);
    if (!this.#held || this.#heldBytes + bytes > this.#limits.heldBytes) return false;
    this.#held.push({ ...run, chunks: copiesOf(run.chunks) });
    this.#heldBytes += bytes;
    return true;
  }

  /** Leaves out the finest levels until the others are small enough, at this place of the file. @param run one that is not held */
  #choose(run?: EncodedRun): void {
    if (!this.#held) return;
    const runs = run ? [...this.#held, run] : this.#held;
    for (; this.#leftOut + 1 < this.#levelCount; this.#leftOut++) {
      const levels = bytesOfLevels(runs.filter((one) => !this.#isLeftOut(one)));
      if (100 * levels <= this.#limits.percent * (this.#writer.bytesWritten + levels)) break;
    }
    this.#held = this.#held.filter((one) => !this.#isLeftOut(one));
    this.#heldBytes = this.#held.reduce((sum, one) => sum + heldBytes(one), 0);
    this.#maker.leaveOut(this.#leftOut);
  }

  /** From now on no level is left out. */
  async #writeHeld(signal?: AbortSignal): Promise<void> {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (let run = held.shift(); run; run = held.shift()) {
      throwIfAborted(signal);
      await this.#writeRun(run);
    }
  }

  async #writeRun({ level, firstChunk, chunks }: EncodedRun): Promise<void> {
    await this.#writer.levelChunks(level - this.#leftOut, firstChunk, chunks);
  }
}

function heldBytes({ chunks }: EncodedRun): number {
  return chunks.reduce((sum, chunk) => sum + heldPerChunk + (chunk.kind === 'coded' ? chunk.payload.byteLength : 0), 0);
}

/** Chunks whose bytes are not in memory of the backend. */
function copiesOf(chunks: readonly EncodedChunk[]): EncodedChunk[] {
  const bytesOf = (chunk: EncodedChunk) => (chunk.kind === 'coded' ? chunk.payload : chunk.element);
  // In one piece: thousands of small buffers would take more memory than their bytes.
  const copies = new Uint8Array(chunks.reduce((sum, chunk) => sum + bytesOf(chunk).byteLength, 0));
  let end = 0;
  return chunks.map((chunk) => {
    const bytes = bytesOf(chunk);
    const copy = copies.subarray(end, end + bytes.byteLength);
    copy.set(bytes);
    end += bytes.byteLength;
    return chunk.kind === 'coded' ? { ...chunk, payload: copy } : { ...chunk, element: copy };
  });
}
