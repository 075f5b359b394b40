import type { DepositKernel } from './deposit-choice.ts';
import type { DepositGrid } from './deposit-grid.ts';
import type { DepositDevice, SumSlab } from './depositor.ts';
import { fraction32, times16, times32 } from './fixed-point.ts';
import { plainWords, smoothedWords } from './particle-placer.ts';
import { smoothingSteps, smoothingWeights } from './smoothing-table.ts';

const one = 65_536;
const half = one / 2;
/** The limit for a depositor's sums, which take 8 bytes per voxel. */
const defaultMaxVoxels = 2 ** 27;

/**
 * Deposits on the CPU. Its GPU twin is shaders/particles; both compute the same integers.
 * @param maxVoxels most voxels per slab; only tests set it
 */
export function cpuDepositDevice(maxVoxels = defaultMaxVoxels): DepositDevice {
  return {
    maxVoxels,
    depositor(grid, kernel, slab) {
      const work = new CpuDepositor(grid, slab);
      return {
        add: async (words) => work.add(words, kernel),
        sums: async () => work.sums,
        destroy: () => {},
      };
    },
  };
}

class CpuDepositor {
  readonly sums: Float64Array<ArrayBuffer>;
  readonly #grid: DepositGrid;
  readonly #slab: SumSlab;
  /** A particle's shares along an axis: voxel numbers, and weights in 1/65,536. */
  readonly #places = [new Int32Array(3), new Int32Array(3), new Int32Array(3)] as const;
  readonly #weights = [new Int32Array(3), new Int32Array(3), new Int32Array(3)] as const;

  constructor(grid: DepositGrid, slab: SumSlab) {
    this.#grid = grid;
    this.#slab = slab;
    this.sums = new Float64Array(grid.dims[0] * grid.dims[1] * slab.sliceCount);
  }

  add(words: Uint32Array, kernel: DepositKernel): void {
    const positions = new Int32Array(words.buffer, words.byteOffset, words.length);
    const width = kernel === 'sph' ? smoothedWords : plainWords;
    for (let at = 0; at < words.length; at += width) {
      const mass = (words[at + 3] as number) + (words[at + 4] as number) * 2 ** 32;
      if (kernel === 'sph') this.#smooth(positions, words, at, mass);
      else this.#spread(positions, at, mass, kernel);
    }
  }

  /** The neighbours' shares along z, then y, then x. The last neighbour gets the remainder, so that nothing is lost. */
  #spread(positions: Int32Array, at: number, mass: number, kernel: Exclude<DepositKernel, 'sph'>): void {
    // Read once and without destructuring, which would iterate: this loop dominates the run time.
    const sums = this.sums;
    const width = this.#grid.dims[0];
    const xs = this.#places[0];
    const ys = this.#places[1];
    const zs = this.#places[2];
    const xWeights = this.#weights[0];
    const yWeights = this.#weights[1];
    const zWeights = this.#weights[2];
    const last = this.#neighbours(kernel, positions[at] as number, 0) - 1;
    this.#neighbours(kernel, positions[at + 1] as number, 1);
    this.#neighbours(kernel, positions[at + 2] as number, 2);
    for (let i = 0; i <= last; i++) {
      xs[i] = this.#within(xs[i] as number, 0);
      ys[i] = this.#within(ys[i] as number, 1);
      zs[i] = this.#rowOfSlice(zs[i] as number);
    }
    let zRest = mass;
    for (let k = 0; k <= last; k++) {
      const zShare = k === last ? zRest : times16(mass, zWeights[k] as number);
      zRest -= zShare;
      const row = zs[k] as number;
      if (row < 0) continue;
      let yRest = zShare;
      for (let j = 0; j <= last; j++) {
        const yShare = j === last ? yRest : times16(zShare, yWeights[j] as number);
        yRest -= yShare;
        const y = ys[j] as number;
        if (y < 0) continue;
        const start = (row + y) * width;
        let xRest = yShare;
        for (let i = 0; i <= last; i++) {
          const xShare = i === last ? xRest : times16(yShare, xWeights[i] as number);
          xRest -= xShare;
          const x = xs[i] as number;
          if (x >= 0) sums[start + x] = (sums[start + x] as number) + xShare;
        }
      }
    }
  }

  /** The voxels that share a particle along an axis, and their weights. @returns their number */
  #neighbours(kernel: Exclude<DepositKernel, 'sph'>, position: number, axis: 0 | 1 | 2): number {
    const places = this.#places[axis];
    const weights = this.#weights[axis];
    const own = position >> 16;
    const inside = position & (one - 1);
    switch (kernel) {
      case 'ngp':
        places[0] = own;
        return 1;
      case 'cic': {
        // Voxel centres lie at one half.
        const first = (position - half) >> 16;
        places[0] = first;
        places[1] = first + 1;
        weights[0] = one - ((position - half) & (one - 1));
        return 2;
      }
      case 'tsc': {
        // (½ − d)² / 2 and (½ + d)² / 2, where d is the distance from the centre. Halved before squaring, to stay below 2^32.
        const below = (one - inside) >> 1;
        const above = inside >> 1;
        places[0] = own - 1;
        places[1] = own;
        places[2] = own + 1;
        weights[0] = (below * below) >>> 15;
        weights[1] = one - (weights[0] as number) - ((above * above) >>> 15);
        return 3;
      }
    }
  }

  /** Shares by the cubic spline of each voxel centre's distance, divided by their sum over all voxels, also those outside. */
  #smooth(positions: Int32Array, words: Uint32Array, at: number, mass: number): void {
    const sphere = new Sphere(positions, words, at);
    let sum = 0;
    sphere.visit((_x, _y, _z, weight) => {
      sum += weight;
    });
    if (sum === 0) {
      // The sphere is too small to reach a voxel's centre.
      this.#spread(positions, at, mass, 'ngp');
      return;
    }
    let reached = 0;
    let given = 0;
    sphere.visit((x, y, z, weight) => {
      reached += weight;
      const until = reached === sum ? mass : times32(mass, fraction32(reached, sum));
      const share = until - given;
      given = until;
      const row = this.#rowOfSlice(z);
      const [left, line] = [this.#within(x, 0), this.#within(y, 1)];
      if (row < 0 || left < 0 || line < 0) return;
      const index = (row + line) * this.#grid.dims[0] + left;
      this.sums[index] = (this.sums[index] as number) + share;
    });
  }

  /** The number of a slice's first row in the slab; -1 if the slice is not in it. */
  #rowOfSlice(z: number): number {
    const { firstSlice, sliceCount } = this.#slab;
    const slice = this.#within(z, 2) - firstSlice;
    return slice >= 0 && slice < sliceCount ? slice * this.#grid.dims[1] : -1;
  }

  /** The number of a voxel along an axis; -1 if it is outside the box. */
  #within(place: number, axis: 0 | 1 | 2): number {
    const length = this.#grid.dims[axis];
    if (place >= 0 && place < length) return place;
    if (this.#grid.edges === 'clip') return -1;
    const rest = place % length;
    return rest < 0 ? rest + length : rest;
  }
}

/** The voxels within a particle's smoothing radius. */
class Sphere {
  readonly #center: readonly [number, number, number];
  readonly #radius: readonly [number, number, number];

  constructor(positions: Int32Array, words: Uint32Array, at: number) {
    this.#center = [positions[at] as number, positions[at + 1] as number, positions[at + 2] as number];
    this.#radius = [words[at + 5] as number, words[at + 6] as number, words[at + 7] as number];
  }

  visit(work: (x: number, y: number, z: number, weight: number) => void): void {
    const [firstX, lastX] = this.#range(0);
    const [firstY, lastY] = this.#range(1);
    const [firstZ, lastZ] = this.#range(2);
    for (let z = firstZ; z <= lastZ; z++) {
      const zSquare = this.#square(z, 2);
      for (let y = firstY; y <= lastY; y++) {
        const ySquare = zSquare + this.#square(y, 1);
        for (let x = firstX; x <= lastX; x++) {
          const step = Math.floor((ySquare + this.#square(x, 0)) / 2 ** 14);
          if (step >= smoothingSteps) continue;
          const weight = smoothingWeights[step] as number;
          if (weight > 0) work(x, y, z, weight);
        }
      }
    }
  }

  #range(axis: 0 | 1 | 2): readonly [first: number, last: number] {
    const reach = this.#radius[axis] * 256;
    return [(this.#center[axis] - reach) >> 16, (this.#center[axis] + reach) >> 16];
  }

  /** Squared distance of a voxel's centre along an axis, in 2^-24 of the squared radius. */
  #square(place: number, axis: 0 | 1 | 2): number {
    const distance = Math.abs(place * one + half - this.#center[axis]) >> 8;
    const relative = Math.floor((distance * Math.floor(2 ** 30 / this.#radius[axis])) / 2 ** 18);
    return relative * relative;
  }
}
