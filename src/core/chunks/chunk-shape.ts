import { codecElementBytes, codecElementDims, maxChunkCount } from '../format/chunk-grid.ts';
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

const pictureEdge = 128;

/**
 * The chunk shape that a volume is cut into where nobody says another: that of `defaultChunkShape`, but in a stack of
 * pictures each is its own chunks, so that one is decoded without others. Those are small, because a slice across all
 * pictures decodes a row or a column of each picture's chunks; their edges double while there would be too many.
 * @param arePictures its planes were pictures, each by itself (`isPictureFormat`)
 */
export function chunkShapeOf(volume: Pick<VolumeInfo, 'dims' | 'type'>, arePictures: boolean): Dims3 {
  const [dimX, dimY, dimZ, dimT] = codecElementDims(volume);
  if (!arePictures || dimZ === 1) return defaultChunkShape(volume);
  const cut = (length: number): Dims3 => [Math.min(length, dimX), Math.min(length, dimY), 1];
  const count = ([x, y]: Dims3) => Math.ceil(dimX / x) * Math.ceil(dimY / y) * dimZ * dimT;
  let length = pictureEdge;
  while (count(cut(length)) > maxChunkCount && length < Math.max(dimX, dimY)) length *= 2;
  const rowBytes = dimX * codecElementBytes(volume.type);
  return rowBytes * Math.min(length, dimY) <= maxLayerBytes ? cut(length) : defaultChunkShape(volume);
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
