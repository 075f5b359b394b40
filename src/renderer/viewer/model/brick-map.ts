import { brickKey } from '../../../core/bricks/brick.ts';
import type { BrickLevel } from '../../../core/bricks/brick-source.ts';
import type { GpuBricks } from '../../../core/bricks/gpu-bricks.ts';
import type { PaintedChunks } from './chunk-rectangles.ts';

/** The part of `GpuBricks` that is needed. */
export type LoadedBricks = Pick<GpuBricks, 'source' | 'has'> & {
  readonly use: Pick<GpuBricks['use'], 'decoded' | 'evicted'>;
};

/** Which level is loaded at each place of a volume, to be painted over slices. */
export class BrickMap implements PaintedChunks {
  readonly grid: PaintedChunks['grid'];
  readonly elementsPerVoxel: PaintedChunks['elementsPerVoxel'];
  readonly #bricks: LoadedBricks;

  constructor(bricks: LoadedBricks) {
    const { levels, info } = bricks.source;
    this.grid = (levels[0] as BrickLevel).grid;
    this.elementsPerVoxel = info.type === 'f64' ? 2 : 1;
    this.#bricks = bricks;
  }

  /** Changes whenever bricks have come or gone. */
  get version(): number {
    const { decoded, evicted } = this.#bricks.use;
    return decoded + evicted;
  }

  /** The finest level that is loaded at a voxel, with its resolution; undefined if there is none. */
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
