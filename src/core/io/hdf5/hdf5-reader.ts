import { isFileTree } from '../common/file-tree.ts';
import type { CollectionReader } from '../common/volume-entry.ts';

const signature = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];
/** HDF5 may begin after a user block. MATLAB's has 512 bytes. */
const signatureAt = [0, 512, 1024, 2048];

/** HDF5 and formats based on it: netCDF-4, NeXus, NWB, Imaris, MATLAB 7.3, MINC 2. The code that reads them is loaded on demand. */
export const hdf5Reader: CollectionReader = {
  format: 'hdf5',
  recognises: (_name, head) => signatureAt.some((at) => signature.every((byte, index) => head[at + index] === byte)),
  async list(input, options) {
    if (isFileTree(input)) return [];
    const { entriesOf } = await import('./entries.ts');
    return entriesOf(input, options);
  },
};
