import type { JobOptions } from '../shared/job.ts';

/** A box in units of the particles' positions: half-open, so that its upper sides are outside. */
export interface ParticleBox {
  readonly origin: readonly [number, number, number];
  readonly lengths: readonly [number, number, number];
}

/** Some particles of a group, in the file's order. */
export interface ParticlePiece {
  /** x, y, z of each particle. */
  readonly positions: Float64Array;
  /** Undefined if masses were not requested. */
  readonly masses?: Float64Array | undefined;
  /** The radius at which each particle's smoothing kernel becomes zero. Undefined if it was not requested. */
  readonly radii?: Float64Array | undefined;
}

export interface PieceRequest {
  readonly masses: boolean;
  readonly radii: boolean;
}

/** Particles of one kind. */
export interface ParticleGroup {
  /** Name in messages: `gas`, `PartType0`. */
  readonly name: string;
  readonly count: number;
  /** Undefined if there are masses. Otherwise the name of the missing data: `the dataset PartType0/Masses`. */
  readonly lacksMasses: string | undefined;
  readonly lacksRadii: string | undefined;
  /** Some particles, `count` from `first` on. @throws StriaError `corrupt`, `not-readable`, `aborted` */
  read(first: number, count: number, request: PieceRequest, job: JobOptions): Promise<ParticlePiece>;
}

/** The particles of a file or folder whose headers have been read. */
export interface ParticleSet {
  /** For messages and reports. */
  readonly format: string;
  readonly groups: readonly ParticleGroup[];
  /** The simulation's box, if the file states it. */
  readonly box: ParticleBox | undefined;
  /** The number of files of the snapshot. Undefined if the file does not say, or is the only one. */
  readonly fileCount?: number | undefined;
  /** Frees its resources, but does not close its files. */
  close?(): void;
}

export function particleCount(groups: readonly ParticleGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

/** A share of particles: `number` from 1. */
export interface ParticleShare {
  readonly number: number;
  readonly of: number;
}

/** Particles are read in pieces of at most this many. */
const pieceParticles = 2 ** 16;

/** A piece of particles and its position in the group. */
export interface PlacedPiece extends ParticlePiece {
  readonly group: string;
  /** Number of the first particle in its group. */
  readonly first: number;
}

/**
 * The particles of all groups, or of one share of them, piece by piece.
 * @throws as `ParticleGroup.read`
 */
export async function* particlePieces(
  groups: readonly ParticleGroup[],
  request: PieceRequest,
  share: ParticleShare | undefined,
  job: JobOptions,
): AsyncGenerator<PlacedPiece> {
  const [from, to] = shareRange(particleCount(groups), share);
  let before = 0;
  for (const group of groups) {
    const end = Math.min(group.count, to - before);
    for (let first = Math.max(0, from - before); first < end; first += pieceParticles) {
      const piece = await group.read(first, Math.min(pieceParticles, end - first), request, job);
      yield { ...piece, group: group.name, first };
    }
    before += group.count;
  }
}

/** The first particle of a share and the end after its last one. The sizes of shares differ by at most one particle. */
export function shareRange(count: number, share: ParticleShare | undefined): readonly [from: number, to: number] {
  if (!share) return [0, count];
  const least = Math.floor(count / share.of);
  const longer = count % share.of;
  const start = (number: number) => number * least + Math.min(number, longer);
  return [start(share.number - 1), start(share.number)];
}
