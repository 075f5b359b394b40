import { chunkBytes } from '../batch.ts';
import type { ChunkGeometry, ChunkStatistics, CodecDefinition, CodecParameters } from '../codec.ts';
import { createKernels } from './kernels.ts';
import { blocksPerBrick, brickCount, parseGeometry, planesOf } from './layout.ts';
import { reference } from './reference.ts';

/** Prediction and Rice codes, in bricks that decode by themselves: SPEC.md. */
export const rice: CodecDefinition = {
  id: 3,
  name: 'rice',
  summary: 'Prediction and Rice codes, for scans and pictures.',
  elementBytes: [1, 2, 4],

  /** Chunks of fewer than 4 slices are pictures: a group would reach out of them. */
  choose(_statistics, { shape }): CodecParameters {
    return Uint8Array.of(shape[2] < 4 ? 1 : 0);
  },

  /**
   * How often neighbours differ does not say how far. Where few do, as in labels, they are taken to be steps: each costs
   * several residuals of full width. Where many do, as in scans, it is taken for noise: measured, such voxels cost a bit
   * each, and those that differ 0.35 of their width.
   */
  estimate(statistics, chunk, parameters) {
    const changing = changingShare(statistics, chunk);
    const bits = 8 * chunk.elementBytes;
    const bitsPerElement = changing < 1 / 8 ? 0.06 + changing * 3 * bits : 1.06 + changing * 0.35 * bits;
    const count = chunkBytes(chunk) / chunk.elementBytes;
    const headers = brickCount(chunk, parseGeometry(parameters)) * planesOf(chunk.elementBytes).planes * 5;
    return Math.ceil(headers + Math.min(bitsPerElement / 8, chunk.elementBytes) * count);
  },

  /** No group costs more than its elements; beside them stand a brick's length, its header and its codes. */
  encodedBound(chunk) {
    const geometry = parseGeometry(this.choose({ changes: [0, 0, 0] }, chunk, { axis: 'auto' }));
    const { planes, bits } = planesOf(chunk.elementBytes);
    const headerBits = 8 + blocksPerBrick(geometry) * (3 + bits) + 4 * 64;
    return chunkBytes(chunk) + brickCount(chunk, geometry) * planes * (2 + Math.ceil(headerBits / 8));
  },

  reference,
  createKernels,
};

/** The share of elements that differ from their neighbour, along the axis where fewest do. */
function changingShare({ changes }: ChunkStatistics, { shape }: ChunkGeometry): number {
  const shares = changes.flatMap((count, axis) => {
    const length = shape[axis] as number;
    const pairs = ((length - 1) * shape[0] * shape[1] * shape[2]) / length;
    return pairs > 0 ? [count / pairs] : [];
  });
  return Math.min(1, ...shares);
}
