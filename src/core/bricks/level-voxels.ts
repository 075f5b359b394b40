import { scatterChunk } from '../chunks/boxes.ts';
import { decodeUnchecked } from '../chunks/decode-chunk.ts';
import { chunkBytes } from '../codec/batch.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { inContext, StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import type { BrickLevel, BrickSource } from './brick-source.ts';

/**
 * All voxels of a level in order, a layer of bricks at a time. While one layer is decoded and used, the next one is read.
 * @throws StriaError of the first brick that cannot be read or decoded
 */
export async function* levelVoxels(source: BrickSource, level: number, job: JobOptions): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { grid } = source.levels[level] as BrickLevel;
  const elementBytes = codecElementBytes(source.info.type);
  const read = (layer: number) => {
    if (layer === grid.layerCount) return undefined;
    const { first, count } = grid.chunksOfLayer(layer);
    const reading = source.read(
      Array.from({ length: count }, (_, at) => ({ level, number: first + at })),
      job,
    );
    // Its fault is thrown when its turn comes.
    reading.catch(() => undefined);
    return reading;
  };
  let next = read(0);
  for (let layer = 0; next; layer++) {
    const chunks: readonly (EncodedChunk | StriaError)[] = await next;
    next = read(layer + 1);
    const { origin, shape } = grid.layerBox(layer);
    const box = { bytes: new Uint8Array(chunkBytes({ shape, elementBytes })), dims: shape, elementBytes };
    const { first } = grid.chunksOfLayer(layer);
    for (const [at, chunk] of chunks.entries()) {
      if (chunk instanceof StriaError) throw chunk;
      const place = grid.box(first + at);
      try {
        const voxels = decodeUnchecked(chunk, { shape: place.shape, elementBytes }, (byteLength) => new Uint8Array(byteLength));
        const [x, y, z] = place.origin;
        scatterChunk(voxels, { origin: [x, y, z - origin[2]], shape: place.shape }, box);
      } catch (error) {
        throw inContext(chunkName(first + at), error);
      }
    }
    yield box.bytes;
  }
}
