import { cubeSide, elementCode, rowSetBytes, vectorBytes } from '../../codec/chunk-in-memory.ts';
import type { CodecElementBytes } from '../../codec/codec.ts';
import {
  type Code,
  doWhile,
  i32,
  i64,
  type Local,
  type Value,
  v128,
  type WasmFunction,
  wasmFunction,
  when,
  whileTrue,
  withoutLowestBit,
} from '../../shared/wasm.ts';

/**
 * Finds where runs start in cubes (`RowsOfCube`), and their values. The level-0 bits of a row or column are one word, and only
 * busy rows are examined. Level 0 begins at `level0` and must be all zeros at first.
 */

const wordBytes = 8;
const one = i64.constant(1);
const zero = i64.constant(0);
const takeLowest = (word: Local) => word.set(withoutLowestBit.i64(word.get));

/** A word that flags the elements of the row at `p` that differ from the element `back` bytes before them. */
function differences(elementBytes: CodecElementBytes, p: Local, back: Value): Code {
  const { ne, bitmask } = elementCode[elementBytes];
  const lanes = vectorBytes / elementBytes;
  return Array.from({ length: cubeSide / lanes }, (_, vector) => {
    const offset = vector * vectorBytes;
    const bits = bitmask(ne(v128.load(p.get, offset), v128.load(i32.sub(p.get, back), offset)));
    return i64.shl(i64.fromI32(bits), i64.constant(vector * lanes));
  }).reduce((a, b) => i64.or(a, b));
}

/** Along x: the word of a row holds its elements' bits. */
export function markCubeAlongRows(elementBytes: CodecElementBytes): WasmFunction {
  const { load } = elementCode[elementBytes];
  return wasmFunction(
    ['at', 'rowStride', 'planeStride', 'busyAt', 'level0'],
    { i32: ['y', 'z', 'plane', 'p', 'last'], i64: ['busy', 'look', 'bits'] },
    ({ at, rowStride, planeStride, busyAt, level0, y, z, plane, p, last, busy, look, bits }) => {
      const toLast = (cubeSide - 1) * elementBytes;
      const oneRow = [
        y.set(i64.toI32(i64.ctz(look.get))),
        takeLowest(look),
        p.set(i32.add(plane.get, i32.mul(y.get, rowStride.get))),
        // A row's first element follows the last element of the previous row. The very first element follows nothing.
        when(y.get, [last.set(i32.add(i32.sub(p.get, rowStride.get), toLast))]),
        bits.set(i64.and(differences(elementBytes, p, elementBytes), i64.constant(-2))),
        when(i32.or(i32.eqz(last.get), i32.ne(load(p.get), load(last.get))), [bits.set(i64.or(bits.get, one))]),
        i64.store(i32.add(level0.get, i32.mul(y.get, wordBytes)), bits.get),
      ];
      return [
        plane.set(at.get),
        doWhile(
          [
            busy.set(i64.load(busyAt.get)),
            // A row may also begin a run if the previous row is busy, and the first row of a plane always may.
            look.set(i64.or(i64.or(busy.get, i64.shl(busy.get, one)), one)),
            doWhile(oneRow, i64.ne(look.get, zero)),
            last.set(i32.add(i32.add(plane.get, i32.mul(rowStride.get, cubeSide - 1)), toLast)),
            plane.add(planeStride.get),
            busyAt.add(wordBytes),
            level0.add(wordBytes * cubeSide),
            z.add(1),
          ],
          i32.ltU(z.get, cubeSide),
        ),
      ];
    },
  );
}

/**
 * Along y or z: each row across the columns, `step` bytes apart, gives a word. The words are then transposed into those of the
 * columns.
 * @param busyAt a word for each `outer`, whose bits run along the columns
 */
export function markCubeAcrossRows(elementBytes: CodecElementBytes): WasmFunction {
  const { load } = elementCode[elementBytes];
  return wasmFunction(
    ['at', 'step', 'outerStep', 'busyAt', 'level0'],
    { i32: ['along', 'outer', 'start', 'p', ...turnNumbers], i64: ['look', 'bits', 'any', ...turnWords] },
    ({ at, step, outerStep, busyAt, level0, along, outer, start, p, look, bits, any, ...turning }) => {
      const toLast = i32.mul(step.get, cubeSide - 1);
      const store = [i64.store(i32.add(level0.get, i32.mul(along.get, wordBytes)), bits.get), any.set(i64.or(any.get, bits.get))];
      const oneRow = [
        along.set(i64.toI32(i64.ctz(look.get))),
        takeLowest(look),
        p.set(i32.add(start.get, i32.mul(along.get, step.get))),
        bits.set(differences(elementBytes, p, step.get)),
        ...store,
      ];
      return [
        start.set(at.get),
        doWhile(
          [
            // A column's first element follows the last element of the previous column. The very first element follows nothing.
            p.set(start.get),
            along.set(0),
            bits.set(i64.and(differences(elementBytes, p, i32.sub(elementBytes, toLast)), i64.constant(-2))),
            any.set(zero),
            when(
              i32.or(
                i32.eqz(outer.get),
                i32.ne(
                  load(start.get),
                  load(i32.add(i32.sub(start.get, outerStep.get), i32.add(toLast, (cubeSide - 1) * elementBytes))),
                ),
              ),
              [bits.set(i64.or(bits.get, one))],
            ),
            ...store,
            look.set(i64.shl(i64.load(busyAt.get), one)),
            whileTrue(i64.ne(look.get, zero), oneRow),
            when(i64.ne(any.get, zero), turnWordsAt(level0, turning)),
            start.add(outerStep.get),
            busyAt.add(wordBytes),
            level0.add(rowSetBytes),
            outer.add(1),
          ],
          i32.ltU(outer.get, cubeSide),
        ),
      ];
    },
  );
}

const turnNumbers = ['low', 'distance', 'group', 'groupEnd'] as const;
const turnWords = ['mask', 'swap'] as const;
type TurnLocals = Readonly<Record<(typeof turnNumbers)[number] | (typeof turnWords)[number], Local>>;

/**
 * Transposes 64 words of 64 bits at `words`: bit j of word i becomes bit i of word j. Swaps blocks of 32×32 bits first, then
 * smaller blocks within each (Hacker's Delight, section 7-3).
 */
function turnWordsAt(words: Local, { low, distance, group, groupEnd, mask, swap }: TurnLocals): Code[] {
  const wide = i64.fromI32(i32.shrU(distance.get, 3));
  const far = i32.add(low.get, distance.get);
  const inGroup = [
    swap.set(i64.and(i64.xor(i64.shrU(i64.load(low.get), wide), i64.load(far)), mask.get)),
    i64.store(far, i64.xor(i64.load(far), swap.get)),
    i64.store(low.get, i64.xor(i64.load(low.get), i64.shl(swap.get, wide))),
    low.add(wordBytes),
  ];
  return [
    distance.set((cubeSide / 2) * wordBytes),
    mask.set(i64.shrU(i64.constant(-1), i64.constant(cubeSide / 2))),
    doWhile(
      [
        group.set(words.get),
        doWhile(
          [
            low.set(group.get),
            groupEnd.set(i32.add(group.get, distance.get)),
            doWhile(inGroup, i32.ltU(low.get, groupEnd.get)),
            group.set(i32.add(groupEnd.get, distance.get)),
          ],
          i32.ltU(group.get, i32.add(words.get, rowSetBytes)),
        ),
        distance.set(i32.shrU(distance.get, 1)),
        mask.set(i64.xor(mask.get, i64.shl(mask.get, wide))),
      ],
      i32.ltU(wordBytes - 1, distance.get),
    ),
  ];
}

/** Copies a set of rows (`RowsOfCube`) so that bit z of word y is row (y, z). */
export const turnRows = wasmFunction(
  ['rows', 'to'],
  { i32: ['at', ...turnNumbers], i64: turnWords },
  ({ rows, to, at, ...turning }) => [
    doWhile(
      [i64.store(i32.add(to.get, at.get), i64.load(i32.add(rows.get, at.get))), at.add(wordBytes)],
      i32.ltU(at.get, rowSetBytes),
    ),
    ...turnWordsAt(to, turning),
  ],
);

/** Writes the value of each run to `values`, in order, and their number to `countAt`. `columnsOf` gives the layout of columns. */
export function takeCubeValues(elementBytes: CodecElementBytes): WasmFunction {
  const { load, store } = elementCode[elementBytes];
  return wasmFunction(
    ['level0', 'at', 'step', 'innerStep', 'outerStep', 'values', 'countAt'],
    { i32: ['inner', 'outer', 'column', 'start', 'next'], i64: ['word'] },
    ({ level0, at, step, innerStep, outerStep, values, countAt, inner, outer, column, start, next, word }) => [
      next.set(values.get),
      start.set(at.get),
      doWhile(
        [
          column.set(start.get),
          inner.set(0),
          doWhile(
            [
              word.set(i64.load(level0.get)),
              whileTrue(i64.ne(word.get, zero), [
                store(next.get, load(i32.add(column.get, i32.mul(i64.toI32(i64.ctz(word.get)), step.get)))),
                next.add(elementBytes),
                takeLowest(word),
              ]),
              level0.add(wordBytes),
              column.add(innerStep.get),
              inner.add(1),
            ],
            i32.ltU(inner.get, cubeSide),
          ),
          start.add(outerStep.get),
          outer.add(1),
        ],
        i32.ltU(outer.get, cubeSide),
      ),
      i32.store(countAt.get, i32.shrU(i32.sub(next.get, values.get), Math.log2(elementBytes))),
    ],
  );
}
