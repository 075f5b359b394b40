import type { Brick } from '../bricks/brick.ts';
import type { BrickLevel, BrickPlace, BrickSource } from '../bricks/brick-source.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { chunkGridOf } from '../format/chunk-grid.ts';
import { StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import type { Dims3, VolumeInfo } from '../shared/volume.ts';

export const brickShape: Dims3 = [64, 64, 64];

/** A volume without coarser levels, whose encoded chunks are in memory. */
export class MemoryBricks implements BrickSource {
  readonly info: VolumeInfo;
  readonly levels: readonly BrickLevel[];
  readonly #chunks: readonly EncodedChunk[];

  /** @param chunks of `brickShape`, clipped to the volume */
  constructor(info: VolumeInfo, chunks: readonly EncodedChunk[]) {
    this.info = info;
    const [x, y, z] = info.dims;
    const shape: Dims3 = [Math.min(brickShape[0], x), Math.min(brickShape[1], y), Math.min(brickShape[2], z)];
    this.levels = [{ grid: chunkGridOf(info, shape), factors: [1, 1, 1] }];
    this.#chunks = chunks;
  }

  chunk({ number }: Brick): EncodedChunk {
    const chunk = this.#chunks[number];
    if (!chunk) throw new StriaError('internal', `there is no chunk ${number}`);
    return chunk;
  }

  place(brick: Brick): BrickPlace {
    const chunk = this.chunk(brick);
    return { payloadBytes: chunk.kind === 'coded' ? chunk.payload.byteLength : 0 };
  }

  async read(bricks: readonly Brick[], { signal }: JobOptions = {}): Promise<readonly EncodedChunk[]> {
    throwIfAborted(signal);
    return bricks.map((brick) => this.chunk(brick));
  }
}
