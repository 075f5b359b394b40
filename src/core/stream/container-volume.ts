import type { Backend } from '../chunks/backend.ts';
import type { ContainerReader } from '../format/container-reader.ts';
import { deflatedFeature } from '../format/header.ts';
import { partName } from '../format/part.ts';
import type { OpenVolume } from '../io/common/volume-reader.ts';
import { StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import { lostWords } from './damage-list.ts';
import { type RestoreStage, SlabDecoder } from './slab-decoder.ts';
import { KernelClock, Stopwatch } from './stage-times.ts';
import { voxelPieces } from './write-voxels.ts';

/**
 * A container as a volume whose voxels are decoded when they are read.
 * @throws StriaError `corrupt` if chunks are lost; `invalid-input` if it holds only a part
 */
export function containerVolume(container: ContainerReader, backend: Backend, job: JobOptions = {}): OpenVolume {
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
    deflatesSource: requires.includes(deflatedFeature),
    voxels: () => {
      const stopwatch = new Stopwatch<RestoreStage>(['read', 'decode', 'readback', 'write', 'save']);
      return voxelPieces(new SlabDecoder(container, backend, stopwatch, new KernelClock(), job), backend);
    },
    source: () => container.sourceDescription(job),
  };
}
