import { StriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { chunkBytes } from './batch.ts';
import type { ChunkVoxels, CodecElementBytes, CodecOptions, CodecParameters, ScanOrder } from './codec.ts';

/** 0 is x, 1 is y, 2 is z. */
export type Axis = 0 | 1 | 2;

/** SPEC.md of `rle` and `parle`: 'One byte, the axis: 0 is x, 1 is y, 2 is z.' @throws StriaError `corrupt` */
export function parseAxis(codec: string, parameters: CodecParameters): Axis {
  const axis = parameters[0];
  if (parameters.byteLength === 1 && (axis === 0 || axis === 1 || axis === 2)) return axis;
  throw new StriaError('corrupt', `${codec} takes one parameter byte, 0, 1 or 2; found [${[...parameters].join(', ')}]`);
}

const axisParameters: readonly CodecParameters[] = [0, 1, 2].map((axis) => Uint8Array.of(axis));

/** The parameters of `rle` and `parle`: the axis asked for, or the one with the fewest changes; of equal ones the first. */
export function chooseAxis([x, y, z]: Dims3, axis: CodecOptions['axis']): CodecParameters {
  const least = x <= y && x <= z ? 0 : y <= z ? 1 : 2;
  return axisParameters[axis === 'auto' ? least : 'xyz'.indexOf(axis)] as CodecParameters;
}

/** The scan-order steps along x, y and z: SPEC.md of `rle` and `parle`, 'Scan order'. */
export function orderOf([sizeX, sizeY, sizeZ]: Dims3, axis: Axis): ScanOrder {
  if (axis === 0) return { xStep: 1, yStep: sizeX, zStep: sizeX * sizeY };
  if (axis === 1) return { xStep: sizeY, yStep: 1, zStep: sizeX * sizeY };
  return { xStep: sizeZ, yStep: sizeX * sizeZ, zStep: 1 };
}

/** A chunk's elements as numbers. */
export type Elements = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

export function newElements(count: number, elementBytes: CodecElementBytes): Elements {
  if (elementBytes === 1) return new Uint8Array(count);
  return elementBytes === 2 ? new Uint16Array(count) : new Uint32Array(count);
}

/**
 * The chunk's elements column by column: SPEC.md, 'Scan order'. Along x this is a view of the chunk itself, if alignment
 * allows.
 */
export function inScanOrder(chunk: ChunkVoxels, axis: Axis): Elements {
  const { bytes, shape, elementBytes } = chunk;
  const length = chunkBytes(chunk);
  if (bytes.byteLength !== length) throw new StriaError('internal', `a chunk of ${length} bytes was given ${bytes.byteLength}`);
  const memory = elementsOf(bytes, elementBytes);
  if (axis === 0) return memory;
  const ordered = newElements(memory.length, elementBytes);
  const { xStep, yStep, zStep } = orderOf(shape, axis);
  const wordElements = 4 / elementBytes;
  // Work in words only if no word holds elements of two rows. Zeros need no copy, because `ordered` starts as zeros.
  const words = new Int32Array(memory.buffer, 0, shape[0] % wordElements === 0 ? length / 4 : 0);
  let source = 0;
  for (let z = 0; z < shape[2]; z++) {
    for (let y = 0; y < shape[1]; y++) {
      const end = source + shape[0];
      for (let i = y * yStep + z * zStep; source < end; ) {
        if (words.length > 0 && words[source / wordElements] === 0) {
          source += wordElements;
          i += wordElements * xStep;
          continue;
        }
        for (const wordEnd = Math.min(source + wordElements, end); source < wordEnd; i += xStep) {
          ordered[i] = memory[source++] as number;
        }
      }
    }
  }
  return ordered;
}

/** Bytes as elements: a view if they are a whole buffer, otherwise a copy. */
function elementsOf(bytes: Uint8Array, elementBytes: CodecElementBytes): Elements {
  const { buffer, byteLength } = bytes;
  const whole = buffer instanceof ArrayBuffer && byteLength === buffer.byteLength ? buffer : new Uint8Array(bytes).buffer;
  if (elementBytes === 1) return new Uint8Array(whole);
  return elementBytes === 2 ? new Uint16Array(whole) : new Uint32Array(whole);
}

/** The inverse of `inScanOrder`, as voxel bytes. */
export function fromScanOrder(ordered: Elements, shape: Dims3, axis: Axis): Uint8Array<ArrayBuffer> {
  if (axis === 0) return new Uint8Array(ordered.buffer);
  const memory = newElements(ordered.length, ordered.BYTES_PER_ELEMENT as CodecElementBytes);
  const { xStep, yStep, zStep } = orderOf(shape, axis);
  let target = 0;
  for (let z = 0; z < shape[2]; z++) {
    for (let y = 0; y < shape[1]; y++) {
      const end = target + shape[0];
      for (let i = y * yStep + z * zStep; target < end; i += xStep) memory[target++] = ordered[i] as number;
    }
  }
  return new Uint8Array(memory.buffer);
}

/**
 * Fills elements from `start` up to, not including, `end`. Short runs use a loop, because a call of `fill` costs as much as
 * about twenty elements.
 */
export function fillRun(elements: Elements, value: number, start: number, end: number): void {
  if (end - start > 20) elements.fill(value, start, end);
  else for (let i = start; i < end; i++) elements[i] = value;
}
