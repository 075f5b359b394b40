/**
 * A decoder written from SPEC.md, for readers and for tests: each sentence is quoted above the lines that implement it. Shares
 * no code with the reference or the kernels. Only tests import this.
 */
import { StriaError } from '../../shared/errors.ts';
import type { PlainDecoder } from '../plain-decoder-testing.ts';

export const decodePlainly: PlainDecoder = (payload, { shape: [X, Y, Z], elementBytes: E }, parameters) => {
  // 'One byte, the axis: 0 is x, 1 is y, 2 is z. A decoder refuses any other byte, and any other number of bytes.'
  const [axis] = parameters;
  if (parameters.length !== 1 || axis === undefined || axis > 2) throw corrupt('parameters name no axis');

  let at = 0;
  const take = (length: number) => {
    if (at + length > payload.length) throw corrupt('payload ends too soon');
    at += length;
    return [...payload.subarray(at - length, at)];
  };
  // 'Words are 4 bytes, little-endian.'
  const takeWord = () => take(4).reduce((value, byte, i) => value + byte * 256 ** i, 0);

  // 'There are S = ceil(N / 2048) segments; L is the number of elements in one.'
  const N = X * Y * Z;
  const S = Math.ceil(N / 2048);
  const segments = Array.from({ length: S }, (_, k) => k);
  const L = (k: number) => Math.min(2048, N - 2048 * k);
  // 'the runs that start in segments 0 to k, a word each'
  const A = segments.map(takeWord);
  // 'the words of marks of segments 0 to k, a word each'
  const B = segments.map(takeWord);
  // 'A[−1] and B[−1] are taken as 0.'
  const runsIn = (k: number) => (A[k] as number) - (A[k - 1] ?? 0);
  const wordsIn = (k: number) => (B[k] as number) - (B[k - 1] ?? 0);
  // 'A and B never decrease, and no segment has more than L runs or ceil(L / 32) words of marks'
  for (const k of segments) {
    if (runsIn(k) < 0 || runsIn(k) > L(k)) throw corrupt('segment has a wrong number of runs');
    if (wordsIn(k) < 0 || wordsIn(k) > Math.ceil(L(k) / 32)) throw corrupt('segment has a wrong number of words');
  }

  // 'R is A[S − 1].'
  const R = A[S - 1] as number;
  // 'for each run in order its value, E bytes, little-endian; zero bytes at the end'
  const values = Array.from({ length: R }, () => take(E));
  const valuesEnd = 8 * S + 4 * Math.ceil((R * E) / 4);
  if (take(valuesEnd - at).some((byte) => byte !== 0)) throw corrupt('values end in bytes that are not 0');
  // 'neighbouring runs have different values'
  if (values.some((value, run) => value.join() === values[run - 1]?.join()))
    throw corrupt('payload has two adjacent runs of one value');

  const starts: boolean[] = [];
  for (const k of segments) {
    const marks = take(4 * wordsIn(k));
    const inSegment = startsOf(marks, runsIn(k), L(k));
    // 'each segment's marks hold as many runs as its anchors say, all within the segment, in the form and with the padding above'
    if (inSegment.filter((isStart) => isStart).length !== runsIn(k)) throw corrupt('marks hold another number of runs');
    if (marks.join() !== marksOf(inSegment).join()) throw corrupt('marks are in another form');
    starts.push(...inSegment);
  }
  // 'element 0 starts a run'
  if (!starts[0]) throw corrupt('payload has no run at its start');
  // 'its length is exactly what its parts add up to'
  if (at !== payload.length) throw corrupt('payload continues after its marks');

  // 'The elements before its first start belong to the run in progress there, number A[k − 1] − 1; those from a start on belong
  // to the run that starts there.'
  const ordered: number[][] = [];
  let run = -1;
  for (const isStart of starts) {
    if (isStart) run++;
    ordered.push(values[run] as number[]);
  }

  // SPEC.md, 'Scan order'
  const voxels: number[] = [];
  for (let z = 0; z < Z; z++) {
    for (let y = 0; y < Y; y++) {
      for (let x = 0; x < X; x++) {
        const numbers = [(z * Y + y) * X + x, (z * X + x) * Y + y, (y * X + x) * Z + z];
        voxels.push(...(ordered[numbers[axis] as number] as number[]));
      }
    }
  }
  return Uint8Array.from(voxels);
};

/** Which of a segment's L elements start a run. */
function startsOf(marks: readonly number[], runs: number, L: number): boolean[] {
  const starts = new Array<boolean>(L).fill(false);
  // 'The number of words therefore identifies the form.'
  if (marks.length === 4 * Math.ceil(L / 32)) {
    // 'bit i % 8 of byte floor(i / 8) is 1 where element i of the segment starts a run'
    return starts.map((_, i) => Math.floor((marks[Math.floor(i / 8)] as number) / 2 ** (i % 8)) % 2 === 1);
  }
  // 'For each run in order the number of elements between its start and the start before it (for the segment's first run: between
  // the segment's start and its own), in bytes: 255 as often as it fits, then the rest, which is 0 to 254.'
  let element = 0;
  let left = runs;
  let gap = 0;
  for (const byte of marks) {
    if (left === 0) break;
    // 'So a byte of 255 is an escape, which adds as much and starts no run.'
    gap += byte;
    if (byte === 255) continue;
    element += gap;
    if (element >= L) throw corrupt('segment has a run past its end');
    starts[element] = true;
    element++;
    gap = 0;
    left--;
  }
  return starts;
}

/** The only valid encoding of these starts. */
function marksOf(starts: readonly boolean[]): number[] {
  // 'A segment in which no run starts has no marks.'
  if (!starts.includes(true)) return [];
  const gaps: number[] = [];
  let before = 0;
  for (const [i, isStart] of starts.entries()) {
    if (!isStart) continue;
    let gap = i - before;
    for (; gap >= 255; gap -= 255) gaps.push(255);
    gaps.push(gap);
    before = i + 1;
  }
  // 'Zero bytes fill the last word.'
  while (gaps.length % 4 !== 0) gaps.push(0);
  // 'A bitmap of ceil(L / 32) words', 'Bits after element L − 1 are 0.'
  const bitmap = new Array<number>(4 * Math.ceil(starts.length / 32)).fill(0);
  for (const [i, isStart] of starts.entries()) {
    if (isStart) bitmap[Math.floor(i / 8)] = (bitmap[Math.floor(i / 8)] as number) + 2 ** (i % 8);
  }
  // 'Gaps are used if they take fewer words than the bitmap, otherwise the bitmap.'
  return gaps.length < bitmap.length ? gaps : bitmap;
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the parle ${what}`);
}
