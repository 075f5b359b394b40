import { chunkBytes, elementCount } from '../../codec/batch.ts';
import type { ChunkGeometry, CodecElementBytes, CodecParameters } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';

/** Rows of a block, each a lane of its own: SPEC.md, 'Blocks and parts'. */
export const laneCount = 64;
const blockEdge = 64;
const pictureWidth = 4096;

/** Checks that there are no parameters. @throws StriaError `corrupt` */
export function checkParameters(parameters: CodecParameters): void {
  if (parameters.byteLength === 0) return;
  throw new StriaError('corrupt', `wave takes no parameters; found [${[...parameters].join(', ')}]`);
}

/** The type of a part's elements, which are of one plane: SPEC.md, 'Blocks and parts'. */
export interface PlaneType {
  /** Bits of an element, w. */
  readonly bits: 8 | 16;
  /** Fractional bits of predictions, F. */
  readonly fraction: 4 | 2;
}

export function planeType(elementBytes: CodecElementBytes): PlaneType {
  return elementBytes === 1 ? { bits: 8, fraction: 4 } : { bits: 16, fraction: 2 };
}

export function planesOf(elementBytes: CodecElementBytes): number {
  return elementBytes === 4 ? 2 : 1;
}

export interface BlockBox {
  readonly origin: Dims3;
  readonly extent: Dims3;
}

function blockShape(shape: Dims3): Dims3 {
  return shape[2] === 1 ? [pictureWidth, blockEdge, 1] : [blockEdge, blockEdge, blockEdge];
}

export function blockCount({ shape }: Pick<ChunkGeometry, 'shape'>): number {
  const edges = blockShape(shape);
  return shape.reduce((count, length, axis) => count * Math.ceil(length / (edges[axis] as number)), 1);
}

/** A chunk's blocks, with x fastest, then y, then z. */
export function blocksOf({ shape }: Pick<ChunkGeometry, 'shape'>): BlockBox[] {
  const [width, height, depth] = blockShape(shape);
  const blocks: BlockBox[] = [];
  for (let z = 0; z < shape[2]; z += depth) {
    for (let y = 0; y < shape[1]; y += height) {
      for (let x = 0; x < shape[0]; x += width) {
        const extent: Dims3 = [Math.min(width, shape[0] - x), Math.min(height, shape[1] - y), Math.min(depth, shape[2] - z)];
        blocks.push({ origin: [x, y, z], extent });
      }
    }
  }
  return blocks;
}

/** 'the lengths in bytes of all parts but the last, 4 bytes each' */
export function directoryBytes(parts: number): number {
  return 4 * (parts - 1);
}

/** SPEC.md, 'Payload': the longest one has only raw parts. */
export function payloadBound(chunk: ChunkGeometry): number {
  elementCount(chunk);
  const parts = blockCount(chunk) * planesOf(chunk.elementBytes);
  return chunkBytes(chunk) + parts + directoryBytes(parts);
}

/** The maximum number of bytes of a lane; the encoder stores a part with a longer lane as raw. */
export function laneLimit([x, , z]: Dims3, bits: number): number {
  return (2 * x * z * bits) / 8 + 16;
}
