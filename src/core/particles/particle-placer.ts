import { StriaError } from '../shared/errors.ts';
import type { DepositKernel, SummedQuantity } from './deposit-choice.ts';
import type { DepositGrid } from './deposit-grid.ts';
import type { PlacedPiece } from './particles.ts';
import { maxRadiusVoxels, minRadiusVoxels } from './smoothing-table.ts';

/** Words of a placed particle: position x, y, z (i32, in 1/65,536 voxel), mass (low and high word, in units). */
export const plainWords = 5;
/** The same, followed by the smoothing radius along x, y, z in 1/256 voxel. */
export const smoothedWords = 8;

/** How many units one particle has if particles are counted. */
const countUnits = 2 ** 20;
export const countUnit = 1 / countUnits;

/** In a periodic box, a position this many boxes away has no digits left for its place inside, so the data is faulty. */
const farthest = 2 ** 20;

/** Sums stay below this, so that doubles hold them exactly. */
const sumLimit = 2 ** 53;

export interface PlacerSettings {
  readonly grid: DepositGrid;
  readonly kernel: DepositKernel;
  readonly quantity: SummedQuantity;
  /** Mass of one unit of the sums. */
  readonly unit: number;
}

/** Counts of placed particles. */
export interface PlacedCounts {
  /** Number of all particles that were read. */
  particles: number;
  /** Number of particles outside the box. They were clipped or, in a periodic box, moved into it. */
  outside: number;
  /** Number of particles whose smoothing radius was limited. */
  limited: number;
  /** Sum of all masses, in units. */
  units: number;
}

/**
 * Converts particles to integers, which all kernels use. So the CPU and any GPU give the same sums, whatever the order of the
 * particles.
 */
export class ParticlePlacer {
  readonly counts: PlacedCounts = { particles: 0, outside: 0, limited: 0, units: 0 };
  readonly #settings: PlacerSettings;

  constructor(settings: PlacerSettings) {
    this.#settings = settings;
  }

  /**
   * @returns `plainWords` or, for sph, `smoothedWords` words per particle. In a clipped box, particles that reach no voxel are left out
   * @throws StriaError `corrupt` for positions, masses and radii that are not numbers; `invalid-input` if the sums overflow
   */
  place(piece: PlacedPiece): Uint32Array<ArrayBuffer> {
    const { grid, kernel, quantity, unit } = this.#settings;
    const { dims, box, edges } = grid;
    const { counts } = this;
    const { positions, masses } = piece;
    const count = positions.length / 3;
    const width = kernel === 'sph' ? smoothedWords : plainWords;
    const words = new Uint32Array(count * width);
    const scales = dims.map((length, axis) => length / (box.lengths[axis] as number));
    /** How many voxels a particle reaches beyond its own. */
    const reach = [0, 0, 0];
    let used = 0;
    for (let at = 0; at < count; at++) {
      counts.particles++;
      let units = countUnits;
      if (quantity === 'mass') {
        const mass = masses?.[at] as number;
        if (!(mass >= 0 && mass < Number.POSITIVE_INFINITY)) throw this.#faulty(piece, at, `mass of ${mass}`);
        units = Math.floor(mass / unit + 0.5);
      }
      counts.units += units;
      if (!(counts.units < sumLimit)) throw this.#overflow();
      if (kernel === 'sph') {
        if (this.#smooth(words.subarray(used + plainWords, used + width), piece, at, scales)) counts.limited++;
        for (let axis = 0; axis < 3; axis++) reach[axis] = Math.ceil((words[used + plainWords + axis] as number) / 256);
      } else {
        reach.fill(kernel === 'ngp' ? 0 : 1);
      }
      let isOutside = false;
      let isUsed = true;
      for (let axis = 0; axis < 3; axis++) {
        const position = positions[3 * at + axis] as number;
        if (!Number.isFinite(position)) throw this.#faulty(piece, at, `position of ${position} along ${'xyz'[axis]}`);
        const length = dims[axis] as number;
        let voxels = (position - (box.origin[axis] as number)) * (scales[axis] as number);
        if (!(voxels >= 0 && voxels < length)) {
          isOutside = true;
          if (edges === 'periodic') {
            if (Math.abs(voxels) > length * farthest)
              throw this.#faulty(piece, at, `position of ${position} along ${'xyz'[axis]}`);
            voxels -= Math.floor(voxels / length) * length;
          } else if (!(voxels >= -(reach[axis] as number) && voxels < length + (reach[axis] as number))) isUsed = false;
        }
        let fixed = isUsed ? Math.floor(voxels * 65_536) : 0;
        // Rounding may have moved the position onto the upper side.
        if (edges === 'periodic' && fixed >= length * 65_536) fixed = 0;
        words[used + axis] = fixed;
      }
      if (isOutside) counts.outside++;
      if (!isUsed) continue;
      words[used + 3] = units % 2 ** 32;
      words[used + 4] = units / 2 ** 32;
      used += width;
    }
    return words.subarray(0, used);
  }

  /** Writes the radius along each axis. @returns whether it was limited */
  #smooth(words: Uint32Array, piece: PlacedPiece, at: number, scales: readonly number[]): boolean {
    const radius = piece.radii?.[at] as number;
    if (!(radius >= 0 && radius < Number.POSITIVE_INFINITY)) throw this.#faulty(piece, at, `smoothing length of ${radius}`);
    let isLimited = false;
    for (let axis = 0; axis < 3; axis++) {
      const voxels = radius * (scales[axis] as number);
      if (voxels > maxRadiusVoxels) isLimited = true;
      words[axis] = Math.floor(Math.min(maxRadiusVoxels, Math.max(minRadiusVoxels, voxels)) * 256);
    }
    return isLimited;
  }

  #faulty({ group, first }: PlacedPiece, at: number, what: string): StriaError {
    return new StriaError('corrupt', `particle ${first + at + 1} of ${group} has a ${what}`);
  }

  #overflow(): StriaError {
    const { quantity, unit } = this.#settings;
    const advice = quantity === 'mass' ? `; the unit of mass is ${unit}, and --unit takes a larger one` : '';
    return new StriaError('invalid-input', `the particles add up to more than the 2^53 units that the sums hold${advice}`);
  }
}
