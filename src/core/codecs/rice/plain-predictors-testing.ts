/** SPEC.md, 'Predictors', for the plain decoder beside this file. Only tests import this. */

type Three = readonly [number, number, number];

/** One running sum: its axis, the axes whose coordinates must be 0 on its lines, and whether it carries half. */
interface Sum {
  readonly along: 0 | 1 | 2;
  readonly where: readonly number[];
  readonly isHalf: boolean;
}

const axes = { x: 0, y: 1, z: 2 } as const;

/** The table's cell `z where x = y = 0` or `z, half` as data. */
const sum = (along: keyof typeof axes, where = '', isHalf = false): Sum => ({
  along: axes[along],
  where: [...where].map((axis) => axes[axis as keyof typeof axes]),
  isHalf,
});
const half = (along: keyof typeof axes) => sum(along, '', true);

/** The first, second and third sums of predictors 1 to 7. */
const sums: Readonly<Record<number, readonly Sum[]>> = {
  1: [sum('z', 'xy'), sum('y', 'x'), sum('x')],
  2: [sum('z', 'xy'), sum('x', 'y'), sum('y')],
  3: [sum('y', 'xz'), sum('x', 'z'), sum('z')],
  4: [sum('z', 'xy'), sum('y'), sum('x')],
  5: [sum('z'), sum('y'), sum('x')],
  6: [half('z'), half('y'), sum('x')],
  7: [half('z'), half('x'), sum('y')],
};

export function sumsOf(predictor: number): readonly Sum[] | undefined {
  return sums[predictor];
}

/** A block's elements from its residuals, both with x fastest, then y, then z. */
export function runningSums(
  residuals: readonly number[],
  extent: Three,
  allSums: readonly Sum[],
  base: number,
  w: 8 | 16,
): number[] {
  const values = residuals.map((residual) => modulo(residual, w));
  const step = [1, extent[0], extent[0] * extent[1]] as const;
  // 'the base in place of the first residual'
  values[0] = base;
  for (const [number, { along, where, isHalf }] of allSums.entries()) {
    const later = allSums.slice(number + 1).map((other) => other.along);
    for (let z = 0; z < extent[2]; z++) {
      for (let y = 0; y < extent[1]; y++) {
        for (let x = 0; x < extent[0]; x++) {
          const place = [x, y, z] as const;
          // 'Some sums run over only part of the lines: those whose named coordinates are 0.'
          if (where.some((axis) => place[axis] !== 0)) continue;
          // 'A sum along x replaces each residual, from the line's second on, by itself plus its predecessor along x'
          if (place[along] === 0) continue;
          const at = x * step[0] + y * step[1] + z * step[2];
          const before = values[at - step[along]] as number;
          // 'But where the coordinates of all axes that are summed later are 0, it adds the whole predecessor'
          const addsHalf = isHalf && later.some((axis) => place[axis] !== 0);
          values[at] = modulo((values[at] as number) + (addsHalf ? h(before, w) : before), w);
        }
      }
    }
  }
  return values;
}

/** 'the least whole number that is not below d / 2, with d taken as signed, −2^(w−1) ≤ d < 2^(w−1)' */
function h(d: number, w: 8 | 16): number {
  const signed = d < 2 ** (w - 1) ? d : d - 2 ** w;
  return Math.ceil(signed / 2);
}

/** The prediction of median or a linear predictor from the elements before `place`, which `valueAt` gives. */
export function predictionOf(
  predictor: number,
  valueAt: (place: Three) => number,
  place: Three,
  w: 8 | 16,
  isPicture: boolean,
): number {
  return predictor === 8 ? medianAt(valueAt, place) : linearAt(predictor, valueAt, place, w, isPicture);
}

/** SPEC.md, 'Predictors': 8, median. */
function medianAt(valueAt: (place: Three) => number, [x, y, z]: Three): number {
  const at = (left: number, above: number, behind: number) => valueAt([x - left, y - above, z - behind]);
  const planes: number[] = [];
  // 'the median of the planes a + b − ab, a + c − ac and b + c − bc'
  if (x > 0 && y > 0) planes.push(at(1, 0, 0) + at(0, 1, 0) - at(1, 1, 0));
  if (x > 0 && z > 0) planes.push(at(1, 0, 0) + at(0, 0, 1) - at(1, 0, 1));
  if (y > 0 && z > 0) planes.push(at(0, 1, 0) + at(0, 0, 1) - at(0, 1, 1));
  const neighbours: number[] = [];
  if (x > 0) neighbours.push(at(1, 0, 0));
  if (y > 0) neighbours.push(at(0, 1, 0));
  if (z > 0) neighbours.push(at(0, 0, 1));
  // 'with one, that one'
  if (neighbours.length === 1) return neighbours[0] as number;
  // 'clamped to the range of a, b and c; with two neighbours the one plane through them, clamped to theirs'
  const middle = planes.sort((one, other) => one - other)[planes.length === 3 ? 1 : 0] as number;
  return clamp(middle, Math.min(...neighbours), Math.max(...neighbours));
}

// SPEC.md, 'Linear'
const pictureNeighbours = ['a', 'b', 'ab', 'aa', 'bb', 'aab', 'abb', 'aaa', 'bbb'];
const pictureWeights: Readonly<Record<number, readonly number[]>> = {
  9: [10, 10, -5, -3, -2, 1, 1, 2, 2],
  10: [15, 13, -9, -7, -6, 2, 3, 3, 2],
  11: [21, 15, -12, -10, -6, 2, 3, 2, 1],
  12: [3, 3, 2, 2, 2, 1, 1, 1, 1],
  13: [13, 13, -3, -2, -2, -2, -1, 0, 0],
  14: [10, 9, -2, -1, -1, 0, 0, 1, 0],
  15: [16, 18, -12, -7, -8, 2, 3, 2, 2],
};
const volumeNeighbours = ['a', 'b', 'c', 'ab', 'ac', 'bc', 'abc', 'aa', 'bb', 'cc'];
const volumeWeights: Readonly<Record<number, readonly number[]>> = {
  9: [2, 2, 2, 2, 1, 1, 1, 2, 2, 1],
  10: [11, 10, 7, -4, -2, -2, 0, -2, -1, -1],
  11: [4, 9, 6, 2, 1, 1, -4, -1, -1, -1],
  12: [10, 12, 4, -3, -2, -1, 0, -2, -2, 0],
  13: [6, 9, 11, -1, -1, -1, -2, -1, -2, -2],
  14: [10, 8, 11, -2, -3, -2, -1, -2, -1, -2],
  15: [5, 13, 6, 1, 2, -1, -5, -1, -3, -1],
};

function linearAt(predictor: number, valueAt: (place: Three) => number, place: Three, w: 8 | 16, isPicture: boolean): number {
  const neighbours = isPicture ? pictureNeighbours : volumeNeighbours;
  const weights = (isPicture ? pictureWeights : volumeWeights)[predictor] as readonly number[];
  // 'The prediction is the sum of these neighbours times their weights, plus 8, divided by 16 and rounded down'
  let total = 8;
  for (const [number, name] of neighbours.entries()) total += (weights[number] as number) * valueAt(neighbourOf(place, name));
  const prediction = Math.floor(total / 16);
  // 'then clamped to what elements can be, 0 to 255 or −2^15 to 2^15 − 1'
  return w === 8 ? clamp(prediction, 0, 255) : clamp(prediction, -(2 ** 15), 2 ** 15 - 1);
}

/** The position of the neighbour with this name: 'aa is two elements to the left, aab the one above that, and so on' */
function neighbourOf(place: Three, name: string): Three {
  // 'A neighbour outside the block is replaced by the nearest element inside it: along each axis, the steps towards the
  // neighbour end at the block's edge.'
  const stepsAlong = (axis: 0 | 1 | 2) => Math.min([...name].filter((letter) => letter === 'abc'[axis]).length, place[axis]);
  const steps = [stepsAlong(0), stepsAlong(1), stepsAlong(2)] as const;
  if (steps.some((count) => count > 0)) return [place[0] - steps[0], place[1] - steps[1], place[2] - steps[2]];
  // 'If that is the element itself, it is a; where x = 0, b; where x = y = 0, c.'
  const [x, y, z] = place;
  return x > 0 ? [x - 1, y, z] : y > 0 ? [x, y - 1, z] : [x, y, z - 1];
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}

/** 'all arithmetic on them is modulo 2^w' */
function modulo(value: number, w: 8 | 16): number {
  return ((value % 2 ** w) + 2 ** w) % 2 ** w;
}
