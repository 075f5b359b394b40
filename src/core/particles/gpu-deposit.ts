import smoothShader from '../../shaders/particles/smooth.wgsl';
import spreadShader from '../../shaders/particles/spread.wgsl';
import type { Gpu } from '../gpu/gpu.ts';
import type { KernelDescriptor } from '../gpu/kernel.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { DepositKernel } from './deposit-choice.ts';
import type { DepositGrid } from './deposit-grid.ts';
import type { DepositDevice, Depositor, SumSlab } from './depositor.ts';
import { plainWords, smoothedWords } from './particle-placer.ts';
import { smoothingWeights } from './smoothing-table.ts';

const threads = 64;
/** The sums are read back as 8 bytes a voxel. */
const defaultMaxVoxels = 2 ** 27;
/** Sums are read back in pieces of this many bytes. */
const readBytes = 2 ** 26;
/** The most voxels that the smoothed particles of one dispatch visit, so that no dispatch runs too long. */
const defaultVisitsTogether = 2 ** 24;

const neighbours = { ngp: 1, cic: 2, tsc: 3 } as const;

function kernelOf(kernel: DepositKernel): KernelDescriptor {
  if (kernel === 'sph') return { label: 'particles.smooth', shader: smoothShader };
  return { label: 'particles.spread', shader: spreadShader, constants: { neighbours: neighbours[kernel] } };
}

/**
 * Deposits on a GPU. The sums are those of `cpuDepositDevice`.
 * @param gpu remains the caller's
 * @param limits only tests set them
 */
export function gpuDepositDevice(gpu: Gpu, limits: { maxVoxels?: number; visitsTogether?: number } = {}): DepositDevice {
  const { maxVoxels = defaultMaxVoxels, visitsTogether = defaultVisitsTogether } = limits;
  return {
    maxVoxels: Math.min(maxVoxels, Math.floor(gpu.maxBindingBytes / 4)),
    depositor: (grid, kernel, slab) => new GpuDepositor(gpu, { grid, kernel, slab, visitsTogether }),
  };
}

interface DepositWork {
  readonly grid: DepositGrid;
  readonly kernel: DepositKernel;
  readonly slab: SumSlab;
  readonly visitsTogether: number;
}

class GpuDepositor implements Depositor {
  readonly #gpu: Gpu;
  readonly #work: DepositWork;
  readonly #scope: GpuScope;
  readonly #low: GPUBuffer;
  readonly #high: GPUBuffer;
  readonly #weights: GPUBuffer;
  readonly #voxels: number;
  /** The GPU's work on the previous piece, which runs while the next one is read and placed. */
  #running: Promise<unknown> = Promise.resolve();

  constructor(gpu: Gpu, work: DepositWork) {
    const { grid, slab } = work;
    this.#gpu = gpu;
    this.#work = work;
    this.#voxels = grid.dims[0] * grid.dims[1] * slab.sliceCount;
    this.#scope = gpu.scope('particles');
    try {
      // New buffers are zero.
      this.#low = this.#scope.storage('low', 4 * this.#voxels);
      this.#high = this.#scope.storage('high', 4 * this.#voxels);
      this.#weights = this.#scope.storage('weights', smoothingWeights.byteLength, smoothingWeights);
    } catch (error) {
      this.#scope.destroy();
      throw error;
    }
  }

  async add(words: Uint32Array<ArrayBuffer>): Promise<void> {
    await this.#running;
    if (words.length === 0) return;
    const isSmoothed = this.#work.kernel === 'sph';
    const width = isSmoothed ? smoothedWords : plainWords;
    const count = words.length / width;
    const scope = this.#scope.scope('piece');
    const particles = scope.reused('particles', words.byteLength);
    this.#gpu.device.queue.writeBuffer(particles, 0, words);
    const kernel = this.#gpu.kernel(kernelOf(this.#work.kernel));
    const submits: Promise<unknown>[] = [];
    for (let first = 0; first < count; ) {
      const end = isSmoothed ? endOfVisits(words, first, this.#work.visitsTogether) : count;
      const commands = this.#gpu.commands('particles');
      const bindings = [this.#uniform(scope, first, end - first), this.#low, this.#high, particles];
      commands.dispatch(kernel, isSmoothed ? [...bindings, this.#weights] : bindings, Math.ceil((end - first) / threads));
      submits.push(commands.submit());
      first = end;
    }
    this.#running = Promise.all(submits).finally(() => scope.destroy());
    // The next await of `#running` throws the error.
    this.#running.catch(() => {});
  }

  #uniform(scope: GpuScope, first: number, count: number): GPUBuffer {
    const { grid, slab } = this.#work;
    const { firstSlice, sliceCount } = slab;
    const { dims, edges } = grid;
    return scope.uniform('grid', [...dims, edges === 'periodic' ? 1 : 0, firstSlice, sliceCount, count, first]);
  }

  async sums(): Promise<Float64Array<ArrayBuffer>> {
    await this.#running;
    const sums = new Float64Array(this.#voxels);
    for (let start = 0; start < this.#voxels; start += readBytes / 4) {
      const bytes = 4 * Math.min(readBytes / 4, this.#voxels - start);
      const low = await this.#gpu.readWords(this.#low, 4 * start, bytes);
      const high = await this.#gpu.readWords(this.#high, 4 * start, bytes);
      for (let at = 0; at < low.length; at++) sums[start + at] = (low[at] as number) + (high[at] as number) * 2 ** 32;
    }
    return sums;
  }

  destroy(): void {
    // Buffers of submitted work may be freed: the GPU finishes it.
    this.#scope.destroy();
  }
}

/** The end of the smoothed particles from `first` on that one dispatch visits; at least one. */
function endOfVisits(words: Uint32Array, first: number, visitsTogether: number): number {
  let visits = 0;
  for (let number = first; number * smoothedWords < words.length; number++) {
    const at = number * smoothedWords + plainWords;
    // A radius of 1/256 voxel; the sphere's box has one voxel more on each side.
    visits += [0, 1, 2].reduce((product, axis) => product * ((words[at + axis] as number) / 128 + 2), 1);
    if (visits > visitsTogether && number > first) return number;
  }
  return words.length / smoothedWords;
}
