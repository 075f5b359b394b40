import { blockBytes, cubeSide, elementCode, inBlock } from '../codec/chunk-in-memory.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import {
  type Code,
  doWhile,
  i32,
  i32x4,
  i64,
  v128,
  type WasmFunction,
  wasmFunction,
  when,
  whileTrue,
  withoutLowestBit,
} from '../shared/wasm.ts';
import { firstNumbers, mix, step, sumOf } from './checksum-in-memory.ts';

/**
 * The analysis of a cube whose zero rows are known (`RowsOfCube`): only nonzero rows and their neighbours are examined. Writes
 * which rows are busy, and to `out` the changes along x, y and z and the checksum's `sum` and `cross`, minus those of a cube of
 * zeros.
 */
export function analyzeCube(elementBytes: CodecElementBytes): WasmFunction {
  const { ne, bitmask } = elementCode[elementBytes];
  const rowBytes = cubeSide * elementBytes;
  const lastLane = 1 << (16 / elementBytes - 1);
  return wasmFunction(
    ['at', 'rowStride', 'planeStride', 'nonZero', 'busyAt', 'zeros', 'out'],
    {
      i32: [
        ...(['plane', 'y', 'z', 'p', 'end', 'toBelow', 'toBehind', 'zeroAt', 'bits', 'before', 'number'] as const),
        ...(['changesX', 'changesY', 'changesZ', 'zeroSum', 'zeroCross'] as const),
      ],
      i64: ['here', 'look', 'busy'],
      v128: ['mixed', 'numbers', 'sum', 'cross'],
    },
    ({ at, rowStride, planeStride, nonZero, busyAt, zeros, out, ...variables }) => {
      const { plane, y, z, p, end, toBelow, toBehind, zeroAt, bits, before, number } = variables;
      const { changesX, changesY, changesZ, zeroSum, zeroCross } = variables;
      const { here, look, busy, mixed, numbers, sum, cross } = variables;
      const allChanges = i32.add(i32.add(changesX.get, changesY.get), changesZ.get);
      const isThere = (word: Code) => i32.ne(i64.toI32(i64.and(i64.shrU(word, i64.fromI32(y.get)), i64.constant(1))), 0);
      const mixBlock = [
        ...inBlock.flatMap((offset) => [mixed.set(v128.load(p.get, offset)), ...mix({ mixed, number: numbers, sum, cross })]),
        zeroSum.add(i32.load(zeroAt.get)),
        zeroCross.add(i32.load(zeroAt.get, 4)),
        zeroAt.add(8),
      ];
      const countBlock = inBlock.flatMap((offset) => {
        const word = v128.load(p.get, offset);
        const isLast = offset + 16 === blockBytes;
        return [
          bits.set(bitmask(ne(word, v128.load(p.get, offset + elementBytes)))),
          // A row's last element has no neighbour.
          ...(isLast ? [when(i32.eq(i32.add(p.get, blockBytes), end.get), [bits.set(i32.and(bits.get, lastLane - 1))])] : []),
          changesX.add(i32.popcnt(bits.get)),
          changesY.add(i32.popcnt(bitmask(ne(word, v128.load(i32.add(p.get, toBelow.get), offset))))),
          changesZ.add(i32.popcnt(bitmask(ne(word, v128.load(i32.add(p.get, toBehind.get), offset))))),
        ];
      });
      const oneRow = [
        y.set(i64.toI32(i64.ctz(look.get))),
        look.set(withoutLowestBit.i64(look.get)),
        p.set(i32.add(plane.get, i32.mul(y.get, rowStride.get))),
        end.set(i32.add(p.get, rowBytes)),
        // The last row and plane are compared with themselves.
        toBelow.set(i32.mul(rowStride.get, i32.ltU(y.get, cubeSide - 1))),
        when(isThere(here.get), [
          number.set(i32.add(i32.mul(z.get, cubeSide), y.get)),
          numbers.set(i32x4.add(firstNumbers, i32x4.splat(i32.mul(number.get, Math.imul(rowBytes / 4, step))))),
          zeroAt.set(i32.add(zeros.get, i32.mul(number.get, (8 * rowBytes) / blockBytes))),
          doWhile([...mixBlock, p.add(blockBytes)], i32.ltU(p.get, end.get)),
          p.add(-rowBytes),
        ]),
        before.set(allChanges),
        doWhile([...countBlock, p.add(blockBytes)], i32.ltU(p.get, end.get)),
        busy.set(i64.or(busy.get, i64.shl(i64.fromI32(i32.ne(before.get, allChanges)), i64.fromI32(y.get)))),
      ];
      const isBeforeLast = i32.ltU(z.get, cubeSide - 1);
      return [
        plane.set(at.get),
        doWhile(
          [
            here.set(i64.load(nonZero.get)),
            look.set(i64.load(i32.add(nonZero.get, i32.mul(8, isBeforeLast)))),
            look.set(i64.or(look.get, i64.or(here.get, i64.shrU(here.get, i64.constant(1))))),
            toBehind.set(i32.mul(planeStride.get, isBeforeLast)),
            busy.set(i64.constant(0)),
            whileTrue(i64.ne(look.get, i64.constant(0)), oneRow),
            i64.store(busyAt.get, busy.get),
            nonZero.add(8),
            busyAt.add(8),
            plane.add(planeStride.get),
            z.add(1),
          ],
          i32.ltU(z.get, cubeSide),
        ),
        ...[
          changesX.get,
          changesY.get,
          changesZ.get,
          i32.sub(sumOf(sum.get), zeroSum.get),
          i32.sub(sumOf(cross.get), zeroCross.get),
        ].map((result, place) => i32.store(out.get, result, 4 * place)),
      ];
    },
  );
}
