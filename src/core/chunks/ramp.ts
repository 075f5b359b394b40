import type { ChunkGeometry, ChunkStatistics, ChunkVoxels, CodecElementBytes } from '../codec/codec.ts';
import type { ComputedChunk, RampRule } from '../format/chunk.ts';
import { littleEndian, maxModulus, rampFault } from '../format/computed-run.ts';
import { StriaError } from '../shared/errors.ts';
import { fillElement } from './analyze.ts';

/** The full description of a chunk without payload. A constant chunk is a ramp without steps. */
export interface Ramp extends RampRule {
  /** The first element, as an unsigned number. */
  readonly first: number;
}

/** The differences between neighbouring elements of a chunk. GPU twin: shaders/gpu-chunks/ramp.wgsl. */
export interface StepsFound {
  /** From the first element to its neighbours along x, y and z, as signed numbers; 0 if there is no neighbour. */
  readonly steps: readonly [number, number, number];
  /**
   * How far the differences deviate from the step along their axis: the smallest nonzero deviation, and the largest. Both are 0
   * if there is no deviation.
   */
  readonly least: number;
  readonly most: number;
  /** The largest element. */
  readonly largest: number;
}

/** A prefix of a chunk's first row that already rules out most chunks. */
export const headBytes = 12;

/**
 * Whether a chunk is worth testing as a ramp: along each axis all neighbours differ or none do, and its first elements continue
 * as in a ramp.
 * @param head returns the first `headBytes` of its first row, or more; fewer if the row is shorter
 */
export function mayBeRamp({ changes }: ChunkStatistics, { shape, elementBytes }: ChunkGeometry, head: () => Uint8Array): boolean {
  const [x, y, z] = shape;
  const [alongX, alongY, alongZ] = changes;
  // Without closures: a GPU waits for this test of thousands of chunks.
  if (alongX !== 0 && alongX !== (x - 1) * y * z) return false;
  if (alongY !== 0 && alongY !== x * (y - 1) * z) return false;
  if (alongZ !== 0 && alongZ !== x * y * (z - 1)) return false;
  if (alongX === 0 && alongY === 0 && alongZ === 0) return false;
  const length = Math.min(x, headBytes / elementBytes);
  return findRamp({ bytes: head().subarray(0, length * elementBytes), shape: [length, 1, 1], elementBytes }) !== undefined;
}

/** The rule of a chunk that is a ramp or constant. Examines every element once. */
export function findRamp(chunk: ChunkVoxels): RampRule | undefined {
  const found = findSteps(chunk);
  return found && ruleOf(found, chunk.elementBytes);
}

/**
 * The rule that fits the steps. If every difference along an axis equals the axis's first difference or deviates from it by one
 * number m, the same m for all axes, and all elements are below m, then each element follows from its neighbour by adding the
 * step modulo m.
 */
export function ruleOf({ steps, least, most, largest }: StepsFound, elementBytes: CodecElementBytes): RampRule | undefined {
  const wrap = 2 ** (8 * elementBytes);
  const modulus = most === 0 || most === wrap ? 0 : most;
  if (least !== most || (modulus !== 0 && (modulus > Math.min(maxModulus, wrap) || largest >= modulus))) return undefined;
  const bound = modulus || wrap;
  const [x, y, z] = steps.map((step) => ((step % bound) + bound) % bound) as [number, number, number];
  return { steps: [x, y, z], modulus };
}

/** Undefined as soon as a third kind of difference appears: then `least` and `most` differ. */
function findSteps({ bytes, shape, elementBytes }: ChunkVoxels): StepsFound | undefined {
  const elements = elementsOf(bytes.byteOffset % elementBytes === 0 ? bytes : bytes.slice(), elementBytes);
  const [x, y, z] = shape;
  const first = elements[0] as number;
  const stepTo = (extent: number, at: number) => (extent > 1 ? (elements[at] as number) - first : 0);
  const steps = [stepTo(x, 1), stepTo(y, x), stepTo(z, x * y)] as const;
  // Elements of 4 bytes differ modulo 2^32, as on a GPU: either no difference deviates, or all elements are small and nothing
  // wraps.
  const isWide = elementBytes === 4;
  let most = 0;
  let largest = first;
  // Each element except the first is compared with an earlier one: in the first row along x, in the first slice along y, then
  // along z.
  for (const [start, end, back, step] of [
    [1, x, 1, steps[0]],
    [x, x * y, x, steps[1]],
    [x * y, x * y * z, x * y, steps[2]],
  ] as const) {
    for (let at = start; at < end; at++) {
      const element = elements[at] as number;
      if (element > largest) largest = element;
      const difference = element - (elements[at - back] as number) - step;
      const away = Math.abs(isWide ? difference | 0 : difference);
      if (away === 0 || away === most) continue;
      if (most !== 0) return undefined;
      most = away;
    }
  }
  return { steps, least: most, most, largest };
}

/** @throws StriaError `corrupt` for an element or a rule that does not fit the volume's elements */
export function rampOf(chunk: ComputedChunk, { elementBytes }: ChunkGeometry): Ramp {
  const { element } = chunk;
  if (element.byteLength !== elementBytes) {
    throw new StriaError('corrupt', `its element has ${element.byteLength} bytes; the volume's have ${elementBytes}`);
  }
  const first = littleEndian(element);
  if (chunk.kind === 'constant') return { first, steps: [0, 0, 0], modulus: 0 };
  const fault = rampFault(chunk, elementBytes, element);
  if (fault) throw new StriaError('corrupt', `it ${fault}`);
  return { first, steps: chunk.steps, modulus: chunk.modulus };
}

/** Writes a ramp's elements into a chunk, rows without padding. GPU twin: shaders/gpu-chunks/fill.wgsl. */
export function fillRamp({ bytes, shape, elementBytes }: ChunkVoxels, { first, steps, modulus }: Ramp): void {
  if (steps.every((step) => step === 0)) {
    fillElement(bytes, new Uint8Array(Uint32Array.of(first).buffer, 0, elementBytes));
    return;
  }
  const elements = elementsOf(bytes, elementBytes);
  const bound = modulus || 2 ** (8 * elementBytes);
  const next = (value: number, axis: 0 | 1 | 2) => {
    const sum = value + steps[axis];
    return sum < bound ? sum : sum - bound;
  };
  let at = 0;
  for (let z = 0, front = first; z < shape[2]; z++, front = next(front, 2)) {
    for (let y = 0, left = front; y < shape[1]; y++, left = next(left, 1)) {
      for (let x = 0, value = left; x < shape[0]; x++, value = next(value, 0)) elements[at++] = value;
    }
  }
}

const arrayOf = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array } as const;

/** The bytes as unsigned elements, in the same memory. */
function elementsOf(
  { buffer, byteOffset, byteLength }: Uint8Array,
  elementBytes: CodecElementBytes,
): { [index: number]: number } {
  return new arrayOf[elementBytes](buffer as ArrayBuffer, byteOffset, byteLength / elementBytes);
}
