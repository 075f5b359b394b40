import { StriaError, toStriaError } from '../../shared/errors.ts';
import {
  checkedLevelBox,
  type LevelBox,
  type LeveledVoxels,
  levelsNotMade,
  type VolumeLevel,
} from '../../shared/volume-level.ts';

/** Made levels of one time point. */
interface Made {
  /** The level of the volume that `voxels` begins with. */
  readonly firstLevel: number;
  readonly voxels: Promise<LeveledVoxels>;
}

/** Boxes of a file whose levels are made while it is open. Levels that are not made are read from `file`. */
export class MadeVoxels implements LeveledVoxels {
  readonly levels: readonly VolumeLevel[];
  readonly #file: LeveledVoxels;
  readonly #made = new Map<number, Made>();

  constructor(file: LeveledVoxels) {
    this.levels = file.levels;
    this.#file = file;
  }

  /**
   * From now on, boxes of a time point are read from these levels. @param voxels of one time point; their levels equal those of the
   * volume from `firstLevel` on. If they cannot be opened, the file is read as before.
   */
  add(timePoint: number, firstLevel: number, voxels: Promise<LeveledVoxels>): void {
    this.drop(timePoint);
    voxels.catch(() => undefined);
    this.#made.set(timePoint, { firstLevel, voxels });
  }

  /** The levels of a time point are no longer there. */
  drop(timePoint: number): void {
    void this.#made.get(timePoint)?.voxels.then(
      (voxels) => voxels.close(),
      () => undefined,
    );
    this.#made.delete(timePoint);
  }

  async read(box: LevelBox, options?: Parameters<LeveledVoxels['read']>[1]): Promise<Uint8Array<ArrayBuffer>> {
    checkedLevelBox(this.levels, box);
    const made = this.#made.get(box.timePoint);
    if (!made || box.level < made.firstLevel) return this.#file.read(box, options);
    try {
      return await (await made.voxels).read({ ...box, level: box.level - made.firstLevel, timePoint: 0 }, options);
    } catch (error) {
      if (toStriaError(error).tag === 'aborted') throw error;
      return this.#file.read(box, options);
    }
  }

  close(): void {
    for (const timePoint of [...this.#made.keys()]) this.drop(timePoint);
    this.#file.close();
  }
}

/** A file without levels, as if it had some that cannot be read yet. @param levels the volume itself and those that will be made */
export function unmadeLevels(whole: LeveledVoxels, levels: readonly VolumeLevel[]): LeveledVoxels {
  return {
    levels,
    chunkShape: whole.chunkShape,
    async read(box, options) {
      checkedLevelBox(levels, box);
      if (box.level === 0) return whole.read(box, options);
      throw new StriaError('unsupported', levelsNotMade);
    },
    close: () => whole.close(),
  };
}
