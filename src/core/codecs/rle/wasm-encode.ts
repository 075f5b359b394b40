import { elementCount } from '../../codec/batch.ts';
import { blockBytes, bytesUpTo, type ChunkInMemory, elementCode, rowSetBytes, vectorBytes } from '../../codec/chunk-in-memory.ts';
import type { CodecElementBytes, CodecParameters } from '../../codec/codec.ts';
import { type Axis, parseAxis } from '../../codec/scan-order.ts';
import {
  type Code,
  clear,
  doWhile,
  i8x16,
  i32,
  i32x4,
  instantiate,
  type Local,
  v128,
  type WasmFunction,
  wasmFunction,
  when,
  whileTrue,
  withoutLowestBit,
} from '../../shared/wasm.ts';
import { levelLengths } from './reference.ts';
import { markCubeAcrossRows, markCubeAlongRows, takeCubeValues, turnRows } from './wasm-cube.ts';

/** The number of zero bytes that are skipped at once. */
const skipBytes = 2 * vectorBytes;

/** Like `reference.encode`, its oracle, and with the same bytes, but with vectors. Undefined without WebAssembly. */
export function encodeInMemory(chunk: ChunkInMemory, parameters: CodecParameters): Uint8Array<ArrayBuffer> | undefined {
  const axis = parseAxis('rle', parameters);
  const kernel = kernelOf(chunk, axis);
  if (!kernel) return undefined;
  const { shape, elementBytes, at, rowStride, planeStride, cube, freeAt } = chunk;
  const count = elementCount(chunk);
  const lengths = levelLengths(count);
  // Four bitmaps; the nonzero bytes of levels 0, 1 and 2; the values; a count.
  let end = freeAt;
  const place = (byteLength: number) => {
    const start = end;
    end += Math.ceil(byteLength / vectorBytes) * vectorBytes + vectorBytes;
    return start;
  };
  const levels = lengths.map(place);
  const levelsEnd = end;
  const bytes = [place(lengths[0]), place(lengths[1]), place(lengths[2])] as const;
  const values = place(count * elementBytes);
  const countAt = place(4);
  const turnedAt = place(rowSetBytes);
  const memory = bytesUpTo(chunk, end + skipBytes);
  const [level0 = 0] = levels;

  const columns = columnsOf(chunk, axis);
  const { step, length, inner, innerStep, outerStep } = columns;
  kernel.clear(level0, levelsEnd - level0);
  if (!cube) {
    kernel.markStarts(at, rowStride, planeStride, ...shape, level0);
  } else if (axis === 0) {
    kernel.markStarts(at, rowStride, planeStride, cube.busyAt, level0);
  } else {
    if (axis === 2) kernel.turnRows(cube.busyAt, turnedAt);
    kernel.markStarts(at, step, outerStep, axis === 2 ? turnedAt : cube.busyAt, level0);
  }
  const counted = (run: () => void) => {
    run();
    return new DataView(memory.buffer).getUint32(countAt, true);
  };
  const stored = ([0, 1, 2] as const).map((level) =>
    counted(() => kernel.pack(levels[level] as number, lengths[level], levels[level + 1] as number, bytes[level], countAt)),
  );
  const runs = counted(() =>
    cube
      ? kernel.takeValues(level0, at, step, innerStep, outerStep, values, countAt)
      : kernel.takeValues(level0, lengths[0], at, step, length, inner, innerStep, outerStep, values, countAt),
  );
  const parts = [
    [levels[3] as number, lengths[3]],
    [bytes[2], stored[2] as number],
    [bytes[1], stored[1] as number],
    [bytes[0], stored[0] as number],
    [values, runs * elementBytes],
  ] as const;
  const payload = new Uint8Array(parts.reduce((sum, [, length]) => sum + length, 0));
  let filled = 0;
  for (const [start, length] of parts) {
    payload.set(memory.subarray(start, start + length), filled);
    filled += length;
  }
  return payload;
}

/** Columns along the axis, in scan order: groups of `inner` columns `innerStep` bytes apart, the groups `outerStep` bytes apart. */
function columnsOf({ shape: [x, y, z], elementBytes, rowStride, planeStride }: ChunkInMemory, axis: Axis) {
  if (axis === 0) return { step: elementBytes, length: x, inner: y, innerStep: rowStride, outerStep: planeStride };
  if (axis === 1) return { step: rowStride, length: y, inner: x, innerStep: elementBytes, outerStep: planeStride };
  return { step: planeStride, length: z, inner: x, innerStep: elementBytes, outerStep: rowStride };
}

type Kernel = Readonly<Record<'clear' | 'markStarts' | 'turnRows' | 'pack' | 'takeValues', (...parameters: number[]) => void>>;

const kernels = new WeakMap<WebAssembly.Memory, Map<string, Kernel | undefined>>();

function kernelOf({ memory, shape, elementBytes, cube }: ChunkInMemory, axis: Axis): Kernel | undefined {
  const known = kernels.get(memory) ?? new Map<string, Kernel | undefined>();
  kernels.set(memory, known);
  const pieceBytes = (shape[0] * elementBytes) % blockBytes === 0 ? blockBytes : vectorBytes;
  const key = cube ? `cube ${elementBytes} ${axis === 0}` : `${elementBytes} ${axis} ${pieceBytes}`;
  if (!known.has(key)) {
    const ofCube = () => ({
      markStarts: axis === 0 ? markCubeAlongRows(elementBytes) : markCubeAcrossRows(elementBytes),
      takeValues: takeCubeValues(elementBytes),
    });
    const ofAny = () => ({
      markStarts: axis === 0 ? markAlongRows(elementBytes, pieceBytes) : markAcrossRows(elementBytes, axis, pieceBytes),
      takeValues: takeValues(elementBytes),
    });
    known.set(key, instantiate({ clear: clearBytes, turnRows, pack, ...(cube ? ofCube() : ofAny()) }, memory));
  }
  return known.get(key);
}

const clearBytes = wasmFunction(['at', 'length'], {}, ({ at, length }) => [clear(at.get, length.get)]);

const rowParameters = ['at', 'rowStride', 'planeStride', 'width', 'height', 'depth', 'level0'] as const;
const rowVariables = ['row', 'y', 'z', 'plane', 'p', 'end', 'pieceEnd', 'index', 'bits', 'address', 'last'] as const;
type RowLocals = Readonly<Record<(typeof rowParameters)[number] | (typeof rowVariables)[number], Local>>;

/** Runs `body` for each row: `row` is its address, `y` and `z` are its coordinates. */
function forEachRow({ at, rowStride, planeStride, height, depth, row, y, z, plane }: RowLocals, body: readonly Code[]): Code[] {
  return [
    plane.set(at.get),
    doWhile(
      [
        row.set(plane.get),
        y.set(0),
        doWhile([...body, row.add(rowStride.get), y.add(1)], i32.ltU(y.get, height.get)),
        plane.add(planeStride.get),
        z.add(1),
      ],
      i32.ltU(z.get, depth.get),
    ),
  ];
}

/** Whether all vectors of a piece equal those that `other` gives for them. */
function isSame(p: Local, pieceBytes: number, other: (offset: number) => Code): Code {
  const offsets = Array.from({ length: pieceBytes / vectorBytes }, (_, vector) => vectorBytes * vector);
  const differences = offsets.map((offset) => v128.xor(v128.load(p.get, offset), other(offset)));
  return i32.eqz(v128.anyTrue(differences.reduce((a, b) => v128.or(a, b))));
}

/** Along x: a row's elements are consecutive in scan order, so the bits of a vector are too. */
function markAlongRows(elementBytes: CodecElementBytes, pieceBytes: number): WasmFunction {
  const { ne, bitmask, load, splat } = elementCode[elementBytes];
  return wasmFunction(rowParameters, { i32: [...rowVariables, 'before'] }, (locals) => {
    const { width, level0, row, p, end, pieceEnd, index, bits, address, last, before } = locals;
    const vector = [
      bits.set(bitmask(ne(v128.load(p.get), v128.load(i32.sub(p.get, elementBytes))))),
      // A row's first element follows the last element of the previous row. The very first element follows nothing.
      when(i32.eq(p.get, row.get), [
        bits.set(i32.and(bits.get, -2)),
        when(i32.or(i32.eqz(last.get), i32.ne(load(row.get), load(last.get))), [bits.set(i32.or(bits.get, 1))]),
      ]),
      when(bits.get, [
        address.set(i32.add(level0.get, i32.shrU(index.get, 3))),
        i32.store16(address.get, i32.or(i32.load16(address.get), i32.shl(bits.get, i32.and(index.get, 7)))),
      ]),
      index.add(16 / elementBytes),
      p.add(16),
    ];
    return [
      ...forEachRow(locals, [
        p.set(row.get),
        end.set(i32.add(row.get, i32.mul(width.get, elementBytes))),
        before.set(last.get),
        doWhile(
          [
            pieceEnd.set(i32.add(p.get, pieceBytes)),
            when(
              i32.and(
                i32.ne(before.get, 0),
                isSame(p, pieceBytes, () => splat(load(before.get))),
              ),
              [index.add(pieceBytes / elementBytes), p.set(pieceEnd.get)],
              [doWhile(vector, i32.ltU(p.get, pieceEnd.get))],
            ),
            before.set(i32.sub(p.get, elementBytes)),
          ],
          i32.ltU(p.get, end.get),
        ),
        last.set(i32.sub(end.get, elementBytes)),
      ]),
    ];
  });
}

/** Along y or z: each element of a vector belongs to another column, so its bits are set one by one. */
function markAcrossRows(elementBytes: CodecElementBytes, axis: 1 | 2, pieceBytes: number): WasmFunction {
  const { ne, bitmask, load } = elementCode[elementBytes];
  return wasmFunction(rowParameters, { i32: [...rowVariables, 'back', 'bit'] }, (locals) => {
    const { rowStride, planeStride, width, height, depth, level0 } = locals;
    const { row, y, z, p, end, pieceEnd, index, bits, address, last, back, bit } = locals;
    // `along` is the position in the column, `across` the position among the columns of one x.
    const [along, across] = axis === 1 ? [y, z] : [z, y];
    const [step, acrossStep, length] = axis === 1 ? [rowStride, planeStride, height] : [planeStride, rowStride, depth];
    const toLast = i32.mul(i32.sub(length.get, 1), step.get);
    const isFirst = i32.and(i32.eq(p.get, row.get), i32.eqz(along.get));
    const vector = [
      bits.set(bitmask(ne(v128.load(p.get), v128.load(i32.sub(p.get, back.get))))),
      when(isFirst, [
        bits.set(i32.and(bits.get, -2)),
        when(i32.eqz(across.get), [bits.set(i32.or(bits.get, 1))]),
        when(across.get, [bits.set(i32.or(bits.get, i32.ne(load(row.get), load(last.get))))]),
      ]),
      whileTrue(bits.get, [
        bit.set(i32.add(index.get, i32.mul(i32.ctz(bits.get), length.get))),
        address.set(i32.add(level0.get, i32.shrU(bit.get, 3))),
        i32.store8(address.get, i32.or(i32.load8(address.get), i32.shl(1, i32.and(bit.get, 7)))),
        bits.set(i32.and(bits.get, i32.sub(bits.get, 1))),
      ]),
      index.add(i32.mul(length.get, 16 / elementBytes)),
      p.add(16),
    ];
    return [
      ...forEachRow(locals, [
        p.set(row.get),
        end.set(i32.add(row.get, i32.mul(width.get, elementBytes))),
        index.set(i32.add(along.get, i32.mul(across.get, i32.mul(width.get, length.get)))),
        // The distance to the previous elements. A column's first element follows the last element of the previous column.
        back.set(step.get),
        when(i32.eqz(along.get), [
          back.set(i32.sub(elementBytes, toLast)),
          last.set(i32.sub(i32.add(end.get, toLast), i32.add(acrossStep.get, elementBytes))),
        ]),
        doWhile(
          [
            pieceEnd.set(i32.add(p.get, pieceBytes)),
            when(
              i32.and(
                i32.eqz(isFirst),
                isSame(p, pieceBytes, (offset) => v128.load(i32.sub(p.get, back.get), offset)),
              ),
              [index.add(i32.mul(length.get, pieceBytes / elementBytes)), p.set(pieceEnd.get)],
              [doWhile(vector, i32.ltU(p.get, pieceEnd.get))],
            ),
          ],
          i32.ltU(p.get, end.get),
        ),
      ]),
    ];
  });
}

/**
 * Appends each nonzero byte at `level` to `bytes`, sets its bit in `bits`, and writes their number to `countAt`. Zeros must
 * follow the level.
 */
const pack = wasmFunction(
  ['level', 'length', 'bits', 'bytes', 'countAt'],
  { i32: ['end', 'mask', 'next'] },
  ({ level, length, bits, bytes, countAt, end, mask, next }) => [
    next.set(bytes.get),
    end.set(i32.add(level.get, length.get)),
    doWhile(
      [
        mask.set(i8x16.bitmask(i8x16.ne(v128.load(level.get), i32x4.constant(0, 0, 0, 0)))),
        i32.store16(bits.get, mask.get),
        whileTrue(mask.get, [
          i32.store8(next.get, i32.load8(i32.add(level.get, i32.ctz(mask.get)))),
          next.add(1),
          mask.set(withoutLowestBit.i32(mask.get)),
        ]),
        bits.add(2),
        level.add(vectorBytes),
      ],
      i32.ltU(level.get, end.get),
    ),
    i32.store(countAt.get, i32.sub(next.get, bytes.get)),
  ],
);

/** Writes the value of each run to `values`, in order, and their number to `countAt`. */
function takeValues(elementBytes: CodecElementBytes): WasmFunction {
  const { load, store } = elementCode[elementBytes];
  return wasmFunction(
    ['level0', 'length0', 'at', 'step', 'length', 'inner', 'innerStep', 'outerStep', 'values', 'countAt'],
    { i32: ['j', 'byte', 'index', 'count', 'start', 'base', 'outer', 'number'] },
    ({ level0, length0, at, step, length, inner, innerStep, outerStep, values, countAt, j, byte, index, count, ...column }) => {
      const { start, base, outer, number } = column;
      return [
        base.set(at.get),
        outer.set(at.get),
        forEachByte(level0, length0, { j, byte }, [
          doWhile(
            [
              index.set(i32.add(i32.shl(j.get, 3), i32.ctz(byte.get))),
              // Advances to the column that holds it. `start` is the index of the column's first element.
              whileTrue(i32.eqz(i32.ltU(i32.sub(index.get, start.get), length.get)), [
                start.add(length.get),
                base.add(innerStep.get),
                number.add(1),
                when(i32.eq(number.get, inner.get), [number.set(0), outer.add(outerStep.get), base.set(outer.get)]),
              ]),
              store(
                i32.add(values.get, i32.mul(count.get, elementBytes)),
                load(i32.add(base.get, i32.mul(i32.sub(index.get, start.get), step.get))),
              ),
              count.add(1),
              byte.set(i32.and(byte.get, i32.sub(byte.get, 1))),
            ],
            byte.get,
          ),
        ]),
        i32.store(countAt.get, count.get),
      ];
    },
  );
}

/** Runs `body` for each nonzero byte, in order. May read `skipBytes` past the end; their contents do not matter. */
function forEachByte(
  start: Local,
  length: Local,
  { j, byte }: Readonly<Record<'j' | 'byte', Local>>,
  body: readonly Code[],
): Code {
  const next = i32.add(start.get, j.get);
  const ahead = v128.or(v128.load(next), v128.load(next, vectorBytes));
  return doWhile(
    [
      byte.set(i32.load8(i32.add(start.get, j.get))),
      when(byte.get, body),
      j.add(1),
      whileTrue(i32.and(i32.eqz(v128.anyTrue(ahead)), i32.ltU(j.get, length.get)), [j.add(skipBytes)]),
    ],
    i32.ltU(j.get, length.get),
  );
}
