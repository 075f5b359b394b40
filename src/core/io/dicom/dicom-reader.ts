import { isFileTree } from '../common/file-tree.ts';
import type { CollectionReader } from '../common/volume-entry.ts';
import { isDicom } from './parse/recognise.ts';

/** What reads headers and pixels is loaded when a file needs it. */
export const dicomReader: CollectionReader = {
  format: 'dicom',
  recognises: (_, head) => isDicom(head),
  async recognisesTree(tree, job) {
    const { hasDicom } = await import('./series/scan.ts');
    return hasDicom(tree, job);
  },
  async list(input, options) {
    const { entriesOfFile, entriesOfTree } = await import('./series/entries.ts');
    return isFileTree(input) ? entriesOfTree(input, options) : entriesOfFile(input, options);
  },
};
