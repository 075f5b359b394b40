// Visits a part's elements in the order in which they become known, and computes their contexts: src/core/codecs/wave/SPEC.md,
// 'Outside' to 'Special values'. Twin: src/core/codecs/wave/walk.ts.

/** Margin on each side of a slice, which holds stand-ins for elements outside. */
const margin: usize = 2;

/** Subtracted from stored values, so that they are signed 16-bit numbers, as vector products require. */
const center = 32768;

export let fraction: i32 = 0;
export let range: i32 = 0;
export let specialCount: i32 = 0;
export let special0: i32 = 0;
export let special1: i32 = 0;
let weights: usize = 0;

let height: usize = 0;
/** Bytes of a row with its margins, and of a slice's values; residuals follow them. */
let row: usize = 0;
let slice: usize = 0;
let slices: usize = 0;
let here: usize = 0;
let behind: usize = 0;
let farther: usize = 0;
/** The current element's byte within a slice. */
let at: usize = 0;
export let z: i32 = 0;

/** Eleven vectors of weights, one for each row of neighbours, beginning two left of the element; then three for slice 0. */
const vectors: usize = memory.data(14 * 16, 16);
/** Added to the sums, because `center` was subtracted from the values. */
let offset: i32 = 0;
let firstOffset: i32 = 0;

// The weights in each vector, from two to the left of the element to two to the right. 255 means none.
const places: usize = memory.data<u8>([
  4, 0, 255, 255, 255, 8, 2, 1, 3, 9, 255, 6, 5, 7, 255, 21, 11, 10, 13, 19, 255, 15, 12, 16, 255, 255, 17, 14, 18, 255, 255, 255,
  22, 255, 255, 255, 255, 20, 255, 255, 255, 24, 23, 26, 255, 255, 255, 25, 255, 255, 255, 255, 27, 255, 255,
]);

/** Bytes that `startPart` needs for its slices. */
export function workBytes(x: i32, y: i32): usize {
  return 3 * 2 * sliceBytes(x, y) + 32;
}

function sliceBytes(x: i32, y: i32): usize {
  return 2 * (<usize>x + 2 * margin) * (<usize>y + 2 * margin);
}

/** @param model fraction, range, number of special values, two special values, 28 weights and 28 of slice 0 */
export function startPart(model: usize, work: usize, x: i32, y: i32): void {
  fraction = load<i32>(model);
  range = load<i32>(model, 4);
  specialCount = load<i32>(model, 8);
  special0 = load<i32>(model, 12);
  special1 = load<i32>(model, 16);
  weights = model + 20;
  height = <usize>y;
  row = 2 * (<usize>x + 2 * margin);
  slice = sliceBytes(x, y);
  slices = work;
  memory.fill(vectors, 0, 14 * 16);
  offset = 0;
  firstOffset = 0;
  for (let vector = 0; vector < 11; vector++) {
    for (let lane = 0; lane < 5; lane++) {
      const place = <i32>load<u8>(places + <usize>(5 * vector + lane));
      if (place === 255) continue;
      const to = vectors + <usize>(16 * vector + 2 * lane);
      const weight = load<i32>(weights + <usize>(4 * place));
      store<i16>(to, <i16>weight);
      offset += weight * center;
      if (vector > 2) continue;
      const first = load<i32>(weights + <usize>(4 * (28 + place)));
      store<i16>(to + 11 * 16, <i16>first);
      firstOffset += first * center;
    }
  }
}

export function startSlice(number: i32): void {
  z = number;
  here = slices + 2 * slice * <usize>(number % 3);
  if (number === 0) {
    memory.fill(here + slice, 0, slice);
    for (let i: usize = 0; i < slice; i += 2) store<i16>(here + i, -32768);
    return;
  }
  behind = slices + 2 * slice * <usize>((number + 2) % 3);
  farther = number === 1 ? behind : slices + 2 * slice * <usize>((number + 1) % 3);
  for (let part: usize = 0; part < 2; part++) {
    const from = behind + part * slice;
    const to = here + part * slice;
    for (let margins: usize = 0; margins < margin; margins++) {
      memory.copy(from + margins * row, from + margin * row, row);
      memory.copy(to + margins * row, from + margin * row, row);
      memory.copy(from + (height + margin + margins) * row, from + (height + margin - 1) * row, row);
    }
    for (let y: usize = 0; y < height; y++) {
      const first = (y + margin) * row;
      const value = load<u16>(from + first + 2 * margin);
      store<u32>(to + first, <u32>value | ((<u32>value) << 16));
    }
  }
}

export function startRow(y: i32): void {
  at = (<usize>y + margin) * row + 2 * margin;
  if (z > 0 || y === 0) return;
  for (let part: usize = 0; part < 2; part++) {
    const to = here + part * slice;
    if (y === 1) {
      memory.copy(to, to + margin * row, row);
      memory.copy(to + row, to + margin * row, row);
    }
    const value = load<u16>(to + at - row);
    store<u32>(to + at - 4, <u32>value | ((<u32>value) << 16));
  }
}

/** In row 0 of slice 0 the element to the left is the stand-in for those above. */
export function raiseLeft(): void {
  for (let part: usize = 0; part < 2; part++) {
    const to = here + part * slice + at;
    const value = load<u16>(to - 2);
    for (let i: usize = 0; i <= 2 * margin; i++) {
      store<u16>(to - row - 4 + 2 * i, value);
      store<u16>(to - 2 * row - 4 + 2 * i, value);
    }
  }
}

/** Stores the current element's value and residual, and goes on to the next one. */
export function put(value: i32, prediction: i32): void {
  const isSpecial = (specialCount > 0 && value === special0) || (specialCount > 1 && value === special1);
  const limit = isSpecial ? 1 << fraction : 32767;
  const residual = max(-limit, min(limit, (value << fraction) - prediction));
  store<i16>(here + at, <i16>(value - center));
  store<i16>(here + slice + at, <i16>residual);
  at += 2;
}

export function endRow(): void {
  for (let part: usize = 0; part < 2; part++) {
    const to = here + part * slice + at;
    const value = load<u16>(to - 2);
    store<u32>(to, <u32>value | ((<u32>value) << 16));
  }
}

function dot(from: usize, vector: i32): v128 {
  return i32x4.dot_i16x8_s(v128.load(from), v128.load(vectors + <usize>(16 * vector)));
}

/** SPEC.md, 'Prediction' */
export function predict(): i32 {
  const first = here + at - 4;
  let sums: v128;
  let sum: i32;
  if (z === 0) {
    sums = i32x4.add(dot(first, 11), i32x4.add(dot(first - row, 12), dot(first - 2 * row, 13)));
    sum = firstOffset;
  } else {
    const back = behind + at - 4;
    const far = farther + at - 4;
    sums = i32x4.add(dot(first, 0), i32x4.add(dot(first - row, 1), dot(first - 2 * row, 2)));
    sums = i32x4.add(sums, i32x4.add(dot(back, 3), dot(back - row, 4)));
    sums = i32x4.add(sums, i32x4.add(dot(back + row, 5), dot(back - 2 * row, 6)));
    sums = i32x4.add(sums, i32x4.add(dot(back + 2 * row, 7), dot(far, 8)));
    sums = i32x4.add(sums, i32x4.add(dot(far - row, 9), dot(far + row, 10)));
    sum = offset;
  }
  sum += i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3);
  const highest = range << fraction;
  return max(0, min(highest, sum >> (8 - fraction)));
}

function value(slice: usize, place: usize): i32 {
  return <i32>load<i16>(slice + place) + center;
}

function residual(from: usize, place: usize): i32 {
  return <i32>load<i16>(from + slice + place);
}

function size(from: usize, place: usize): i32 {
  return abs(residual(from, place));
}

/** The row of a vector of weights. */
function rowOf(vector: i32): usize {
  switch (vector) {
    case 0:
      return here;
    case 1:
      return here - row;
    case 2:
      return here - 2 * row;
    case 3:
      return behind;
    case 4:
      return behind - row;
    case 5:
      return behind + row;
    case 6:
      return behind - 2 * row;
    case 7:
      return behind + 2 * row;
    case 8:
      return farther;
    case 9:
      return farther - row;
    default:
      return farther + row;
  }
}

/** The values that the prediction weighs, in SPEC.md's order; in slice 0 only the first ten. */
export function readNeighbours(to: usize): void {
  for (let vector = 0; vector < (z === 0 ? 3 : 11); vector++) {
    const from = rowOf(vector);
    for (let lane = 0; lane < 5; lane++) {
      const place = <i32>load<u8>(places + <usize>(5 * vector + lane));
      if (place !== 255) store<i32>(to + <usize>(4 * place), value(from, at - 4 + <usize>(2 * lane)));
    }
  }
}

/** SPEC.md, 'Energy' */
export function energy(): i32 {
  const up = at - row;
  const near =
    8 * (size(here, at - 2) + size(here, up)) +
    4 * (size(here, up + 2) + size(here, up - 2)) +
    2 * (size(here, at - 4) + size(here, up - row));
  if (z === 0) return (18 * near) >> 7;
  const far =
    8 * size(behind, at) + 4 * (size(behind, at + 2) + size(behind, at + row)) + 2 * (size(behind, at - 2) + size(behind, up));
  return (12 * near + 9 * far) >> 7;
}

/** The weight of residuals around the element when weights are fitted. */
export function unrest(): i32 {
  const up = at - row;
  const sides = size(here, at - 2) + size(here, up) + (z === 0 ? 0 : size(behind, at));
  return (2 * sides + size(here, up + 2) + size(here, up - 2)) >> fraction;
}

export function levelOf(energy: i32): i32 {
  if (energy === 0) return 0;
  const octave = 31 - clz(energy);
  return min(31, 2 * octave + ((energy << 6) >> octave >= 91 ? 1 : 0));
}

export function scaleOf(energy: i32): i32 {
  return max(energy >> 2, (3 << fraction) >> 3);
}

function signOf(difference: i32, limit: i32): i32 {
  return difference << 3 >= limit ? 1 : difference << 3 <= -limit ? -1 : 0;
}

/** SPEC.md, 'Bias': the cell of residuals. */
export function residualCell(scale: i32): i32 {
  const limit = 6 * scale;
  const last = z === 0 ? 0 : signOf(residual(behind, at), limit);
  return 13 + 9 * signOf(residual(here, at - 2), limit) + 3 * signOf(residual(here, at - row), limit) + last;
}

/** SPEC.md, 'Bias': the cell of gradients. */
export function gradientCell(scale: i32, prediction: i32): i32 {
  const limit = 6 * scale;
  const up = at - row;
  const left = value(here, at - 2);
  const above = value(here, up);
  let first = above;
  let second = value(here, up + 2);
  if (z > 0) {
    const straight = value(behind, at);
    first = left + straight - value(behind, at - 2);
    second = above + straight - value(behind, up);
  }
  const third = left + above - value(here, up - 2);
  return (
    13 +
    9 * signOf((first << fraction) - prediction, limit) +
    3 * signOf((second << fraction) - prediction, limit) +
    signOf((third << fraction) - prediction, limit)
  );
}

/** SPEC.md, 'Special values': the context of a flag. */
export function flagContext(special: i32, energy: i32, level: i32, prediction: i32): i32 {
  const up = at - row;
  const is = <i16>(special - center);
  let near = i32(load<i16>(here + at - 2) === is) + 2 * i32(load<i16>(here + up) === is);
  let others = i32(load<i16>(here + up + 2) === is) + i32(load<i16>(here + up - 2) === is);
  if (z > 0) {
    near += 4 * i32(load<i16>(behind + at) === is);
    others += i32(load<i16>(behind + at + 2) === is) + i32(load<i16>(behind + at + row) === is);
  }
  const distance = 8 * abs(prediction - (special << fraction));
  const unit = max(2, energy);
  let reach = 0;
  while (reach < 7 && distance >= unit << reach) reach++;
  const calm = level < 8 ? 0 : level < 13 ? 1 : 2;
  return ((near * 5 + others) * 8 + reach) * 3 + calm + (z > 0 ? 960 : 0);
}
