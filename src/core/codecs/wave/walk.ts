import type { Dims3 } from '../../shared/volume.ts';
import { inPlaneCount, type Model, neighbourCount, neighbours, residualOf, scaleOf, signCell } from './model.ts';

/** The margin on each side of a slice, which holds stand-ins for elements outside. */
const margin = 2;

/** The elements of a slice and their residuals, with margins. */
interface Slice {
  readonly values: Int32Array;
  readonly residuals: Int32Array;
}

/**
 * Visits a part's elements in coding order, and keeps the data for predictions: three slices with margins, which hold the
 * stand-ins of SPEC.md, 'Outside'.
 */
export class Walk {
  readonly model: Model;
  /** The current element's slice. */
  z = 0;
  y = 0;
  readonly #extent: Dims3;
  readonly #pitch: number;
  readonly #offsets: Int32Array;
  /** The last three slices: slice z is at index z mod 3. */
  readonly #slices: readonly Slice[];
  #here: Slice;
  #behind: Slice;
  #farther: Slice;
  #at = 0;

  constructor(model: Model, extent: Dims3) {
    this.model = model;
    this.#extent = extent;
    this.#pitch = extent[0] + 2 * margin;
    this.#offsets = Int32Array.from(neighbours, ([x, y]) => y * this.#pitch + x);
    const size = this.#pitch * (extent[1] + 2 * margin);
    const slice = (): Slice => ({ values: new Int32Array(size), residuals: new Int32Array(size) });
    this.#slices = [slice(), slice(), slice()];
    [this.#here, this.#behind, this.#farther] = this.#slices as [Slice, Slice, Slice];
  }

  /** @param code codes an element and returns its value (the element minus the lowest); it may read the element's contexts */
  run(code: (prediction: number) => number): void {
    const [width, height, depth] = this.#extent;
    for (this.z = 0; this.z < depth; this.z++) {
      this.#startSlice();
      for (this.y = 0; this.y < height; this.y++) {
        this.#at = (this.y + margin) * this.#pitch + margin;
        if (this.z === 0) this.#startFirstRow();
        for (let x = 0; x < width; x++, this.#at++) {
          if (this.z === 0 && this.y === 0) this.#raiseLeft();
          const prediction = this.#predict();
          const value = code(prediction);
          this.#here.values[this.#at] = value;
          this.#here.residuals[this.#at] = residualOf(this.model, value, prediction);
        }
        for (let i = 0; i < margin; i++) this.#fill(this.#here, this.#at - 1, this.#here, this.#at + i, 1);
      }
    }
  }

  /** Reads the values that the prediction weighs, in the order of `neighbours`; in slice 0, only those of the first ten. */
  readNeighbours(into: Int32Array): void {
    for (let i = 0; i < neighbourCount; i++) {
      if (this.z === 0 && i >= inPlaneCount) return;
      into[i] = this.#slice(i).values[this.#at + (this.#offsets[i] as number)] as number;
    }
  }

  /** SPEC.md, 'Energy'. */
  energy(): number {
    const at = this.#at;
    const above = at - this.#pitch;
    const here = this.#here.residuals;
    const near =
      8 * (size(here, at - 1) + size(here, above)) +
      4 * (size(here, above + 1) + size(here, above - 1)) +
      2 * (size(here, at - 2) + size(here, above - this.#pitch));
    if (this.z === 0) return (18 * near) >> 7;
    const behind = this.#behind.residuals;
    const far =
      8 * size(behind, at) +
      4 * (size(behind, at + 1) + size(behind, at + this.#pitch)) +
      2 * (size(behind, at - 1) + size(behind, above));
    return (12 * near + 9 * far) >> 7;
  }

  /** The variation of the element's surroundings by residuals, for `fitWeight`. */
  unrest(): number {
    const at = this.#at;
    const above = at - this.#pitch;
    const here = this.#here.residuals;
    const sides = size(here, at - 1) + size(here, above) + (this.z === 0 ? 0 : size(this.#behind.residuals, at));
    return (2 * sides + size(here, above + 1) + size(here, above - 1)) >> this.model.fraction;
  }

  residualCell(energy: number): number {
    const here = this.#here.residuals;
    const behind = this.z === 0 ? 0 : (this.#behind.residuals[this.#at] as number);
    const scale = scaleOf(energy, this.model.fraction);
    return signCell(here[this.#at - 1] as number, here[this.#at - this.#pitch] as number, behind, scale);
  }

  gradientCell(energy: number, prediction: number): number {
    const at = this.#at;
    const above = at - this.#pitch;
    const here = this.#here.values;
    const left = here[at - 1] as number;
    const up = here[above] as number;
    const leftUp = here[above - 1] as number;
    let first = up;
    let second = here[above + 1] as number;
    if (this.z > 0) {
      const behind = this.#behind.values;
      const straight = behind[at] as number;
      first = left + straight - (behind[at - 1] as number);
      second = up + straight - (behind[above] as number);
    }
    const { fraction } = this.model;
    const from = (value: number) => (value << fraction) - prediction;
    return signCell(from(first), from(second), from(left + up - leftUp), scaleOf(energy, fraction));
  }

  /** The context of the question whether the element has this special value: SPEC.md, 'Special values'. */
  flagContext(special: number, energy: number, level: number, prediction: number): number {
    const at = this.#at;
    const above = at - this.#pitch;
    const here = this.#here.values;
    const is = (values: Int32Array, place: number) => (values[place] === special ? 1 : 0);
    let near = is(here, at - 1) + 2 * is(here, above);
    let others = is(here, above + 1) + is(here, above - 1);
    if (this.z > 0) {
      const behind = this.#behind.values;
      near += 4 * is(behind, at);
      others += is(behind, at + 1) + is(behind, at + this.#pitch);
    }
    const distance = 8 * Math.abs(prediction - (special << this.model.fraction));
    const unit = Math.max(2, energy);
    let reach = 0;
    while (reach < 7 && distance >= unit << reach) reach++;
    const calm = level < 8 ? 0 : level < 13 ? 1 : 2;
    return ((near * 5 + others) * 8 + reach) * 3 + calm + (this.z > 0 ? 960 : 0);
  }

  /** SPEC.md, 'Prediction'. It is unrolled, because it dominates the time of encoding and decoding. */
  #predict(): number {
    const { model } = this;
    const at = this.#at;
    const row = this.#pitch;
    const here = this.#here.values;
    const w = this.z === 0 ? model.firstWeights : model.weights;
    const up = at - row;
    let sum =
      term(w, 0, here, at - 1) +
      term(w, 1, here, up) +
      term(w, 2, here, up - 1) +
      term(w, 3, here, up + 1) +
      term(w, 4, here, at - 2);
    sum +=
      term(w, 5, here, up - row) +
      term(w, 6, here, up - row - 1) +
      term(w, 7, here, up - row + 1) +
      term(w, 8, here, up - 2) +
      term(w, 9, here, up + 2);
    if (this.z > 0) {
      const behind = this.#behind.values;
      const farther = this.#farther.values;
      const down = at + row;
      sum +=
        term(w, 10, behind, at) +
        term(w, 11, behind, at - 1) +
        term(w, 12, behind, up) +
        term(w, 13, behind, at + 1) +
        term(w, 14, behind, down);
      sum +=
        term(w, 15, behind, up - 1) + term(w, 16, behind, up + 1) + term(w, 17, behind, down - 1) + term(w, 18, behind, down + 1);
      sum +=
        term(w, 19, behind, at + 2) +
        term(w, 20, behind, down + row) +
        term(w, 21, behind, at - 2) +
        term(w, 22, behind, up - row);
      sum +=
        term(w, 23, farther, at) +
        term(w, 24, farther, at - 1) +
        term(w, 25, farther, up) +
        term(w, 26, farther, at + 1) +
        term(w, 27, farther, down);
    }
    const prediction = sum >> (8 - model.fraction);
    const highest = model.range << model.fraction;
    return prediction < 0 ? 0 : prediction > highest ? highest : prediction;
  }

  #slice(neighbour: number): Slice {
    return neighbour < inPlaneCount ? this.#here : neighbour < 23 ? this.#behind : this.#farther;
  }

  /** Prepares the margins of slice 0, where the first element of the row above stands to the left of each row. */
  #startFirstRow(): void {
    if (this.y === 0) return;
    const first = this.#at - this.#pitch;
    if (this.y === 1) this.#fill(this.#here, first - margin, this.#here, 0, this.#pitch);
    if (this.y === 1) this.#fill(this.#here, first - margin, this.#here, this.#pitch, this.#pitch);
    for (let i = 1; i <= margin; i++) this.#fill(this.#here, first, this.#here, this.#at - i, 1);
  }

  /** Sets the stand-ins above row 0 of slice 0 to the element on the left. */
  #raiseLeft(): void {
    for (let column = -margin; column <= margin; column++) {
      for (const row of [1, 2]) this.#fill(this.#here, this.#at - 1, this.#here, this.#at - row * this.#pitch + column, 1);
    }
  }

  #startSlice(): void {
    const place = (z: number) => this.#slices[(z + 3) % 3] as Slice;
    this.#here = place(this.z);
    if (this.z === 0) return;
    const behind = place(this.z - 1);
    this.#behind = behind;
    this.#farther = this.z === 1 ? behind : place(this.z - 2);
    const pitch = this.#pitch;
    const height = this.#extent[1];
    for (let row = 0; row < margin; row++) {
      this.#fill(behind, margin * pitch, behind, row * pitch, pitch);
      this.#fill(behind, margin * pitch, this.#here, row * pitch, pitch);
      this.#fill(behind, (height + margin - 1) * pitch, behind, (height + margin + row) * pitch, pitch);
    }
    for (let y = 0; y < height; y++) {
      const row = (y + margin) * pitch;
      for (let i = 0; i < margin; i++) this.#fill(behind, row + margin, this.#here, row + i, 1);
    }
  }

  #fill(from: Slice, at: number, into: Slice, to: number, count: number): void {
    for (let i = 0; i < count; i++) {
      into.values[to + i] = from.values[at + i] as number;
      into.residuals[to + i] = from.residuals[at + i] as number;
    }
  }
}

function term(weights: Int32Array, number: number, values: Int32Array, at: number): number {
  return (weights[number] as number) * (values[at] as number);
}

function size(residuals: Int32Array, at: number): number {
  return Math.abs(residuals[at] as number);
}
