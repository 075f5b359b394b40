import { blockBytes, bytesUpTo, type ChunkInMemory, maxZeroBlocks } from '../codecs/chunk-in-memory.ts';
import type { CodecElementBytes } from '../codecs/codec.ts';
import {
  type Code,
  doWhile,
  i8x16,
  i16x8,
  i32,
  i32x4,
  instantiate,
  type Local,
  v128,
  type WasmFunction,
  wasmFunction,
  when,
} from '../shared/wasm.ts';
import type { ChunkAnalysis } from './analyze.ts';

const comparison = { 1: i8x16, 2: i16x8, 4: i32x4 } as const;

type Kernel = Readonly<Record<'analyze' | 'zeroSums', (...parameters: number[]) => void>>;

interface MemoryKernels {
  readonly byWidth: Map<CodecElementBytes, Kernel | undefined>;
  /** So many blocks of zeros have their checksums in the memory. */
  zeroBlocks: number;
}

const kernels = new WeakMap<WebAssembly.Memory, MemoryKernels>();

/** As `analyze`, which is its oracle, vectors at a time. Undefined where there is no WebAssembly. */
export function analyzeInMemory(chunk: ChunkInMemory): ChunkAnalysis | undefined {
  const { memory, elementBytes, shape, at, rowStride, planeStride, zeroSumsAt, freeAt } = chunk;
  const known = kernels.get(memory) ?? { byWidth: new Map(), zeroBlocks: 0 };
  kernels.set(memory, known);
  if (!known.byWidth.has(elementBytes)) {
    known.byWidth.set(elementBytes, instantiate({ analyze: analyzeRows(elementBytes), zeroSums }, memory));
  }
  const kernel = known.byWidth.get(elementBytes);
  if (!kernel) return undefined;
  bytesUpTo(chunk, freeAt + 20);
  const rowBytes = shape[0] * elementBytes;
  const blocks = (rowBytes / blockBytes) * shape[1] * shape[2];
  const hasBlocks = rowBytes % blockBytes === 0 && blocks <= maxZeroBlocks;
  if (hasBlocks && blocks > known.zeroBlocks) {
    kernel.zeroSums(zeroSumsAt, blocks);
    known.zeroBlocks = blocks;
  }
  const pieces = hasBlocks ? [blockBytes, zeroSumsAt] : [rowBytes, 0];
  kernel.analyze(at, rowStride, planeStride, rowBytes, shape[1], shape[2], freeAt, ...pieces);
  const results = new DataView(memory.buffer, freeAt);
  const at32 = (index: number) => results.getUint32(4 * index, true);
  return { changes: [at32(0), at32(1), at32(2)], checksum: { sum: at32(3), cross: at32(4) } };
}

const step = 0x9e3779b1;
const firstNumbers = i32x4.constant(0, step, Math.imul(2, step), Math.imul(3, step));
const sumOf = (vector: Code) =>
  ([0, 1, 2, 3] as const).map((lane) => i32x4.extract(lane, vector)).reduce((a, b) => i32.add(a, b));
const inBlock = [0, 16, 32, 48];
const orOf = (a: Code, b: Code) => v128.or(a, b);

/** core/format/checksum.ts, of the four words in `mixed`; `number` holds their numbers, times the step, and goes on to the next. */
function mix({ mixed, number, sum, cross }: Readonly<Record<'mixed' | 'number' | 'sum' | 'cross', Local>>): Code[] {
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

/** The checksum of each of the first `count` blocks, were all its words 0: `sum` and `cross`, one behind the other. */
const zeroSums = wasmFunction(
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

/**
 * One pass over all rows. Writes the changes along x, y, z and the checksum's `sum` and `cross` to `out`. Where `zeros` is not 0,
 * rows are whole blocks and it is what `zeroSums` wrote: blocks of zeros among zeros are then only looked at.
 */
function analyzeRows(elementBytes: CodecElementBytes): WasmFunction {
  const { ne, bitmask } = comparison[elementBytes];
  const lastLane = 1 << (16 / elementBytes - 1);
  return wasmFunction(
    ['at', 'rowStride', 'planeStride', 'rowBytes', 'height', 'depth', 'out', 'pieceBytes', 'zeros'],
    {
      i32: [
        ...(['plane', 'row', 'y', 'z', 'p', 'end', 'pieceEnd', 'toBelow', 'toBehind', 'bits', 'isZero'] as const),
        ...(['changesX', 'changesY', 'changesZ', 'zeroSum', 'zeroCross'] as const),
      ],
      v128: ['word', 'differsX', 'differsY', 'differsZ', 'mixed', 'number', 'sum', 'cross'],
    },
    ({ at, rowStride, planeStride, rowBytes, height, depth, out, pieceBytes, zeros, ...variables }) => {
      const { plane, row, y, z, p, end, pieceEnd, toBelow, toBehind, bits, isZero } = variables;
      const { changesX, changesY, changesZ, zeroSum, zeroCross } = variables;
      const { word, differsX, differsY, differsZ, mixed, number, sum, cross } = variables;
      const vector = [
        word.set(v128.load(p.get)),
        mixed.set(word.get),
        ...mix({ mixed, number, sum, cross }),
        differsX.set(ne(word.get, v128.load(p.get, elementBytes))),
        differsY.set(ne(word.get, v128.load(i32.add(p.get, toBelow.get)))),
        differsZ.set(ne(word.get, v128.load(i32.add(p.get, toBehind.get)))),
        p.add(16),
        when(v128.anyTrue(v128.or(differsX.get, v128.or(differsY.get, differsZ.get))), [
          bits.set(bitmask(differsX.get)),
          // A row's last element has no neighbour.
          when(i32.eq(p.get, end.get), [bits.set(i32.and(bits.get, lastLane - 1))]),
          changesX.add(i32.popcnt(bits.get)),
          changesY.add(i32.popcnt(bitmask(differsY.get))),
          changesZ.add(i32.popcnt(bitmask(differsZ.get))),
        ]),
      ];
      // The block, the element behind it, and the blocks below and behind.
      const around = inBlock.flatMap((offset) => [
        v128.load(p.get, offset),
        v128.load(i32.add(p.get, toBelow.get), offset),
        v128.load(i32.add(p.get, toBehind.get), offset),
      ]);
      const piece = [
        pieceEnd.set(i32.add(p.get, pieceBytes.get)),
        when(zeros.get, [
          isZero.set(i32.eqz(v128.anyTrue([...around, v128.load(p.get, blockBytes - 16 + elementBytes)].reduce(orOf)))),
          when(isZero.get, [
            zeroSum.add(i32.load(zeros.get)),
            zeroCross.add(i32.load(zeros.get, 4)),
            number.set(i32x4.add(number.get, i32x4.splat(Math.imul(blockBytes / 4, step)))),
            p.set(pieceEnd.get),
          ]),
          zeros.add(8),
        ]),
        when(i32.eqz(isZero.get), [doWhile(vector, i32.ltU(p.get, pieceEnd.get))]),
      ];
      const oneRow = [
        p.set(row.get),
        end.set(i32.add(row.get, rowBytes.get)),
        y.add(1),
        // The last row and plane are compared with themselves.
        toBelow.set(i32.mul(rowStride.get, i32.ltU(y.get, height.get))),
        doWhile(piece, i32.ltU(p.get, end.get)),
        row.add(rowStride.get),
      ];
      return [
        number.set(firstNumbers),
        plane.set(at.get),
        doWhile(
          [
            row.set(plane.get),
            y.set(0),
            z.add(1),
            toBehind.set(i32.mul(planeStride.get, i32.ltU(z.get, depth.get))),
            doWhile(oneRow, i32.ltU(y.get, height.get)),
            plane.add(planeStride.get),
          ],
          i32.ltU(z.get, depth.get),
        ),
        ...[
          changesX.get,
          changesY.get,
          changesZ.get,
          i32.add(sumOf(sum.get), zeroSum.get),
          i32.add(sumOf(cross.get), zeroCross.get),
        ].map((result, place) => i32.store(out.get, result, 4 * place)),
      ];
    },
  );
}
