import type { ByteSource } from '../shared/bytes.ts';
import type { JobOptions } from '../shared/job.ts';
import type { CollectionReader } from './common/volume-entry.ts';
import { dicomReader } from './dicom/dicom-reader.ts';
import { hdf5Reader } from './hdf5/hdf5-reader.ts';
import { omeTiffReader } from './ome-tiff/ome-tiff-reader.ts';
import { vtiReader } from './vti/vti-reader.ts';
import { zarrReader } from './zarr/zarr-reader.ts';

/**
 * The formats whose files or folders may hold several volumes. They are asked before the readers of single volumes, so each must
 * recognise its files reliably: by content, not only by name.
 */
export const collectionReaders: CollectionReader[] = [zarrReader, dicomReader, hdf5Reader, omeTiffReader, vtiReader];

/** The reader of a single file. @param head as `VolumeReader.recognises` @throws StriaError `not-readable`, `aborted` */
export async function collectionOf(source: ByteSource, head: Uint8Array, job: JobOptions): Promise<CollectionReader | undefined> {
  if (head.byteLength === 0) return undefined;
  for (const reader of collectionReaders) {
    if (reader.recognises(source.name, head) && (await reader.isOwn?.(source, job)) !== false) return reader;
  }
  return undefined;
}
