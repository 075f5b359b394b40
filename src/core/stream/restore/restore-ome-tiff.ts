import type { ContainerReader } from '../../format/container-reader.ts';
import type { JobOptions } from '../../shared/job.ts';
import { areLabels } from './labels-volume.ts';

/** Takes all voxels in order, little-endian, in pieces of any size. */
interface OmeTiffOutput {
  push(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** Makes a writer of an OME-TIFF into a sink. The code is loaded on demand. @throws StriaError `unsupported` */
export async function openOmeTiff(
  container: ContainerReader,
  write: (bytes: Uint8Array) => Promise<void>,
  name: string,
  job: JobOptions,
): Promise<OmeTiffOutput> {
  const { OmeTiffWriter } = await import('../../io/ome-tiff/write/ome-tiff-writer.ts');
  const method = areLabels(container) ? 'mode' : 'mean';
  return new OmeTiffWriter(container.header.volume, { name, creator: 'Stria', method }, write, job);
}
