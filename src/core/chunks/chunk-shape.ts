import { maxTimeGroup } from '../codec/codec.ts';
import {
  type ChunkShape,
  codecElementBytes,
  codecElementDims,
  isInterleaved,
  maxChunkBytes,
  mostChunks,
  withTimePoints,
} from '../format/chunk-grid.ts';
import { StriaError } from '../shared/errors.ts';
import { channelLayout, type Dims3, type Dims4, type VolumeInfo } from '../shared/volume.ts';

/** The memory limit of a layer, and of time points that chunks interleave, in bytes: volumes are streamed in these. */
export const maxLayerBytes = 2 ** 28;

type Volume = Pick<VolumeInfo, 'dims' | 'type'>;

const edge = 64;

/**
 * The default chunk shape in codec elements, from the volume's dims and type alone: 64×64×64, clipped to the volume. If a layer
 * would exceed `maxLayerBytes`, the depth is halved as needed, then the height. If a chunk has fewer than 64³ elements, it is
 * doubled along x and y, then along z, and finally extended over several time points, so that a series of small volumes has few
 * chunks instead of one per time point. If the chunks would still be too many, they are made larger.
 */
export function defaultChunkShape(volume: Volume): Dims4 {
  return smallestOf(volume, edge ** 3, 2, (elements) => cubeShape(volume, elements));
}

const pictureEdge = 128;

/**
 * The chunk shape used unless the caller gives one: `defaultChunkShape`, except that in a stack of pictures no chunk spans two
 * pictures, so that one picture decodes without the others. Such chunks have 128×128 elements, so a slice across all pictures
 * decodes one row or column of each picture's chunks. Smaller pictures share a chunk of that size.
 * @param arePictures its planes were separate pictures (`isPictureFormat`)
 */
export function chunkShapeOf(volume: Volume, arePictures: boolean): Dims4 {
  const [dimX, dimY, dimZ] = codecElementDims(volume);
  if (!arePictures || dimZ === 1) return defaultChunkShape(volume);
  const shape = smallestOf(volume, pictureEdge ** 2, 4, (elements) => pictureShape(volume, elements));
  const isFlat = shape[0] < dimX || shape[1] < dimY;
  return isFlat && dimX * codecElementBytes(volume.type) * shape[1] > maxLayerBytes ? defaultChunkShape(volume) : shape;
}

/**
 * The number of time points to interleave unless the user chooses one: as many as allowed, in groups of about the same length. A
 * group stays within a channel and within `maxLayerBytes`. 1: none.
 * @param volume its `channels` matter only if there are several
 */
export function defaultTimeGroup(volume: Volume & Pick<VolumeInfo, 'channels'>): number {
  const { channelCount, timePoints } = channelLayout(volume);
  const [x, y, z] = codecElementDims(volume);
  const most = Math.min(maxTimeGroup, Math.floor(maxLayerBytes / (x * y * z * codecElementBytes(volume.type))));
  if (most < 2) return 1;
  const length = Math.ceil(timePoints / Math.ceil(timePoints / most));
  if (channelCount === 1) return length;
  for (let divisor = length; divisor > 1; divisor--) if (timePoints % divisor === 0) return divisor;
  return 1;
}

/**
 * A shape of chunks with interleaved time points: `defaultChunkShape` with as many planes fewer as there are time points. If that
 * holds several whole time points, then all of these.
 * @param timeGroup how many time points; fewer if the volume has fewer
 */
export function interleavedShape(volume: Volume, timeGroup: number): ChunkShape {
  const timePoints = Math.min(timeGroup, volume.dims[3]);
  const still = defaultChunkShape(volume);
  if (timePoints === 1) return still;
  if (still[3] > 1) return [...still, 'interleaved'];
  const planes = Math.max(1, Math.floor(edge / timePoints));
  const shapeOf = (elements: number) => cubeShape({ ...volume, dims: [...spaceOf(volume), 1] }, elements, planes);
  const [x, y, z] = smallestOf(volume, Math.floor(edge ** 3 / timePoints), 2, shapeOf, timePoints);
  return [x, y, z, timePoints, 'interleaved'];
}

function spaceOf({ dims: [x, y, z] }: Volume): Dims3 {
  return [x, y, z];
}

/**
 * Checks a chunk shape that a caller requested.
 * @throws StriaError `invalid-input` if rows of chunks would not start at whole words, or if a layer, or time points that chunks
 * interleave, exceed the memory limit
 */
export function checkChunkShape(volume: Volume, shape: ChunkShape): ChunkShape {
  const [dimX, dimY, dimZ, dimT] = codecElementDims(volume);
  const [x, , z, t] = withTimePoints(shape);
  const rowLength = dimX * codecElementBytes(volume.type);
  if (x < dimX && (x * codecElementBytes(volume.type)) % 4 !== 0) {
    throw new StriaError('invalid-input', `a chunk ${x} elements wide does not fill whole words of 4 bytes`);
  }
  const timePoints = Math.min(t, dimT);
  if (isInterleaved(shape) && rowLength * dimY * dimZ * timePoints > maxLayerBytes) {
    const group = `${timePoints} interleaved time points take ${rowLength * dimY * dimZ * timePoints} bytes`;
    throw new StriaError('invalid-input', `${group}; the limit is ${maxLayerBytes}. Interleave fewer`);
  }
  const planes = Math.min(z, dimZ) * timePoints;
  if (planes > 1 && rowLength * dimY * planes > maxLayerBytes) {
    const layer = `a layer of chunks ${planes} planes deep takes ${rowLength * dimY * planes} bytes`;
    throw new StriaError('invalid-input', `${layer}; the limit is ${maxLayerBytes}`);
  }
  return shape;
}

/**
 * The first shape that gives no more chunks than allowed: with `first` elements, or `factor` times as many, and so on.
 * @param timePoints of a chunk, if the shape does not say
 */
function smallestOf(volume: Volume, first: number, factor: number, shapeOf: (elements: number) => Dims4, timePoints = 1): Dims4 {
  const [x, y, z, t] = codecElementDims(volume);
  const dims: Dims4 = [x, y, z, Math.ceil(t / timePoints)];
  const most = maxChunkBytes / codecElementBytes(volume.type) / timePoints;
  const count = (shape: Dims4) =>
    shape.reduce((product, length, axis) => product * Math.ceil((dims[axis] as number) / length), 1);
  let elements = first;
  while (count(shapeOf(elements)) > mostChunks([x, y, z, t]) && factor * elements <= most) elements *= factor;
  return shapeOf(elements);
}

/** @param planes the greatest depth, unless a chunk holds whole planes */
function cubeShape(volume: Volume, elements: number, planes = edge): Dims4 {
  const dims = codecElementDims(volume);
  const [dimX, dimY, dimZ] = dims;
  const rowLength = dimX * codecElementBytes(volume.type);
  let depth = Math.min(planes, dimZ);
  while (depth > 1 && rowLength * dimY * depth > maxLayerBytes) depth = Math.ceil(depth / 2);
  let height = Math.min(edge, dimY);
  while (depth === 1 && height > 1 && rowLength * height > maxLayerBytes) height = Math.ceil(height / 2);
  let width = Math.min(edge, dimX);
  const canBeHigher = () => height < dimY && (depth > 1 || rowLength * Math.min(2 * height, dimY) <= maxLayerBytes);
  while (2 * width * height * depth <= elements && (width < dimX || canBeHigher())) {
    if (width < dimX && (width <= height || !canBeHigher())) width = Math.min(2 * width, dimX);
    else height = Math.min(2 * height, dimY);
  }
  return deepened(dims, [width, height, depth], elements);
}

function pictureShape(volume: Volume, elements: number): Dims4 {
  const dims = codecElementDims(volume);
  const length = Math.floor(Math.sqrt(elements));
  let [width, height] = [Math.min(length, dims[0]), Math.min(length, dims[1])];
  while (2 * width * height <= elements && (width < dims[0] || height < dims[1])) {
    if (width < dims[0]) width = Math.min(2 * width, dims[0]);
    else height = Math.min(2 * height, dims[1]);
  }
  return deepened(dims, [width, height, 1], elements);
}

/** Chunks that span whole planes are made deeper, and chunks that span whole time points take in more of them. */
function deepened([dimX, dimY, dimZ, dimT]: Dims4, [width, height, depth]: Dims3, elements: number): Dims4 {
  if (width < dimX || height < dimY) return [width, height, depth, 1];
  let planes = depth;
  while (planes < dimZ && 2 * width * height * planes <= elements) planes = Math.min(2 * planes, dimZ);
  const timePoints = planes < dimZ ? 1 : Math.floor(elements / (width * height * planes));
  return [width, height, planes, Math.min(dimT, Math.max(1, timePoints))];
}
