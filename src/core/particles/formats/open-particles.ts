import { type FileTree, isFileTree } from '../../io/common/file-tree.ts';
import { hdf5Reader } from '../../io/hdf5/hdf5-reader.ts';
import { isNpy } from '../../io/npy/npy-header.ts';
import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { ParticleSet } from '../particles.ts';
import { openCsvParticles } from './csv-particles.ts';
import { openNchilada } from './nchilada.ts';
import { openNpyParticles } from './npy-particles.ts';
import { isTipsy, openTipsy } from './tipsy.ts';

export interface ParticleOptions {
  /** Masses of the particles of a NumPy array, in a separate file. */
  readonly masses?: ByteSource | undefined;
}

/**
 * Opens a file or folder of particles: Tipsy, NChilada, GADGET HDF5, NumPy or CSV. Reads headers, and CSV once.
 * @throws StriaError `unsupported` for other files; `corrupt`, `not-readable`, `aborted`
 */
export async function openParticles(
  input: ByteSource | FileTree,
  { masses }: ParticleOptions,
  job: JobOptions,
): Promise<ParticleSet> {
  if (masses && (isFileTree(input) || !/\.npy$/i.test(input.name))) {
    throw new StriaError('invalid-input', '--masses belongs to positions in a .npy file; other formats hold their masses');
  }
  if (isFileTree(input)) return openNchilada(input, job);
  const head = await input.read(0, 4096, job);
  if (head.byteLength === 0) throw new StriaError('corrupt', 'the file is empty');
  if (hdf5Reader.recognises(input.name, head)) return (await import('./gadget.ts')).openGadget(input, job);
  if (isNpy(head)) return openNpyParticles(input, masses, job);
  if (/\.(csv|tsv|txt|dat)$/i.test(input.name)) return openCsvParticles(input, job);
  if (isTipsy(head)) return openTipsy(input, job);
  throw new StriaError(
    'unsupported',
    'this is not a particle file that Stria reads: Tipsy, GADGET HDF5, NumPy (.npy), text (.csv, .tsv, .txt, .dat), or an NChilada folder',
  );
}

/** GADGET's types, by the names that other formats use. */
const speciesTypes: Readonly<Record<string, string>> = { gas: 'PartType0', dark: 'PartType1', star: 'PartType4' };

/**
 * The groups that a list such as `gas,star` or `PartType1` names.
 * @throws StriaError `invalid-input`, with the available names
 */
export function chooseSpecies(set: ParticleSet, species: readonly string[] | undefined): ParticleSet['groups'] {
  if (!species) return set.groups;
  const chosen = species.map((name) => {
    const group = set.groups.find((one) => one.name === name || one.name === speciesTypes[name]);
    if (group) return group;
    throw new StriaError(
      'invalid-input',
      `there are no particles of the kind ${name}; there are ${set.groups.map((one) => one.name).join(', ')}`,
    );
  });
  // A kind that is given by two names must not be deposited twice.
  return [...new Set(chosen)];
}
