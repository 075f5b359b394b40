import { StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { nextTurn } from '../shared/turn.ts';
import { type ParticleGroup, particleCount, particlePieces } from './particles.ts';

/** Sums have 53 bits. One is reserved, because rounding masses to units may increase the total. */
const unitsOfTotal = 2 ** 52;

/**
 * Reads all masses and returns a unit of mass, a power of two, with which the sums of all particles cannot overflow.
 * @throws StriaError `invalid-input` if they have no mass; as `ParticleGroup.read`
 */
export async function chooseMassUnit(groups: readonly ParticleGroup[], job: JobOptions): Promise<number> {
  const total = particleCount(groups);
  let done = 0;
  let mass = 0;
  for await (const { masses, positions } of particlePieces(groups, { masses: true, radii: false }, undefined, job)) {
    throwIfAborted(job.signal);
    // Faulty masses are reported with the particle's number when they are deposited.
    for (const one of masses ?? []) if (one > 0 && one < Number.POSITIVE_INFINITY) mass += one;
    done += positions.length / 3;
    await nextTurn();
    job.onProgress?.({ stage: 'Weighing', done, total, counts: 'particles' });
  }
  if (mass === 0) throw new StriaError('invalid-input', 'the masses of all particles are 0; --quantity count needs none');
  return 2 ** Math.ceil(Math.log2(mass)) / unitsOfTotal;
}
