import { brickKey } from '../../../core/bricks/brick.ts';
import type { BrickLevel } from '../../../core/bricks/brick-source.ts';
import type { GpuBricks } from '../../../core/bricks/gpu-bricks.ts';
import { elementsPerVoxel } from '../../../core/format/chunk-grid.ts';
import type { PaintedChunks } from './chunk-rectangles.ts';

/** The parts of `GpuBricks` that are used. */
export type LoadedBricks = Pick<GpuBricks, 'source' | 'has'> & {
  readonly use: Pick<GpuBricks['use'], 'decoded' | 'evicted'>;
};

/** The loaded level at each place of a volume, to paint over slices. */
export class BrickMap implements PaintedChunks {
  readonly grid: PaintedChunks['grid'];
  readonly elementsPerVoxel: PaintedChunks['elementsPerVoxel'];
  readonly #bricks: LoadedBricks;

  constructor(bricks: LoadedBricks) {
    const { levels, info } = bricks.source;
    this.grid = (levels[0] as BrickLevel).grid;
    this.elementsPerVoxel = elementsPerVoxel(info.type);
    this.#bricks = bricks;
  }

  /** Changes whenever bricks are loaded or evicted. */
  get version(): number {
    const { decoded, evicted } = this.#bricks.use;
    return decoded + evicted;
  }

  /** The finest loaded level at a voxel, with its resolution; undefined if there is none. */
  chunkAt(x: number, y: number, z: number, t: number): { readonly way: number; readonly text: string } | undefined {
    const { levels } = this.#bricks.source;
    for (const [level, { grid, factors }] of levels.entries()) {
      const [inX, inY, inZ] = [x, y, z].map((at, axis) => Math.floor(at / (factors[axis] as number))) as [number, number, number];
      const number = grid.numberAt([this.elementsPerVoxel * inX, inY, inZ, t]);
      if (this.#bricks.has(brickKey({ level, number }))) return { way: level, text: `1/${Math.max(...factors)}` };
    }
    return undefined;
  }
}
