import type { ChunkBox } from '../chunks/backend.ts';
import { ChunkGrid, elementsPerVoxel, type GridBox } from '../format/chunk-grid.ts';
import type { Dims3, ElementType } from '../shared/volume.ts';
import type { LeftOutLevel } from './left-out-levels.ts';

/** A chunk of the volume in a block: its place in codec elements. */
export interface BlockPart extends ChunkBox {
  readonly number: number;
}

const axes = [0, 1, 2] as const;

/**
 * How the chunks of a volume become a level that the file leaves out. A block is the fewest whole chunks that can be halved without others:
 * along each axis it is as long as the least common multiple of chunk and factor, so it is one chunk if the factors divide the chunk shape.
 */
export class LevelBlocks {
  /** Of the level, with one chunk for each block. */
  readonly grid: ChunkGrid;
  readonly #volume: ChunkGrid;
  readonly #factors: Dims3;
  readonly #perVoxel: 1 | 2;

  /** @param volume its grid */
  constructor(volume: ChunkGrid, { grid, factors }: LeftOutLevel, type: ElementType) {
    this.#volume = volume;
    this.#factors = factors;
    this.#perVoxel = elementsPerVoxel(type);
    const shape = axes.map((axis) => {
      const elements = axis === 0 ? this.#perVoxel : 1;
      const block = leastCommonMultiple(factors[axis], volume.chunkShape[axis] / elements);
      return (block / factors[axis]) * elements;
    }) as unknown as Dims3;
    this.grid = new ChunkGrid(grid.dims, shape);
  }

  /** The lengths of a block in voxels of the volume. */
  shapeOf(number: number): Dims3 {
    const { shape } = this.#inVolume(number);
    return [shape[0] / this.#perVoxel, shape[1], shape[2]];
  }

  /** The chunks of a block, in order. */
  partsOf(number: number): readonly BlockPart[] {
    const { origin, shape, t } = this.#inVolume(number);
    const [width, height, depth] = this.#volume.chunkShape;
    const parts: BlockPart[] = [];
    for (let z = 0; z < shape[2]; z += depth) {
      for (let y = 0; y < shape[1]; y += height) {
        for (let x = 0; x < shape[0]; x += width) {
          const chunk = this.#volume.numberAt([origin[0] + x, origin[1] + y, origin[2] + z, t]);
          parts.push({ number: chunk, origin: [x, y, z], shape: this.#volume.box(chunk).shape });
        }
      }
    }
    return parts;
  }

  /** The blocks of a box of whole blocks. */
  *within({ origin, shape, t }: Pick<GridBox, 'origin' | 'shape' | 't'>): Generator<number> {
    const [width, height, depth] = this.grid.chunkShape;
    for (let z = origin[2]; z < origin[2] + shape[2]; z += depth) {
      for (let y = origin[1]; y < origin[1] + shape[1]; y += height) {
        for (let x = origin[0]; x < origin[0] + shape[0]; x += width) yield this.grid.numberAt([x, y, z, t]);
      }
    }
  }

  /** In codec elements of the volume. */
  #inVolume(number: number): Pick<GridBox, 'origin' | 'shape' | 't'> {
    const { origin, shape, t } = this.grid.box(number);
    const first = axes.map((axis) => origin[axis] * this.#factors[axis]) as unknown as Dims3;
    const lengths = axes.map((axis) => Math.min(shape[axis] * this.#factors[axis], this.#volume.dims[axis] - first[axis]));
    return { origin: first, shape: lengths as unknown as Dims3, t };
  }
}

/** Of a power of two and another number. */
function leastCommonMultiple(power: number, other: number): number {
  let multiple = other;
  while (multiple % power > 0) multiple *= 2;
  return multiple;
}
