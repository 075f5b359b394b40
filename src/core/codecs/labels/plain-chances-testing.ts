/** SPEC.md, 'Chances' and 'The range coder', for the plain decoder beside this file. Only tests import this. */

/** 'The chance of a yes, by the number of rows around it, 1 to 4: 177, 200, 51, 21' */
export const chancesOfDifference = [177, 200, 51, 21];

/** 'The chance of a yes, for m = 1 to 7 (7 also for more): 1633, 878, 709, 787, 1032, 1174, 1539.' */
export const chancesOfNew = [1633, 878, 709, 787, 1032, 1174, 1539];

/** The tables below are copied from SPEC.md. */
const numbers = (text: string) => text.trim().split(/\s+/).map(Number);
// 'Weights are signed bytes, in hexadecimal, by number.'
const signedBytes = (text: string) =>
  [...text.replace(/\s/g, '').matchAll(/../g)].map(([byte]) => (Number.parseInt(byte, 16) << 24) >> 24);

/** 'T[0] to T[96]' */
const T = numbers(`
2048 1963 1878 1793 1710 1627 1546 1467 1390 1314 1241 1170 1102 1036 973 912 854 799 747 698
651 606 565 525 488 454 421 391 362 336 311 288 266 246 228 210 194 179 166 153
141 130 120 111 102 94 87 80 74 68 63 58 53 49 45 41 38 35 32 30
27 25 23 21 20 18 17 15 14 13 12 11 10 9 9 8 7 7 6 6
5 5 4 4 4 3 3 3 3 2 2 2 2 2 2 1 1
`);

/** 'First guess, nine behind (512)' */
const firstNineBehind = signedBytes(`
ea10f80b02130909fa02080d080f0f16cbe7d0e0f103ed03cfdfcde70afb0a18d9fce6f4ee17f4f9f6fa000bfbfb0b1acdeebbf1d0eeccf4dbe3e1e8dbecd2f9
f5000009fd09030803f1ff01050c2a2ae401e70a0e00f103d2f0eeff00fdfe10f600000002000303f800000aff040c17ef0005000103d900e2fbf9fd06fdfd12
e500fffe01000800ed06030800030006d4eedceb0405f406c3fbe7f203020d1ff7000103fe00f900ff00000000000002cefbcaf3eff9def6d4f6f9f4fdfefcfc
ea12fc0b070b0401f0fe041903060720ce00dae405010100c7efd2f8eaf6fb1efeffff00fd000a05fbf90003fefe000ee6fef1f4fafeebf5d3eaedeef4f5f60a
d803ea05f300faffedfb00fd00030000d4dfe4e2f900fcfbd8dff9e40000fd01cf01ea04dd1cecf9f708ff14ff230318cee7d4e9dbeedfe9c8f0f6ebf5f1e4f1
ed02fe00fdfffe03eeeefef8fefe00fefb00000000000000e0f0f9f8000002fdf500ff00f8fff904faff00fcf7011014f800f800f200ecf5e801fc06faffeb04
d3fefefe090009ffe109000300010000d9f1d5f30000e9fbd7e8f4f3fd00fafcd806f902ec09fe09f7fd00fffd12ff05c5e7bae8dbf2cce7b7e1eae5e5f3e5ee
db0aff1903000616e6fefe0dfe03ff09d6f8ebf9fcfdfbfcd8e2dde900eff606dd020000e7ffff03f3e9fffcf302fa05c9f4dfe8d9f0cbe1c1dbdbe1cee7d2ec
`);

/** 'First guess, seven near (128)' */
const firstSevenNear = signedBytes(`
0009002311f900fe00e50005ffdc00e22f24001e23fb1cf500e2001000da02d20002001c09fd00ef00f300000edb00d62700000927ed23ed00e200fb15ce09cb
00130008fce700e000f100f9e6dd00c41a1c0011f9d303ce00ee00fce2c6fda800fd001bfbf100f200f300faefcd00cc1a0b001012ef27ed00e900fbffc404bf
`);

/** 'Second guess, nine behind (512)' */
const secondNineBehind = signedBytes(`
ec09effffbf90b0beffcfc0506f20812e9f8f3020b001422f4fee5f600040e1ad4f8f2fcf8010b16d0f100f9e6fbfa09ea02f0fcf5fe0217ecf6f1f5e2f2effb
edf2f3f501ff01fdf3f7f2f1f9f301fefc00fe02fd000a00050a07110200060fec00000001000203eeff00fe00fe0304030000000b000c000104040804fe0e12
def4def6f900f7fffcff000000000000eff8f1fe1000070bf204fcfd00000215f900fa000a000c000000000000000000f900fd000eff0d0ef900000100001110
ecfaf5ff0100fffefc03fb00feff0300eb04e3f8050005fffc0eecfb0aff0a16f900000006000000f6f600fe00fd00fd0000fd0009000c070205fc0a07fd0b11
cff3e6f1ddfdecf1efff0001000000fdf7fc0000fd00fffffdfa0000000000ffd1ffe8fce7f6ebfcdbff00fdfbfcfdf9e30008fe03ff0809e0ff00fcfaff0608
cdfffb00fb0000ffd9e4fef5feff0000fd00000000000000ff02000000000001ca00f800d6ffe500e7f60000fbfbfdfcf800ff00fb00fa00ed0000ff0000fffc
dcf7f5fff2000600effbfe0000000000e9ffe5fefb00f8000cff04fb000000ffe3f7f7fdf9fcf0f9f4fe0000f8fefffcdceae1f9f602f407e0fdfff9f1fd0005
dbfa00fff500fdffe1edfffafe000004fb00f8fffe00ff0004fffefcfb00fbfbd4fdfd00de00eefedce600fee0f7f8ffe1ffed01e9fff4fbe6f5eff3dee9e5f5
`);

/** 'Second guess, seven near (128)' */
const secondSevenNear = signedBytes(`
12f4fff306000800f4d0f4e4f300e9000700040000000000e600f4000000000018e9f9e80000e800fdd5e8e9e100be00fa00090000000000e400e10000000000
02e8f1cbe300e900e2d700ded400e600f300fe0000000000d800ff0000000000ffdd03e1eb00fe00d2d0f1e4c000d500f400050000000000d600de0000000000
`);

/** 0 is the first guess. */
export type GuessNumber = 0 | 1 | 2;

/** The chance in 4096ths that a guess is wrong. `isGuess` says of a neighbour whether it exists and has the guessed label. */
export function chanceOfWrong(number: GuessNumber, isGuess: (i: number, j: number, k: number) => boolean): number {
  // 'The third guess's chance is 320, always.'
  if (number === 2) return 320;
  // '(x + i, y + j, z − 1) is bit 3 (j + 1) + i + 1, for i, j = −1, 0, 1.'
  let nine = 0;
  for (const j of [-1, 0, 1]) for (const i of [-1, 0, 1]) if (isGuess(i, j, -1)) nine += 2 ** (3 * (j + 1) + i + 1);
  // 'bit 0 is (x − 1, y, z); bits 1, 2 and 3 are (x − 1, y − 1, z), (x, y − 1, z), (x + 1, y − 1, z); bits 4, 5 and 6 are
  // (x, y, z − 1), (x + 1, y, z − 1), (x, y + 1, z − 1).'
  const near = [
    [-1, 0, 0],
    [-1, -1, 0],
    [0, -1, 0],
    [1, -1, 0],
    [0, 0, -1],
    [1, 0, -1],
    [0, 1, -1],
  ] as const;
  const seven = near.reduce((sum, [i, j, k], bit) => sum + (isGuess(i, j, k) ? 2 ** bit : 0), 0);
  // 'The score of the first or the second guess is the sum of two weights, each from a table of that guess's own.'
  const [nineBehind, sevenNear] = number === 0 ? [firstNineBehind, firstSevenNear] : [secondNineBehind, secondSevenNear];
  const sum = (nineBehind[nine] as number) + (sevenNear[seven] as number);
  // 'The chance that a guess is wrong is T[−s] for a score s ≤ 0 and 4096 − T[s] for s > 0, where s is first clamped to −96 … 96.'
  const s = Math.max(-96, Math.min(96, sum));
  return s <= 0 ? (T[-s] as number) : 4096 - (T[s] as number);
}

/** Binary digits of a whole number; 0 has none. */
export function digits(value: number): number {
  return value === 0 ? 0 : value.toString(2).length;
}

/** 'all arithmetic on both is modulo 2^32' */
const modulo = (value: number) => ((value % 2 ** 32) + 2 ** 32) % 2 ** 32;
const highestByte = (value: number) => Math.floor(value / 2 ** 24);

export class PlainRangeDecoder {
  // 'At first low = 0 and range = 2^32 − 1.'
  #low = 0;
  #range = 2 ** 32 - 1;
  #code = 0;
  #done = 0;
  #read = 0;
  readonly #stream: Uint8Array;

  constructor(stream: Uint8Array) {
    this.#stream = stream;
    // 'A decoder keeps code, at first the stream's first four bytes, the highest first'
    for (let i = 0; i < 4; i++) this.#code = this.#code * 256 + this.#nextByte();
  }

  /** The answer to a question whose yes has the chance p in 4096ths. */
  ask(p: number): boolean {
    // 'part = floor(range / 4096) p'
    const part = Math.floor(this.#range / 4096) * p;
    // 'an answer is yes if code − low < part'
    const isYes = modulo(this.#code - this.#low) < part;
    // 'Yes: range becomes part. No: low grows by part and range shrinks by it.'
    if (isYes) this.#range = part;
    else {
      this.#low = modulo(this.#low + part);
      this.#range = modulo(this.#range - part);
    }
    // 'Then, while a byte is done'
    while (this.#byteIsDone()) {
      // 'low and range are multiplied by 256'
      this.#low = modulo(this.#low * 256);
      this.#range = modulo(this.#range * 256);
      // 'for each byte done, code is multiplied by 256 and the stream's next byte is added'
      this.#code = modulo(this.#code * 256 + this.#nextByte());
      this.#done++;
    }
    return isYes;
  }

  #byteIsDone(): boolean {
    // 'A byte is done if low and low + range have the same highest byte'
    if (highestByte(this.#low) === highestByte(modulo(this.#low + this.#range))) return true;
    // 'or else if range < 2^16, and then range first becomes 2^16 − (low mod 2^16)'
    if (this.#range >= 2 ** 16) return false;
    this.#range = 2 ** 16 - (this.#low % 2 ** 16);
    return true;
  }

  /** How many bytes the encoder has written once all questions are answered. */
  streamLength(): number {
    // 'At the end the encoder writes the fewest bytes, 1 to 4, such that all 32-bit numbers that begin with them (the highest byte first)
    // lie in the interval'
    for (let bytes = 1; bytes <= 4; bytes++) {
      const numbersEach = 2 ** (32 - 8 * bytes);
      const first = Math.ceil(this.#low / numbersEach) * numbersEach;
      if (first + numbersEach <= this.#low + this.#range) return this.#done + bytes;
    }
    throw new RangeError('an interval has at least 2^16 numbers');
  }

  #nextByte(): number {
    // 'Bytes that it reads after the stream's end change no answer.'
    return this.#stream[this.#read++] ?? 0;
  }
}
