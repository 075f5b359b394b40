import type { HalvingMethod } from '../shared/halving.ts';
import { type Dims3, type ElementType, elementBytes, typedVoxels, type VoxelArray } from '../shared/volume.ts';
import { halvedDims } from './halved-dims.ts';

/**
 * `halve` without WebAssembly.
 * @param dims of each volume
 * @param steps 2 along an axis that is halved, otherwise 1
 * @param count the number of consecutive volumes
 */
export function halveByReference(
  from: VoxelArray,
  type: ElementType,
  dims: Dims3,
  steps: Dims3,
  count: number,
  method: HalvingMethod,
): VoxelArray {
  const [mx, my, mz] = halvedDims(dims, steps);
  const to = typedVoxels(type, new Uint8Array(mx * my * mz * count * elementBytes(type)));
  const halveRow = rowHalver(from, to, type, dims[0], steps[0], method);
  const [, ny, nz] = dims;
  const rows: number[] = [];
  for (let row = 0; row < my * mz * count; row++) {
    const y = (row % my) * steps[1];
    const plane = Math.floor(row / my);
    const volume = Math.floor(plane / mz);
    const z = (plane % mz) * steps[2];
    rows.length = 0;
    for (let nearZ = z; nearZ < Math.min(z + steps[2], nz); nearZ++) {
      for (let nearY = y; nearY < Math.min(y + steps[1], ny); nearY++) {
        rows.push(((volume * nz + nearZ) * ny + nearY) * dims[0]);
      }
    }
    halveRow(rows, row * mx);
  }
  return to;
}

/** Halves 1, 2 or 4 rows, which start at `rows`, into one at `at`. */
type RowHalver = (rows: readonly number[], at: number) => void;

function rowHalver(
  from: VoxelArray,
  to: VoxelArray,
  type: ElementType,
  width: number,
  step: number,
  method: HalvingMethod,
): RowHalver {
  if (method === 'mode') return modeOfRows(from, to, width, step);
  if (type === 'f32' || type === 'f64') return meanOfFloats(from, to, type, width, step);
  if (type === 'u32' || type === 'i32') return meanOfIntegers(from, to, width, step);
  const general = meanOfIntegers(from, to, width, step);
  const whole = step === 2 ? width >> 1 : 0;
  return (rows, at) => {
    if (rows.length !== 4 || whole === 0) return general(rows, at);
    meanOfEight(from, to, whole, rows, at);
    if (2 * whole < width)
      to[at + whole] = meanOf(
        rows.reduce((sum, row) => sum + (from[row + width - 1] as number), 0),
        4,
      );
  };
}

/** The usual case, of whole numbers of 8 or 16 bits, without another pass: this takes most of the time of making levels. */
function meanOfEight(
  from: VoxelArray,
  to: VoxelArray,
  count: number,
  [a = 0, b = 0, c = 0, d = 0]: readonly number[],
  at: number,
) {
  for (let x = 0; x < count; x++) {
    const i = 2 * x;
    const sum =
      (from[a + i] as number) +
      (from[a + i + 1] as number) +
      (from[b + i] as number) +
      (from[b + i + 1] as number) +
      (from[c + i] as number) +
      (from[c + i + 1] as number) +
      (from[d + i] as number) +
      (from[d + i + 1] as number);
    // Halves are rounded away from zero: of negative sums one less is added.
    to[at + x] = (sum + 4 + (sum >> 31)) >> 3;
  }
}

/** Sums are whole, and numbers of voxels are powers of two, so that nothing is lost before the rounding: halves away from zero. */
function meanOf(sum: number, count: number): number {
  return sum < 0 ? -Math.floor((count / 2 - sum) / count) : Math.floor((sum + count / 2) / count);
}

function meanOfIntegers(from: VoxelArray, to: VoxelArray, width: number, step: number): RowHalver {
  const sums = new Float64Array(width);
  return (rows, at) => {
    const [a = 0, b, c, d] = rows;
    if (b === undefined) for (let x = 0; x < width; x++) sums[x] = from[a + x] as number;
    else if (c === undefined || d === undefined)
      for (let x = 0; x < width; x++) sums[x] = (from[a + x] as number) + (from[b + x] as number);
    else
      for (let x = 0; x < width; x++)
        sums[x] = (from[a + x] as number) + (from[b + x] as number) + (from[c + x] as number) + (from[d + x] as number);
    const whole = step === 2 ? width >> 1 : width;
    const count = rows.length * step;
    if (step === 2)
      for (let x = 0; x < whole; x++) to[at + x] = meanOf((sums[2 * x] as number) + (sums[2 * x + 1] as number), count);
    else for (let x = 0; x < whole; x++) to[at + x] = meanOf(sums[x] as number, count);
    if (step * whole < width) to[at + whole] = meanOf(sums[width - 1] as number, rows.length);
  };
}

/** Files mark missing values by NaN, infinities or the largest 32-bit float; only smaller ones are numbers. */
const largestFloat = 3.4028234663852886e38;

function meanOfFloats(from: VoxelArray, to: VoxelArray, type: 'f32' | 'f64', width: number, step: number): RowHalver {
  // A voxel that is not a number is copied by its bits, because an engine may change those of a NaN.
  const words = type === 'f32' ? 1 : 2;
  const bitsFrom = new Uint32Array(from.buffer, from.byteOffset, from.length * words);
  const bitsTo = new Uint32Array(to.buffer, to.byteOffset, to.length * words);
  return (rows, at) => {
    const [a = 0, b = 0, c = 0, d = 0] = rows;
    const whole = rows.length === 4 && step === 2 ? width - 1 : 0;
    for (let x = 0; x < width; x += step) {
      if (x < whole) {
        const v0 = from[a + x] as number;
        const v1 = from[a + x + 1] as number;
        const v2 = from[b + x] as number;
        const v3 = from[b + x + 1] as number;
        const v4 = from[c + x] as number;
        const v5 = from[c + x + 1] as number;
        const v6 = from[d + x] as number;
        const v7 = from[d + x + 1] as number;
        const low = Math.abs(v0) + Math.abs(v1) + Math.abs(v2) + Math.abs(v3);
        // The usual case: only if all are numbers is this below the largest one.
        if (low + Math.abs(v4) + Math.abs(v5) + Math.abs(v6) + Math.abs(v7) < largestFloat) {
          to[at + x / 2] = (v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7) / 8;
          continue;
        }
      }
      // The sum of negative zeros alone, as above, is one.
      let sum = -0;
      let found = 0;
      for (const row of rows) {
        for (let near = x; near < Math.min(x + step, width); near++) {
          const value = from[row + near] as number;
          if (!(Math.abs(value) < largestFloat)) continue;
          sum += value;
          found++;
        }
      }
      const target = at + x / step;
      if (found > 0) to[target] = sum / found;
      else {
        const first = ((rows[0] as number) + x) * words;
        for (let word = 0; word < words; word++) bitsTo[target * words + word] = bitsFrom[first + word] as number;
      }
    }
  };
}

function modeOfRows(from: VoxelArray, to: VoxelArray, width: number, step: number): RowHalver {
  const near = new Array<number>(8).fill(0);
  return (rows, at) => {
    const [a = 0, b = a, c = a, d = b] = rows;
    for (let x = 0; x < width; x += step) {
      const next = Math.min(x + step, width) - 1;
      const first = from[a + x] as number;
      // Most voxels of a segmentation are alike. A voxel that does not exist is replaced by one that does.
      const isUniform =
        from[a + next] === first &&
        from[b + x] === first &&
        from[b + next] === first &&
        from[c + x] === first &&
        from[c + next] === first &&
        from[d + x] === first &&
        from[d + next] === first;
      to[at + x / step] = isUniform ? first : mostFrequentAt(x, Math.min(x + step, width));
    }

    function mostFrequentAt(start: number, end: number): number {
      let found = 0;
      for (let row = 0; row < rows.length; row++) {
        for (let x = start; x < end; x++) near[found++] = from[(rows[row] as number) + x] as number;
      }
      return mostFrequent(near, found);
    }
  };
}

/** Among equally frequent values, the first one. */
function mostFrequent(values: readonly number[], length: number): number {
  let best = values[0] as number;
  let bestCount = 0;
  for (let at = 0; at < length - bestCount; at++) {
    let count = 0;
    for (let other = at; other < length; other++) if (values[other] === values[at]) count++;
    if (count > bestCount) {
      best = values[at] as number;
      bestCount = count;
    }
  }
  return best;
}
