import type { ParticleGroup } from './particles.ts';

/** Particles in memory. */
export interface MadeParticles {
  readonly positions: Float64Array;
  readonly masses: Float64Array;
  readonly radii: Float64Array;
}

export function memoryGroup({ positions, masses, radii }: MadeParticles, name = 'gas'): ParticleGroup {
  return {
    name,
    count: masses.length,
    lacksMasses: undefined,
    lacksRadii: undefined,
    read: async (first, count, request) => ({
      positions: positions.slice(3 * first, 3 * (first + count)),
      masses: request.masses ? masses.slice(first, first + count) : undefined,
      radii: request.radii ? radii.slice(first, first + count) : undefined,
    }),
  };
}

/** Random particles in and around the box from 0 to `lengths`, the same for the same seed; masses of very different size. */
export function madeParticles(count: number, lengths: readonly number[], seed = 1): MadeParticles {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const positions = Float64Array.from({ length: 3 * count }, (_, at) => {
    const length = lengths[at % 3] as number;
    // Some lie on voxel borders and on the box's sides, others outside.
    const place = random() * 1.2 - 0.1;
    return (random() < 0.2 ? Math.round(place * 8) / 8 : place) * length;
  });
  const masses = Float64Array.from({ length: count }, () => 2 ** (random() * 40 - 20));
  const radii = Float64Array.from({ length: count }, () => (random() < 0.3 ? 0.01 : random() * 0.2) * (lengths[0] as number));
  return { positions, masses, radii };
}
