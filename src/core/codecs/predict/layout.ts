import { type BrickGeometry, cut, planesOf } from '../../codec/bricks.ts';
import type { ChunkGeometry, CodecParameters } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { brickLayouts, type PredictBrick, pictureGeometry, volumeGeometry } from './bricks.ts';

/** The meaning of the parameters: SPEC.md, 'Parameters'. */
export interface Mode {
  readonly geometry: BrickGeometry;
  /** Whether an encoder also tries the median. */
  readonly tryMedian: boolean;
}

const pictureBit = 1;
const medianBit = 16;

const modeBytes: Readonly<Record<number, CodecParameters>> = Object.fromEntries(
  [0, pictureBit, medianBit, pictureBit | medianBit].map((byte) => [byte, Uint8Array.of(byte)]),
);

export function parametersOf({ geometry, tryMedian }: Mode): CodecParameters {
  return modeBytes[(geometry === pictureGeometry ? pictureBit : 0) | (tryMedian ? medianBit : 0)] as CodecParameters;
}

/** One byte: bit 0 is the geometry, bit 4 tells whether the median predictor may occur. @throws StriaError `corrupt` */
export function parseMode(parameters: CodecParameters): Mode {
  const byte = parameters[0] ?? 0;
  if (parameters.byteLength !== 1 || (byte & ~(pictureBit | medianBit)) !== 0) {
    throw new StriaError('corrupt', `predict takes one parameter byte, 0, 1, 16 or 17; found [${[...parameters].join(', ')}]`);
  }
  return { geometry: byte & pictureBit ? pictureGeometry : volumeGeometry, tryMedian: (byte & medianBit) !== 0 };
}

/** One plane of one brick, and its places. */
export interface Unit {
  /** The brick's origin in the chunk. */
  readonly origin: Dims3;
  readonly extent: Dims3;
  readonly plane: number;
  readonly layout: PredictBrick;
  /** For each of its blocks, the index of its predictor and base among the chunk's. */
  readonly blockPlaces: readonly number[];
}

/** A chunk's units, in order: 'Units are taken brick by brick, the low plane of each first.' */
export function unitsOf({ shape, elementBytes }: ChunkGeometry, geometry: BrickGeometry): Unit[] {
  const { planes } = planesOf(elementBytes);
  const layoutOf = brickLayouts(geometry);
  const { block } = geometry;
  const blocks = blockCounts(shape, geometry);
  return cut(shape, geometry.brick).flatMap(({ origin, extent }) => {
    const layout = layoutOf(extent);
    const numbers = layout.blocks.map((part) => {
      const [x, y, z] = [0, 1, 2].map(
        (axis) => ((origin[axis] as number) + (part.origin[axis] as number)) / (block[axis] as number),
      );
      return (x as number) + blocks[0] * ((y as number) + blocks[1] * (z as number));
    });
    return Array.from({ length: planes }, (_, plane) => {
      return { origin, extent, plane, layout, blockPlaces: numbers.map((number) => number * planes + plane) };
    });
  });
}

/** Number of a chunk's blocks along each axis. */
function blockCounts(shape: Dims3, { block }: BrickGeometry): Dims3 {
  return [Math.ceil(shape[0] / block[0]), Math.ceil(shape[1] / block[1]), Math.ceil(shape[2] / block[2])];
}

/** Number of blocks in all planes of a chunk. */
export function blockTotal({ shape, elementBytes }: ChunkGeometry, geometry: BrickGeometry): number {
  const [x, y, z] = blockCounts(shape, geometry);
  return x * y * z * planesOf(elementBytes).planes;
}

/** Bytes of the predictors' section and of the bases'. */
export function fixedBytes(chunk: ChunkGeometry, geometry: BrickGeometry): readonly [number, number] {
  const count = blockTotal(chunk, geometry);
  return [wordBytes(count), wordBytes((count * planesOf(chunk.elementBytes).bits) / 8)];
}

/** `bytes` rounded up to whole words. */
export function wordBytes(bytes: number): number {
  return 4 * Math.ceil(bytes / 4);
}

/** The longest payload: each group's heads and tails in whole words, plus the other sections. */
export function payloadBound(chunk: ChunkGeometry, geometry: BrickGeometry): number {
  const { shape, elementBytes } = chunk;
  const { planes, bits } = planesOf(elementBytes);
  let bytes = fixedBytes(chunk, geometry).reduce((sum, length) => sum + length);
  forEachExtent(shape, geometry.brick, (extent, bricks) => {
    let groups = 0;
    forEachExtent(extent, geometry.group, (group, count) => {
      groups += count;
      bytes += bricks * planes * count * (bits / 8) * wordBytes(group[0] * group[1] * group[2]);
    });
    bytes += bricks * planes * wordBytes(groups / 2);
  });
  return bytes;
}

/** Bytes of the symbols of all groups, where each group takes whole units of `unit` bytes. */
export function symbolBytes({ shape, elementBytes }: ChunkGeometry, { brick, group }: BrickGeometry, unit: number): number {
  const { planes, bits } = planesOf(elementBytes);
  let bytes = 0;
  forEachExtent(shape, brick, (extent, bricks) => {
    forEachExtent(extent, group, ([x, y, z], count) => {
      bytes += bricks * planes * count * unit * Math.ceil((x * y * z * bits) / 8 / unit);
    });
  });
  return bytes;
}

/** Cuts `whole` into parts of `part` and visits each different extent, at most eight, with the number of parts that have it. */
function forEachExtent(whole: Dims3, part: Dims3, visit: (extent: Dims3, count: number) => void): void {
  const along = (axis: 0 | 1 | 2) => {
    const rest = whole[axis] % part[axis];
    const full = { extent: part[axis], count: (whole[axis] - rest) / part[axis] };
    return [full, { extent: rest, count: Number(rest > 0) }].filter(({ count }) => count > 0);
  };
  for (const z of along(2)) {
    for (const y of along(1)) {
      for (const x of along(0)) visit([x.extent, y.extent, z.extent], x.count * y.count * z.count);
    }
  }
}
