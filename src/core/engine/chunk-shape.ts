import { codecElementBytes, codecElementDims } from '../format/chunk-grid.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3, VolumeInfo } from '../shared/volume.ts';

/** What a layer may take in memory, in bytes: volumes are streamed layer by layer. */
export const maxLayerBytes = 2 ** 28;

const edge = 64;

/**
 * The default chunk shape in codec elements, by the volume's dims and type alone: 64×64×64, clipped to the volume. Its
 * depth is halved while a layer would take more than `maxLayerBytes`, then its height. What flat chunks lack to 64³
 * elements they get along x and y, by doubling, so that no index outgrows its chunks.
 */
export function defaultChunkShape(volume: Pick<VolumeInfo, 'dims' | 'type'>): Dims3 {
  const [dimX, dimY, dimZ] = codecElementDims(volume);
  const rowLength = dimX * codecElementBytes(volume.type);
  let depth = Math.min(edge, dimZ);
  while (depth > 1 && rowLength * dimY * depth > maxLayerBytes) depth = Math.ceil(depth / 2);
  let height = Math.min(edge, dimY);
  while (depth === 1 && height > 1 && rowLength * height > maxLayerBytes) height = Math.ceil(height / 2);
  let width = Math.min(edge, dimX);
  const canBeHigher = () => height < dimY && (depth > 1 || rowLength * Math.min(2 * height, dimY) <= maxLayerBytes);
  while (2 * width * height * depth <= edge ** 3 && (width < dimX || canBeHigher())) {
    if (width < dimX && (width <= height || !canBeHigher())) width = Math.min(2 * width, dimX);
    else height = Math.min(2 * height, dimY);
  }
  return [width, height, depth];
}

/**
 * Checks a chunk shape that someone asked for.
 * @throws StriaError `invalid-input` where rows of chunks would not start at whole words
 */
export function checkChunkShape(volume: Pick<VolumeInfo, 'dims' | 'type'>, shape: Dims3): Dims3 {
  const [dimX] = codecElementDims(volume);
  if (shape[0] < dimX && (shape[0] * codecElementBytes(volume.type)) % 4 !== 0) {
    throw new StriaError('invalid-input', `a chunk ${shape[0]} elements wide does not fill whole words of 4 bytes`);
  }
  return shape;
}
