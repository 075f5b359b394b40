import { inBlock } from '../codec/chunk-in-memory.ts';
import { type Code, doWhile, i32, i32x4, type Local, v128, wasmFunction } from '../shared/wasm.ts';

/** The factor of the words' numbers: core/format/checksum.ts. */
export const step = 0x9e3779b1;
/** The numbers of the first four words, times the step. */
export const firstNumbers = i32x4.constant(0, step, Math.imul(2, step), Math.imul(3, step));
export const sumOf = (vector: Code) =>
  ([0, 1, 2, 3] as const).map((lane) => i32x4.extract(lane, vector)).reduce((a, b) => i32.add(a, b));

/**
 * The mixing of core/format/checksum.ts, for the four words in `mixed`. `number` holds their numbers times the step, and
 * advances to the next four.
 */
export function mix({ mixed, number, sum, cross }: Readonly<Record<'mixed' | 'number' | 'sum' | 'cross', Local>>): Code[] {
  return [
    mixed.set(v128.xor(mixed.get, number.get)),
    mixed.set(i32x4.mul(v128.xor(mixed.get, i32x4.shrU(mixed.get, 16)), i32x4.splat(0x85ebca6b))),
    mixed.set(i32x4.mul(v128.xor(mixed.get, i32x4.shrU(mixed.get, 13)), i32x4.splat(0xc2b2ae35))),
    mixed.set(v128.xor(mixed.get, i32x4.shrU(mixed.get, 16))),
    sum.set(i32x4.add(sum.get, mixed.get)),
    cross.set(i32x4.add(cross.get, i32x4.mul(v128.xor(mixed.get, i32x4.shrU(mixed.get, 15)), i32x4.splat(0x27d4eb2f)))),
    number.set(i32x4.add(number.get, i32x4.splat(Math.imul(4, step)))),
  ];
}

/** The checksum of each of the first `count` blocks if all its words were 0: `sum` and `cross`, consecutively. */
export const zeroSums = wasmFunction(
  ['at', 'count'],
  { v128: ['mixed', 'number', 'sum', 'cross', 'zero'] },
  ({ at, count, zero, ...vectors }) => [
    vectors.number.set(firstNumbers),
    doWhile(
      [
        vectors.sum.set(zero.get),
        vectors.cross.set(zero.get),
        ...inBlock.flatMap(() => [vectors.mixed.set(zero.get), ...mix(vectors)]),
        i32.store(at.get, sumOf(vectors.sum.get)),
        i32.store(at.get, sumOf(vectors.cross.get), 4),
        at.add(8),
        count.add(-1),
      ],
      count.get,
    ),
  ],
);
