import { type FileTree, isFileTree } from '../common/file-tree.ts';
import type { CollectionReader } from '../common/volume-entry.ts';
import { isDicom } from './parse/recognise.ts';

export { type FolderHeaders, folderHeaders, giveFolderHeaders } from './series/known-headers.ts';

/** The DICOM files of a listed folder. */
const ownFiles = new WeakMap<FileTree, ReadonlySet<string>>();

/** The code that reads headers and pixels is loaded on demand. */
export const dicomReader: CollectionReader = {
  format: 'dicom',
  recognises: (_, head) => isDicom(head),
  async recognisesTree(tree, job) {
    const { hasDicom } = await import('./series/scan.ts');
    return hasDicom(tree, job);
  },
  owns: (tree, path) => ownFiles.get(tree)?.has(path) ?? false,
  async list(input, options) {
    const { entriesOfFile, entriesOfTree } = await import('./series/entries.ts');
    if (!isFileTree(input)) return entriesOfFile(input, options);
    const { entries, paths } = await entriesOfTree(input, options);
    ownFiles.set(input, paths);
    return entries;
  },
};
