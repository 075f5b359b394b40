import type { CollectionReader } from './common/volume-entry.ts';
import { dicomReader } from './dicom/dicom-reader.ts';
import { hdf5Reader } from './hdf5/hdf5-reader.ts';
import { zarrReader } from './zarr/zarr-reader.ts';

/**
 * The formats whose files or folders may hold several volumes. They are asked before the readers of single volumes, so each must
 * recognise its files reliably: by content, not only by name.
 */
export const collectionReaders: CollectionReader[] = [zarrReader, dicomReader, hdf5Reader];
