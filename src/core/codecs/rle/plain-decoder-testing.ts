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
  const nextByte = () => {
    if (at === payload.length) throw corrupt('payload ends too soon');
    return payload[at++] as number;
  };

  // 'Level 0 is a bitmap of N bits in n0 = ceil(N / 8) bytes'
  const N = X * Y * Z;
  const n0 = Math.ceil(N / 8);
  // 'Levels 1, 2 and 3 have n1 = ceil(n0 / 8), n2 = ceil(n1 / 8) and n3 = ceil(n2 / 8) bytes.'
  const n1 = Math.ceil(n0 / 8);
  const n2 = Math.ceil(n1 / 8);
  const n3 = Math.ceil(n2 / 8);

  // 'Read level 3.'
  const level3: number[] = [];
  while (level3.length < n3) level3.push(nextByte());
  // 'Its ones say which bytes of level 2 are stored next; all other bytes of level 2 are 0. Continue in this way down to level 0.'
  const below = (level: readonly number[], length: number) => {
    checkEnd(level, length);
    return Array.from({ length }, (_, j) => {
      // 'Bit j % 8 of byte floor(j / 8) of level k + 1 is 1 where byte j of level k is not 0.'
      if (!isOne(level, j)) return 0;
      const byte = nextByte();
      // 'every stored byte of levels 2, 1 and 0 is not 0'
      if (byte === 0) throw corrupt('payload stores a byte that is 0');
      return byte;
    });
  };
  const level2 = below(level3, n2);
  const level1 = below(level2, n1);
  const level0 = below(level1, n0);
  checkEnd(level0, N);
  // 'bit 0 of level 0 is 1'
  if (!isOne(level0, 0)) throw corrupt('payload has no run at its start');

  // 'for each run in order its value, E bytes, little-endian: as many as level 0 has ones'
  const values: number[][] = [];
  for (let i = 0; i < N; i++) if (isOne(level0, i)) values.push(Array.from({ length: E }, nextByte));
  // 'its length is exactly what its parts add up to'
  if (at !== payload.length) throw corrupt('payload continues after its values');
  // 'neighbouring runs have different values'
  if (values.some((value, r) => value.join() === values[r - 1]?.join()))
    throw corrupt('payload has two adjacent runs of one value');

  // 'Then the element number i has the value of run number r − 1, where r is the number of ones among bits 0 to i of level 0.'
  const ordered: number[][] = [];
  let r = 0;
  for (let i = 0; i < N; i++) {
    if (isOne(level0, i)) r++;
    ordered.push(values[r - 1] as number[]);
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

/** 'Bits of a byte are numbered from its lowest: bit 0 is worth 1, bit 7 is worth 128.' */
function isOne(level: readonly number[], i: number): boolean {
  return Math.floor((level[Math.floor(i / 8)] as number) / 2 ** (i % 8)) % 2 === 1;
}

/** 'Bits after the last byte of the level below (in level 0: after the last element) are 0.' */
function checkEnd(level: readonly number[], count: number): void {
  for (let i = count; i < 8 * level.length; i++) if (isOne(level, i)) throw corrupt('payload has bits after the end of a level');
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the rle ${what}`);
}
