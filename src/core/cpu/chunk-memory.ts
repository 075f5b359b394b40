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
   */
  halve({ steps, further, method, type }: HalvingSteps): HalvedChunks[] {
    const [first] = this.#loaded as readonly [ChunkInMemory];
    const { module, shape, elementBytes, freeAt } = first;
    const voxels: Dims3 = [first.rowStride / elementBytes, shape[1], shape[2]];
    const results = dimsOfHalvings(voxels, [steps, ...further], type);
    const sizeOf = ([x, y, z]: Dims3) => x * y * z * elementBytes;
    const aligned = (byte: number) => 16 * Math.ceil(byte / 16);
    const total = results.reduce((sum, dims) => sum + aligned(sizeOf(dims)), aligned(freeAt));
    const memory = module.memoryTo(total + slackBytes);
    let [at, rowStride, planeStride, dims] = [first.at, first.rowStride, first.planeStride, voxels];
    let to = aligned(freeAt);
    return [steps, ...further].map((step, index) => {
      const halved = results[index] as Dims3;
      const from = [dims[0] / elementsPerVoxel(type), dims[1], dims[2]] as const;
      module.call('halve', ...halvingParameters(type, method), at, rowStride, planeStride, ...from, ...step, to);
      const bytes = memory.subarray(to, to + sizeOf(halved));
      [at, rowStride, planeStride, dims] = [to, halved[0] * elementBytes, halved[0] * halved[1] * elementBytes, halved];
      to = aligned(to + bytes.byteLength);
      return { bytes, dims };
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

/** `analyze` for a loaded chunk. Finds the rows that change, which encoders need. */
export function analyzeInMemory(chunk: ChunkInMemory): ChunkAnalysis {
  const { module, freeAt } = chunk;
  const to = 4 * Math.ceil(freeAt / 4);
  const memory = module.memoryTo(to + 20);
  module.call('analyze', ...chunkParameters(chunk), to);
  const [x, y, z, sum, cross] = new Uint32Array(memory.buffer, to, 5) as unknown as [number, number, number, number, number];
  return { changes: [x, y, z], checksum: { sum, cross } };
}
