import type { ChunkAnalysis } from '../chunks/analyze.ts';
import { blockBytes, bytesUpTo, type ChunkInMemory, elementCode, inBlock, maxZeroBlocks } from '../codec/chunk-in-memory.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import { addChecksums, type Checksum } from '../format/checksum.ts';
import { doWhile, i32, i32x4, instantiate, v128, type WasmFunction, wasmFunction, when } from '../shared/wasm.ts';
import { analyzeCube } from './analyze-cube.ts';
import { firstNumbers, mix, step, sumOf, zeroSums } from './checksum-in-memory.ts';

type Kernel = Readonly<Record<'analyze' | 'zeroSums', (...parameters: number[]) => void>>;

interface MemoryKernels {
  /** Keyed by the width of elements, and whether chunks are cubes. */
  readonly byKind: Map<string, Kernel | undefined>;
  /** How many blocks of zeros have their checksums in memory. */
  zeroBlocks: number;
  /** Checksums of cubes of zeros, by the width of their elements. */
  readonly zeroCubes: Map<CodecElementBytes, Checksum>;
}

const kernels = new WeakMap<WebAssembly.Memory, MemoryKernels>();

/** Like `analyze`, which is its oracle, but with vectors. Undefined without WebAssembly. */
export function analyzeInMemory(chunk: ChunkInMemory): ChunkAnalysis | undefined {
  const { memory, elementBytes, shape, at, rowStride, planeStride, zeroSumsAt, cube, freeAt } = chunk;
  const known = kernels.get(memory) ?? { byKind: new Map(), zeroBlocks: 0, zeroCubes: new Map() };
  kernels.set(memory, known);
  const kind = `${elementBytes} ${cube !== undefined}`;
  if (!known.byKind.has(kind)) {
    const analyze = cube ? analyzeCube(elementBytes) : analyzeRows(elementBytes);
    known.byKind.set(kind, instantiate({ analyze, zeroSums }, memory));
  }
  const kernel = known.byKind.get(kind);
  if (!kernel) return undefined;
  bytesUpTo(chunk, freeAt + 20);
  const rowBytes = shape[0] * elementBytes;
  const blocks = (rowBytes / blockBytes) * shape[1] * shape[2];
  const hasBlocks = rowBytes % blockBytes === 0 && blocks <= maxZeroBlocks;
  if (hasBlocks && blocks > known.zeroBlocks) {
    kernel.zeroSums(zeroSumsAt, blocks);
    known.zeroBlocks = blocks;
  }
  const results = new DataView(memory.buffer);
  const at32 = (index: number) => results.getUint32(freeAt + 4 * index, true);
  const found = (): ChunkAnalysis => ({ changes: [at32(0), at32(1), at32(2)], checksum: { sum: at32(3), cross: at32(4) } });
  if (cube) {
    kernel.analyze(at, rowStride, planeStride, cube.nonZeroAt, cube.busyAt, zeroSumsAt, freeAt);
    const zeros = known.zeroCubes.get(elementBytes) ?? sumOfZeros(memory, zeroSumsAt, blocks);
    known.zeroCubes.set(elementBytes, zeros);
    const { changes, checksum } = found();
    return { changes, checksum: addChecksums(checksum, zeros) };
  }
  const pieces = hasBlocks ? [blockBytes, zeroSumsAt] : [rowBytes, 0];
  kernel.analyze(at, rowStride, planeStride, rowBytes, shape[1], shape[2], freeAt, ...pieces);
  return found();
}

/** The checksum of this many blocks of zeros. */
function sumOfZeros({ buffer }: WebAssembly.Memory, zeroSumsAt: number, blocks: number): Checksum {
  const sums = new Uint32Array(buffer, zeroSumsAt, 2 * blocks);
  let sum = 0;
  let cross = 0;
  for (let at = 0; at < sums.length; at += 2) {
    sum = (sum + (sums[at] as number)) | 0;
    cross = (cross + (sums[at + 1] as number)) | 0;
  }
  return { sum: sum >>> 0, cross: cross >>> 0 };
}

/**
 * One pass over all rows. Writes the changes along x, y and z and the checksum's `sum` and `cross` to `out`. If `zeros` is not
 * 0, rows are whole blocks and it is the output of `zeroSums`: zero blocks among zeros then need only a test.
 */
function analyzeRows(elementBytes: CodecElementBytes): WasmFunction {
  const { ne, bitmask } = elementCode[elementBytes];
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
      // The block, the element after it, and the blocks below and behind.
      const around = inBlock.flatMap((offset) => [
        v128.load(p.get, offset),
        v128.load(i32.add(p.get, toBelow.get), offset),
        v128.load(i32.add(p.get, toBehind.get), offset),
      ]);
      const piece = [
        pieceEnd.set(i32.add(p.get, pieceBytes.get)),
        when(zeros.get, [
          isZero.set(
            i32.eqz(v128.anyTrue([...around, v128.load(p.get, blockBytes - 16 + elementBytes)].reduce((a, b) => v128.or(a, b)))),
          ),
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
