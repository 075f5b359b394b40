import type { EncodedChunk } from '../format/chunk.ts';
import type { StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import type { Dims3, VolumeInfo } from '../shared/volume.ts';
import { combinedFactors } from '../shared/volume-level.ts';
import type { Brick } from './brick.ts';
import type { BrickLevel, BrickPlace, BrickSource } from './brick-source.ts';

/** The bricks of a file, and of the levels that are kept beside it. */
export class KeptBricks implements BrickSource {
  readonly info: VolumeInfo;
  readonly levels: readonly BrickLevel[];
  readonly #whole: BrickSource;
  readonly #kept: BrickSource;

  /**
   * @param whole the first level, of which only the bricks of the volume itself are used
   * @param kept the levels' bricks @param factors how many voxels of the volume one of the first kept level combines
   */
  constructor(whole: BrickSource, kept: BrickSource, factors: Dims3) {
    this.info = whole.info;
    this.#whole = whole;
    this.#kept = kept;
    const coarser = kept.levels.map((level): BrickLevel => {
      return { grid: level.grid, factors: combinedFactors(factors, level.factors) };
    });
    this.levels = [...whole.levels.slice(0, 1), ...coarser];
  }

  /** Whether bricks of these levels fit the slots for those of the volume. */
  static areAlike(whole: BrickSource, kept: BrickSource): boolean {
    const most = whole.levels[0]?.grid.chunkShape ?? [0, 0, 0];
    return kept.levels.every(
      ({ grid }) => grid.timePointsPerChunk === 1 && grid.chunkShape.every((length, axis) => length <= (most[axis] as number)),
    );
  }

  place(brick: Brick): BrickPlace {
    return brick.level === 0 ? this.#whole.place(brick) : this.#kept.place(coarse(brick));
  }

  read(bricks: readonly Brick[], options?: JobOptions): Promise<readonly (EncodedChunk | StriaError)[]> {
    return bricks[0]?.level ? this.#kept.read(bricks.map(coarse), options) : this.#whole.read(bricks, options);
  }
}

function coarse({ level, number }: Brick): Brick {
  return { level: level - 1, number };
}
