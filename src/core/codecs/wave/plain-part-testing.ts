/** SPEC.md, 'A part' and the following sections, for the plain decoder beside this file. Imported only by tests. */
import { StriaError } from '../../shared/errors.ts';
import { chances, frequencies } from './plain-tables-testing.ts';

type Three = readonly [number, number, number];

// biome-ignore format: as in SPEC.md
const neighbours: readonly Three[] = [
  [-1, 0, 0], [0, -1, 0], [-1, -1, 0], [1, -1, 0], [-2, 0, 0], [0, -2, 0], [-1, -2, 0], [1, -2, 0], [-2, -1, 0], [2, -1, 0],
  [0, 0, -1], [-1, 0, -1], [0, -1, -1], [1, 0, -1], [0, 1, -1], [-1, -1, -1], [1, -1, -1], [-1, 1, -1], [1, 1, -1],
  [2, 0, -1], [0, 2, -1], [-2, 0, -1], [0, -2, -1],
  [0, 0, -2], [-1, 0, -2], [0, -1, -2], [1, 0, -2], [0, 1, -2],
];

const clamp = (a: number, b: number, c: number) => Math.max(b, Math.min(c, a));

export class PlainPart {
  readonly #bytes: Uint8Array;
  readonly #extent: Three;
  readonly #w: number;
  readonly #F: number;
  #bit = 0;
  #range = 0;
  #specials: number[] = [];
  #weights: number[] = [];
  #firstWeights: number[] = [];
  #levels: number[] = [];
  #biases: [number[], number[]] = [[], []];
  readonly #values: Int32Array;
  readonly #residuals: Int32Array;

  constructor(bytes: Uint8Array, extent: Three, w: number) {
    this.#bytes = bytes;
    this.#extent = extent;
    this.#w = w;
    // 'F is 4 where w = 8, 2 where w = 16.'
    this.#F = w === 8 ? 4 : 2;
    this.#values = new Int32Array(extent[0] * extent[1] * extent[2]);
    this.#residuals = new Int32Array(this.#values.length);
  }

  elements(): ArrayLike<number> {
    const [X, Y, Z] = this.#extent;
    const bytes = this.#bytes;
    const count = X * Y * Z;
    const [head] = bytes as unknown as [number];
    const stored = (i: number) =>
      Array.from({ length: this.#w / 8 }, (_, byte) => (bytes[1 + (i * this.#w) / 8 + byte] as number) * 256 ** byte).reduce(
        (a, b) => a + b,
      );
    if (head === 0) {
      // 'w / 8: all elements are this'
      if (bytes.length !== 1 + this.#w / 8) throw corrupt('has one value and another length');
      return new Array<number>(count).fill(stored(0));
    }
    if (head === 1) {
      // 'its elements, x fastest, then y, then z'
      if (bytes.length !== 1 + (count * this.#w) / 8) throw corrupt('is raw and has another length');
      return Array.from({ length: count }, (_, i) => stored(i));
    }
    const { lowest, lanes } = this.#header();
    for (let z = 0; z < Z; z++) {
      for (let y = 0; y < Y; y++) for (let x = 0; x < X; x++) this.#element([x, y, z], lanes[y] as Lane);
    }
    for (const lane of lanes) lane.end();
    // 'the element minus the lowest one, modulo 2^w'
    return this.#values.map((value) => (value + lowest) % 2 ** this.#w);
  }

  /** 'fields of several bits begin with their lowest bit' */
  #field(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++, this.#bit++) {
      const byte = this.#bytes[this.#bit >> 3];
      if (byte === undefined) throw corrupt('ends within its header');
      value += ((byte >> (this.#bit & 7)) & 1) * 2 ** i;
    }
    return value;
  }

  /** 'Signed numbers are two's complement.' */
  #signed(count: number): number {
    const value = this.#field(count);
    return value < 2 ** (count - 1) ? value : value - 2 ** count;
  }

  /** SPEC.md, 'A coded part' */
  #header(): { lowest: number; lanes: Lane[] } {
    const [, Y, Z] = this.#extent;
    const [kind, s, v] = [this.#field(2), this.#field(2), this.#field(4)];
    // 'A decoder refuses any other first byte'
    if (kind !== 2 || s === 3) throw corrupt('has another first byte');
    const [lowest, range] = [this.#field(this.#w), this.#field(this.#w)];
    this.#range = range;
    this.#specials = Array.from({ length: s }, () => this.#field(this.#w));
    // 'with a range of 0, with a special value beyond the range, with two equal ones'
    if (range === 0 || this.#specials.some((one) => one > range) || new Set(this.#specials).size < s) {
      throw corrupt('has a wrong range or special value');
    }
    // 'the weights c0 to c27, signed; none where Z = 1'
    if (Z > 1) this.#weights = Array.from({ length: 28 }, () => this.#signed(11));
    this.#firstWeights = Array.from({ length: 10 }, () => this.#signed(11));
    // 'for each level: the level whose tables it uses'
    this.#levels = Array.from({ length: 32 }, () => this.#field(5));
    const biases = () => Array.from({ length: 27 }, () => this.#signed(6));
    this.#biases = [biases(), biases()];
    const shortest = this.#field(16);
    const lengths = Array.from({ length: Y }, () => shortest + this.#field(v));
    // 'with padding bits that are not 0'
    while (this.#bit % 8 !== 0) if (this.#field(1) !== 0) throw corrupt('has bits behind its header that are not 0');
    let at = this.#bit / 8;
    // 'one whose lanes do not end where it ends'
    if (lengths.reduce((sum, length) => sum + length, at) !== this.#bytes.length) throw corrupt('has lanes that end elsewhere');
    const lanes = lengths.map((length) => {
      at += length;
      return new Lane(this.#bytes.subarray(at - length, at));
    });
    return { lowest, lanes };
  }

  /** SPEC.md, 'Outside': the index of the stand-in, or undefined if there is none. */
  #neighbour([x, y, z]: Three, [i, j, k]: Three): number | undefined {
    const [X, Y] = this.#extent;
    let [nx, ny, nz] = [x + i, y + j, z + k];
    // 'Where y = z = 0 and j < 0, it is (x − 1, 0, 0) instead, whatever i and j are.'
    if (y === 0 && z === 0 && j < 0) [nx, ny, nz] = [x - 1, 0, 0];
    // 'A row above row 0 is row 0: of the slice behind where k = 0 and z > 0, else of its own slice.'
    if (ny < 0) {
      ny = 0;
      if (k === 0 && z > 0) nz--;
    }
    // 'A row below the last one is the last one.'
    if (ny >= Y) ny = Y - 1;
    // 'A slice before slice 0 is slice 0.'
    if (nz < 0) nz = 0;
    // 'An element to the left of a row is the first of that row in the slice behind; in slice 0 the first of the row above it; in row 0
    // of slice 0 there is none: its value and its residual are 0.'
    if (nx < 0) {
      nx = 0;
      if (nz > 0) nz--;
      else if (ny > 0) ny--;
      else return undefined;
    }
    // 'An element to the right of a row is the row's last.'
    if (nx >= X) nx = X - 1;
    return (nz * Y + ny) * X + nx;
  }

  #element(place: Three, lane: Lane): void {
    const F = this.#F;
    const z = place[2];
    const top = this.#range * 2 ** F;
    const at = (i: number, j: number, k: number) => this.#neighbour(place, [i, j, k]);
    const n = (i: number, j: number, k: number) => this.#values[at(i, j, k) ?? -1] ?? 0;
    const residual = (i: number, j: number, k: number) => this.#residuals[at(i, j, k) ?? -1] ?? 0;
    const size = (i: number, j: number, k: number) => Math.abs(residual(i, j, k));

    // 'the sum of its neighbours' values times their weights, >> (8 − F), clamped to 0 … range << F. In slice 0 only the first
    // ten neighbours count, with the weights of slice 0.'
    const weights = z === 0 ? this.#firstWeights : this.#weights;
    const sum = weights.reduce((total, weight, c) => total + weight * n(...(neighbours[c] as Three)), 0);
    const s = clamp(Math.floor(sum / 2 ** (8 - F)), 0, top);

    // SPEC.md, 'Energy'
    const A =
      8 * size(-1, 0, 0) +
      8 * size(0, -1, 0) +
      4 * size(1, -1, 0) +
      4 * size(-1, -1, 0) +
      2 * size(-2, 0, 0) +
      2 * size(0, -2, 0);
    const B =
      z === 0 ? 0 : 8 * size(0, 0, -1) + 4 * size(1, 0, -1) + 4 * size(0, 1, -1) + 2 * size(-1, 0, -1) + 2 * size(0, -1, -1);
    // 'The energy is (12 A + 9 B) >> 7; in slice 0 it is 18 A >> 7.'
    const e = Math.floor((z === 0 ? 18 * A : 12 * A + 9 * B) / 128);
    // 'it is 2 m, and 1 more where ((e << 6) >> m) ≥ 91, but at most 31'
    const m = floorLog2(e);
    const level = e === 0 ? 0 : Math.min(31, 2 * m + (Math.floor((e * 64) / 2 ** m) >= 91 ? 1 : 0));
    // 'The scale is e >> 2, but at least (3 << F) >> 3.'
    const scale = Math.max(Math.floor(e / 4), Math.floor((3 * 2 ** F) / 8));

    // SPEC.md, 'Bias'
    const sign = (d: number) => (8 * Math.abs(d) < 6 * scale ? 0 : Math.sign(d));
    const cell = (p: number, q: number, r: number) => 9 * (sign(p) + 1) + 3 * (sign(q) + 1) + sign(r) + 1;
    // 'The cell of residuals has the signs of the residuals of (−1, 0, 0), (0, −1, 0) and (0, 0, −1); the last is 0 in slice 0.'
    const byResiduals = cell(residual(-1, 0, 0), residual(0, -1, 0), z === 0 ? 0 : residual(0, 0, -1));
    const g = (value: number) => value * 2 ** F - s;
    const byGradients = cell(
      g(z === 0 ? n(0, -1, 0) : n(-1, 0, 0) + n(0, 0, -1) - n(-1, 0, -1)),
      g(z === 0 ? n(1, -1, 0) : n(0, -1, 0) + n(0, 0, -1) - n(0, -1, -1)),
      g(n(-1, 0, 0) + n(0, -1, 0) - n(-1, -1, 0)),
    );
    // 'Each cell's bias times the scale, >> 6, is added to s, and the sum is clamped to 0 … range << F. This is the biased prediction, t.'
    const bias = (which: 0 | 1, number: number) => Math.floor(((this.#biases[which][number] as number) * scale) / 64);
    const t = clamp(s + bias(0, byResiduals) + bias(1, byGradients), 0, top);

    const value = this.#special(lane, z, n, e, level, t) ?? this.#token(lane, level, t);
    // 'its residual is (n << F) − s, clamped to −32767 … 32767, or to −2^F … 2^F if n is a special value'
    const limit = this.#specials.includes(value) ? 2 ** F : 32767;
    const own = (z * this.#extent[1] + place[1]) * this.#extent[0] + place[0];
    this.#values[own] = value;
    this.#residuals[own] = clamp(value * 2 ** F - s, -limit, limit);
  }

  /** SPEC.md, 'Special values' */
  #special(lane: Lane, z: number, n: (...at: Three) => number, e: number, level: number, t: number): number | undefined {
    for (const u of this.#specials) {
      // 'In slice 0, nothing of the slice behind is u.'
      const is = (i: number, j: number, k: number) => ((k === 0 || z > 0) && n(i, j, k) === u ? 1 : 0);
      const a = is(-1, 0, 0) + 2 * is(0, -1, 0) + 4 * is(0, 0, -1);
      const b = is(1, -1, 0) + is(-1, -1, 0) + is(1, 0, -1) + is(0, 1, -1);
      // 'the number of h = 0 to 6 with 8 |t − (u << F)| ≥ max(2, e) << h'
      const distance = 8 * Math.abs(t - u * 2 ** this.#F);
      const c = [0, 1, 2, 3, 4, 5, 6].filter((h) => distance >= Math.max(2, e) * 2 ** h).length;
      // '0 where the level is below 8, 1 where it is below 13, else 2'
      const d = level < 8 ? 0 : level < 13 ? 1 : 2;
      const p = chances[((5 * a + b) * 8 + c) * 3 + d + (z > 0 ? 960 : 0)] as number;
      // 'no is the first 4096 − p, yes the last p'
      if (lane.read([4096 - p, p]) === 1) return u;
    }
    return undefined;
  }

  /** SPEC.md, 'Tokens' */
  #token(lane: Lane, level: number, t: number): number {
    const f = Math.floor(t / 2 ** this.#F);
    // 'With k the level >> 1 less F + 3, but at least 0'
    const k = Math.max(0, Math.floor(level / 2) - (this.#F + 3));
    // 'the phase is (t >> (F − 2)) mod 4'
    const phase = Math.floor(t / 2 ** (this.#F - 2)) % 4;
    const line = 4 * (this.#levels[level] as number) + phase;
    const token = lane.read(frequencies.slice(26 * line, 26 * line + 26));
    let h = Math.floor(token / 2);
    if (h === 12) {
      // 'm, 4 bits; the low min(m, 8) bits of r; where m > 8, the m − 8 bits above those'
      const m = lane.field(4);
      let r = 2 ** m + lane.field(Math.min(m, 8));
      if (m > 8) r += 256 * lane.field(m - 8);
      h = r + 11;
    }
    // 'where k > 0, the low k bits of the magnitude'
    const magnitude = h * 2 ** k + (k > 0 ? lane.field(k) : 0);
    // 'An element n > f has the magnitude n − f − 1, any other one f − n.'
    const value = token % 2 === 1 ? f + 1 + magnitude : f - magnitude;
    // 'A decoder refuses an element that is not in 0 … range.'
    if (value < 0 || value > this.#range) throw corrupt('has an element outside its range');
    return value;
  }
}

/** SPEC.md, 'A lane' */
class Lane {
  readonly #bytes: Uint8Array;
  #at = 0;
  #state = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    // 'it begins as the lane's first three bytes, the highest first'
    for (let i = 0; i < 3; i++) this.#state = 256 * this.#state + this.#byte();
    // 'A decoder refuses a lane whose first state is below 2^16'
    if (this.#state < 2 ** 16) throw corrupt('has a lane that begins too low');
  }

  /** Reads one of several codes with consecutive ranges. @param list their frequencies */
  read(list: readonly number[]): number {
    let start = 0;
    let number = 0;
    // 'the one whose range contains the state's low 12 bits is read'
    while (start + (list[number] as number) <= this.#state % 4096) start += list[number++] as number;
    this.#take(start, list[number] as number);
    return number;
  }

  /** 'A field of b bits is a code, too: value v has the start v << (12 − b) and the frequency 2^(12 − b).' */
  field(b: number): number {
    const v = Math.floor((this.#state % 4096) / 2 ** (12 - b));
    this.#take(v * 2 ** (12 - b), 2 ** (12 - b));
    return v;
  }

  end(): void {
    // 'one whose state after its last element is not 2^16 or that has bytes left'
    if (this.#state !== 2 ** 16 || this.#at < this.#bytes.length) throw corrupt('has a lane that ends elsewhere');
  }

  #take(start: number, frequency: number): void {
    // 'frequency × (state >> 12) + (state mod 4096) − start'
    this.#state = frequency * Math.floor(this.#state / 4096) + (this.#state % 4096) - start;
    // 'while it is less than 2^16, it is multiplied by 256 and the lane's next byte is added'
    while (this.#state < 2 ** 16) this.#state = 256 * this.#state + this.#byte();
  }

  #byte(): number {
    // 'one with too few bytes'
    if (this.#at === this.#bytes.length) throw corrupt('has a lane that ends too early');
    return this.#bytes[this.#at++] as number;
  }
}

function floorLog2(value: number): number {
  let log = 0;
  while (2 ** (log + 1) <= value) log++;
  return log;
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the wave part ${what}`);
}
