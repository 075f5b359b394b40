import moduleBytes from '../../assembly/chunks/index.ts?assembly';
import type { ChunkAnalysis } from '../chunks/analyze.ts';
import type { ChunkBox } from '../chunks/backend.ts';
import { type ChunkInMemory, type ChunkModule, chunkParameters, slackBytes } from '../codec/chunk-in-memory.ts';
import { elementsPerVoxel } from '../format/chunk-grid.ts';
import { halvingParameters } from '../levels/halve.ts';
import type { Dims3 } from '../shared/volume.ts';
import { lazyModule } from '../shared/wasm-module.ts';
import { dimsOfHalvings, type HalvedChunks, type HalvingSteps } from './halved-chunks.ts';
import type { RowSource } from './row-source.ts';

/** Larger rows of chunks are not loaded into the memory. */
export const maxMemoryBytes = 2 ** 24;

/** Bytes of a line of the cache. */
const lineOfCache = 64;

/**
 * WebAssembly memory into which chunks of a box are copied, to be analyzed and encoded there. Their layout is that of the box. One per
 * thread.
 */
export class ChunkMemory {
  readonly #module: () => ChunkModule | undefined = lazyModule(moduleBytes);

  /** What `load` loaded last. */
  #loaded: readonly ChunkInMemory[] = [];

  /** Undefined if the chunks are too large, or without WebAssembly. @param chunks of equal height and depth, adjacent along x */
  load(box: RowSource, chunks: readonly ChunkBox[]): readonly ChunkInMemory[] | undefined {
    const [first] = chunks;
    if (!first) return undefined;
    const { elementBytes } = box;
    const [, height, depth] = first.shape;
    const rowStride = chunks.reduce((sum, { shape }) => sum + shape[0] * elementBytes, 0);
    if (rowStride * height * depth > maxMemoryBytes) return undefined;
    const module = this.#module();
    if (!module) return undefined;

    // An odd number of lines: otherwise the same positions of all planes would often share few sets of the cache.
    const planeStride = lineOfCache * (Math.ceil((rowStride * height) / lineOfCache) | 1);
    const voxelsAt = module.freeAt + slackBytes;
    const lineBytes = 8 * Math.ceil(height / 64);
    const setBytes = 3 * lineBytes * depth + 8 * Math.ceil(depth / 64) * height;
    const setsAt = 8 * Math.ceil((voxelsAt + planeStride * depth + slackBytes) / 8);
    const freeAt = setsAt + setBytes * chunks.length;
    const memory = module.memoryTo(freeAt);
    let left = voxelsAt;
    const loaded = chunks.map(({ shape }, number): ChunkInMemory => {
      const at = left;
      left += shape[0] * elementBytes;
      return { module, at, rowStride, planeStride, shape, elementBytes, setsAt: setsAt + setBytes * number, freeAt };
    });
    const [x, y, front] = first.origin;
    for (let z = 0; z < depth; z++) {
      box.copyRows([x, y, front + z], rowStride, height, memory, voxelsAt + z * planeStride);
      // While the cache has them.
      for (const { at, shape, setsAt } of loaded) {
        module.call('findNonZero', at + z * planeStride, rowStride, shape[0] * elementBytes, height, setsAt + lineBytes * z);
      }
    }
    this.#loaded = loaded;
    return loaded;
  }

  /**
   * The chunks that were loaded last, together, at half their resolution: `halve` of core/levels. Then each result alike, as often as
   * asked. The results are lost with the next call.
   * @param areConstant for each chunk, whether all its voxels are known to be equal
   */
  halve({ steps, further, method, type }: HalvingSteps, areConstant: readonly boolean[]): HalvedChunks[] {
    const chunks = this.#loaded;
    const [first, second = first] = chunks as readonly [ChunkInMemory, ChunkInMemory?];
    const { module, rowStride, planeStride, elementBytes, freeAt } = first;
    const perVoxel = elementsPerVoxel(type);
    const [, height, depth] = first.shape;
    const row: Dims3 = [rowStride / elementBytes, height, depth];
    const results = dimsOfHalvings(row, [steps, ...further], type);
    const sizeOf = ([x, y, z]: Dims3) => x * y * z * elementBytes;
    // Floats that are all infinite or missing have a mean of their own.
    const constants = type.startsWith('f') ? [] : areConstant;
    const widthsAt = aligned(freeAt);
    let end = aligned(widthsAt + 8 * chunks.length);
    const places = results.map((dims) => {
      const at = end;
      end = aligned(at + sizeOf(dims));
      return at;
    });
    const memory = module.memoryTo(end + slackBytes);
    const parameters = halvingParameters(type, method);
    const halveBox = (at: number, rowBytes: number, planeBytes: number, [x, y, z]: Dims3, step: Dims3, to: number) =>
      module.call('halve', ...parameters, at, rowBytes, planeBytes, x / perVoxel, y, z, ...step, to);
    return results.map((dims, index) => {
      const to = places[index] as number;
      if (index > 0) {
        const from = results[index - 1] as Dims3;
        const rowBytes = from[0] * elementBytes;
        halveBox(places[index - 1] as number, rowBytes, rowBytes * from[1], from, further[index - 1] as Dims3, to);
      } else if (constants.includes(true)) {
        const widths = chunks.flatMap(({ shape }, at) => [shape[0] / perVoxel, Number(constants[at])]);
        new Uint32Array(memory.buffer, widthsAt, widths.length).set(widths);
        const ofChunks = [elementBytes * perVoxel, chunks.length, widthsAt, first.setsAt, second.setsAt - first.setsAt];
        const from = [first.at, rowStride, planeStride, height, depth];
        module.call('halveChunks', ...parameters, ...from, ...steps, ...ofChunks, to);
      } else halveBox(first.at, rowStride, planeStride, row, steps, to);
      return { bytes: memory.subarray(to, to + sizeOf(dims)), dims };
    });
  }

  /** Copies a loaded chunk's bytes out, row after row. */
  copyOut(chunk: ChunkInMemory, target: Uint8Array): void {
    const { module, at, rowStride, planeStride, shape, elementBytes, freeAt } = chunk;
    const end = freeAt + target.byteLength;
    const memory = module.memoryTo(end + slackBytes);
    module.call('copyRows', at, rowStride, planeStride, shape[0] * elementBytes, shape[1], shape[2], freeAt);
    target.set(memory.subarray(freeAt, end));
  }
}

function aligned(address: number): number {
  return 16 * Math.ceil(address / 16);
}

/** `analyze` for a loaded chunk. Finds the rows that change, which encoders need. */
export function analyzeInMemory(chunk: ChunkInMemory): ChunkAnalysis {
  const { module, freeAt } = chunk;
  const to = 4 * Math.ceil(freeAt / 4);
  const memory = module.memoryTo(to + 20);
  module.call('analyze', ...chunkParameters(chunk), to);
  const [x, y, z, sum, cross] = new Uint32Array(memory.buffer, to, 5) as unknown as [number, number, number, number, number];
  return { changes: [x, y, z], checksum: { sum, cross } };
}
