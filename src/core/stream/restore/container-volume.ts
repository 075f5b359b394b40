import type { Backend } from '../../chunks/backend.ts';
import type { ContainerReader } from '../../format/container-reader.ts';
import { deflatedFeature, storedFeature } from '../../format/header.ts';
import { partName } from '../../format/part.ts';
import type { OpenVolume } from '../../io/common/volume-reader.ts';
import { StriaError, toStriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { StoredVoxels } from '../../shared/stored-voxels.ts';
import { lostWords } from '../damage-list.ts';
import { KernelClock, Stopwatch } from '../stage-times.ts';
import { type RestoreStage, SlabDecoder } from './slab-decoder.ts';
import { voxelPieces } from './write-voxels.ts';

/**
 * A container as a volume whose voxels are decoded when they are read.
 * @throws StriaError `corrupt` if chunks are lost; `invalid-input` if it holds only a part
 */
export async function containerVolume(container: ContainerReader, backend: Backend, job: JobOptions = {}): Promise<OpenVolume> {
  const { volume, part, sourceFormat, requires } = container.header;
  if (part) {
    throw new StriaError(
      'invalid-input',
      `the file holds only ${partName(part, volume.type)} of its volume; merge all parts first`,
    );
  }
  if (container.lostCount > 0) throw new StriaError('corrupt', lostWords(container));
  return {
    info: volume,
    format: sourceFormat,
    stored: await storedIn(container, job),
    deflatesSource: requires.includes(deflatedFeature),
    voxels: () => {
      const stopwatch = new Stopwatch<RestoreStage>(['read', 'decode', 'readback', 'write', 'save']);
      return voxelPieces(new SlabDecoder(container, backend, stopwatch, new KernelClock(), job), backend);
    },
    source: () => container.sourceDescription(job),
  };
}

/** How the source stores its voxels. A damaged description is left to `source`, because the voxels can be read without it. */
async function storedIn(container: ContainerReader, job: JobOptions): Promise<StoredVoxels | undefined> {
  if (!container.header.requires.includes(storedFeature)) return undefined;
  try {
    return (await container.sourceDescription(job)).stored;
  } catch (error) {
    if (toStriaError(error).tag !== 'corrupt') throw error;
    return undefined;
  }
}
