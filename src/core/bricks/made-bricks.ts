import type { EncodedChunk } from '../format/chunk.ts';
import { StriaError, toStriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import type { VolumeInfo } from '../shared/volume.ts';
import type { Brick } from './brick.ts';
import type { BrickLevel, BrickPlace, BrickSource } from './brick-source.ts';

/** The levels of one time point, made from the file. */
export interface MadeLevels {
  readonly timePoint: number;
  /** The level of the volume that `bricks` begins with. Finer ones were not made. */
  readonly firstLevel: number;
  /** Of one time point. Its levels equal those of the volume from `firstLevel` on. */
  readonly bricks: BrickSource;
}

/**
 * The bricks of a file whose levels are made while it is open. Until then, and where they were not made, coarser bricks are what the
 * file's source gives: for a plain file every second voxel, every fourth and so on; for a file of chunks a fault.
 */
export class MadeBricks implements BrickSource {
  readonly info: VolumeInfo;
  readonly levels: readonly BrickLevel[];
  readonly #file: BrickSource;
  readonly #made = new Map<number, MadeLevels>();

  constructor(file: BrickSource) {
    this.info = file.info;
    this.levels = file.levels;
    this.#file = file;
  }

  /** From now on, reads take these levels. */
  add(made: MadeLevels): void {
    this.#made.set(made.timePoint, made);
  }

  /** The levels of a time point are no longer there. */
  drop(timePoint: number): void {
    this.#made.delete(timePoint);
  }

  place(brick: Brick): BrickPlace {
    return this.#file.place(brick);
  }

  async read(bricks: readonly Brick[], options?: JobOptions): Promise<readonly (EncodedChunk | StriaError)[]> {
    const level = bricks[0]?.level ?? 0;
    const perTime = this.levels[level]?.grid.chunksPerTimePoint ?? 1;
    const timePointOf = ({ number }: Brick): number => Math.floor(number / perTime);
    const timePoint = timePointOf(bricks[0] ?? { level, number: 0 });
    const next = bricks.findIndex((brick) => timePointOf(brick) !== timePoint);
    const [here, others] = next < 0 ? [bricks, []] : [bricks.slice(0, next), bricks.slice(next)];
    const made = this.#made.get(timePoint);
    const found =
      made && level >= made.firstLevel
        ? Promise.all(here.map((brick) => this.#readMade(made, brick, perTime, options)))
        : this.#file.read(here, options);
    return (await Promise.all([found, others.length > 0 ? this.read(others, options) : []])).flat();
  }

  /**
   * Reads one brick, because the bricks of a read may lie far apart in the levels, and reading them together would read all that lies
   * between. A brick that cannot be read there is read from the file.
   */
  async #readMade(made: MadeLevels, brick: Brick, perTime: number, options?: JobOptions): Promise<EncodedChunk | StriaError> {
    try {
      const inMade = { level: brick.level - made.firstLevel, number: brick.number % perTime };
      const [chunk] = await made.bricks.read([inMade], options);
      if (chunk && !(chunk instanceof StriaError)) return chunk;
    } catch (error) {
      if (toStriaError(error).tag === 'aborted') throw error;
    }
    const [chunk] = await this.#file.read([brick], options);
    return chunk ?? new StriaError('internal', 'the source left it out');
  }
}
