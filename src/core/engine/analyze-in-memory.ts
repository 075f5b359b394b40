import { bytesUpTo, type ChunkInMemory } from '../codecs/chunk-in-memory.ts';
import type { CodecElementBytes } from '../codecs/codec.ts';
import {
  type Code,
  doWhile,
  i8x16,
  i16x8,
  i32,
  i32x4,
  instantiate,
  v128,
  type WasmFunction,
  wasmFunction,
  when,
} from '../shared/wasm.ts';
import type { ChunkAnalysis } from './analyze.ts';

const comparison = { 1: i8x16, 2: i16x8, 4: i32x4 } as const;

type Kernel = Readonly<Record<'analyze', (...parameters: number[]) => void>>;

const kernels = new WeakMap<WebAssembly.Memory, Map<CodecElementBytes, Kernel | undefined>>();

/** As `analyze`, which is its oracle, vectors at a time. Undefined where there is no WebAssembly. */
export function analyzeInMemory(chunk: ChunkInMemory): ChunkAnalysis | undefined {
  const { memory, elementBytes, shape, at, rowStride, planeStride, freeAt } = chunk;
  const known = kernels.get(memory) ?? new Map<CodecElementBytes, Kernel | undefined>();
  kernels.set(memory, known);
  if (!known.has(elementBytes)) known.set(elementBytes, instantiate({ analyze: kernelOf(elementBytes) }, memory));
  const kernel = known.get(elementBytes);
  if (!kernel) return undefined;
  bytesUpTo(chunk, freeAt + 20);
  kernel.analyze(at, rowStride, planeStride, shape[0] * elementBytes, shape[1], shape[2], freeAt);
  const results = new DataView(memory.buffer, freeAt);
  const [x = 0, y = 0, z = 0, sum = 0, cross = 0] = Array.from({ length: 5 }, (_, i) => results.getUint32(4 * i, true));
  return { changes: [x, y, z], checksum: { sum, cross } };
}

/** One pass over all rows. Writes the changes along x, y, z and the checksum's `sum` and `cross` to `out`. */
function kernelOf(elementBytes: CodecElementBytes): WasmFunction {
  const { ne, bitmask } = comparison[elementBytes];
  const lastLane = 1 << (16 / elementBytes - 1);
  const sumOf = (vector: Code) =>
    ([0, 1, 2, 3] as const).map((lane) => i32x4.extract(lane, vector)).reduce((a, b) => i32.add(a, b));
  const step = 0x9e3779b1;
  return wasmFunction(
    ['at', 'rowStride', 'planeStride', 'rowBytes', 'height', 'depth', 'out'],
    {
      i32: ['plane', 'row', 'y', 'z', 'p', 'end', 'toBelow', 'toBehind', 'bits', 'changesX', 'changesY', 'changesZ'],
      v128: ['word', 'differsX', 'differsY', 'differsZ', 'mixed', 'number', 'sum', 'cross'],
    },
    ({ at, rowStride, planeStride, rowBytes, height, depth, out, ...variables }) => {
      const { plane, row, y, z, p, end, toBelow, toBehind, bits, changesX, changesY, changesZ } = variables;
      const { word, differsX, differsY, differsZ, mixed, number, sum, cross } = variables;
      // core/format/checksum.ts, of four words at a time. `number` holds their numbers, times the step.
      const mix = [
        mixed.set(v128.xor(word.get, number.get)),
        mixed.set(i32x4.mul(v128.xor(mixed.get, i32x4.shrU(mixed.get, 16)), i32x4.splat(0x85ebca6b))),
        mixed.set(i32x4.mul(v128.xor(mixed.get, i32x4.shrU(mixed.get, 13)), i32x4.splat(0xc2b2ae35))),
        mixed.set(v128.xor(mixed.get, i32x4.shrU(mixed.get, 16))),
        sum.set(i32x4.add(sum.get, mixed.get)),
        cross.set(i32x4.add(cross.get, i32x4.mul(v128.xor(mixed.get, i32x4.shrU(mixed.get, 15)), i32x4.splat(0x27d4eb2f)))),
        number.set(i32x4.add(number.get, i32x4.splat(Math.imul(4, step)))),
      ];
      const vector = [
        word.set(v128.load(p.get)),
        ...mix,
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
      const oneRow = [
        p.set(row.get),
        end.set(i32.add(row.get, rowBytes.get)),
        y.add(1),
        // The last row and plane are compared with themselves.
        toBelow.set(i32.mul(rowStride.get, i32.ltU(y.get, height.get))),
        doWhile(vector, i32.ltU(p.get, end.get)),
        row.add(rowStride.get),
      ];
      return [
        number.set(i32x4.constant(0, step, Math.imul(2, step), Math.imul(3, step))),
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
        ...[changesX.get, changesY.get, changesZ.get, sumOf(sum.get), sumOf(cross.get)].map((result, place) =>
          i32.store(out.get, result, 4 * place),
        ),
      ];
    },
  );
}
