import type { HalvingMethod } from '../shared/halving.ts';
import { type Dims3, type ElementType, elementBytes, typedVoxels, type VoxelArray } from '../shared/volume.ts';

/**
 * Halves volumes along some axes. docs/FORMAT.md, 'Levels', defines every bit of the result. At the end of an odd length, a voxel
 * combines only the existing ones.
 * @param dims of each volume
 * @param steps 2 along an axis that is halved, otherwise 1
 * @param count the number of consecutive volumes
 */
export function halve(
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

/** The lengths of a volume halved along the axes whose step is 2. */
export function halvedDims(dims: Dims3, steps: Dims3): Dims3 {
  return [Math.ceil(dims[0] / steps[0]), Math.ceil(dims[1] / steps[1]), Math.ceil(dims[2] / steps[2])];
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
  return type === 'u32' || type === 'i32'
    ? meanOfIntegers(from, to, width, step, new Float64Array(width), (value) => Math.floor(value))
    : meanOfIntegers(from, to, width, step, new Int32Array(width), (value) => value | 0);
}

/** Sums are whole, and numbers of voxels are powers of two, so that nothing is lost before the rounding: halves away from zero. */
function meanOfIntegers(
  from: VoxelArray,
  to: VoxelArray,
  width: number,
  step: number,
  sums: Float64Array | Int32Array,
  floor: (value: number) => number,
): RowHalver {
  const mean = (sum: number, count: number) => (sum < 0 ? -floor((count / 2 - sum) / count) : floor((sum + count / 2) / count));
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
      for (let x = 0; x < whole; x++) to[at + x] = mean((sums[2 * x] as number) + (sums[2 * x + 1] as number), count);
    else for (let x = 0; x < whole; x++) to[at + x] = mean(sums[x] as number, count);
    if (step * whole < width) to[at + whole] = mean(sums[width - 1] as number, rows.length);
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
    for (let x = 0; x < width; x += step) {
      let sum = 0;
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
