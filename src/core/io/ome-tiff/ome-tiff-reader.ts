import { isCompanionName, isOmeName } from '../../shared/volume-names.ts';
import { isFileTree } from '../common/file-tree.ts';
import type { CollectionReader } from '../common/volume-entry.ts';
import { isTiff } from '../tiff/tiff-directory.ts';

/** OME-TIFF in one or several files, and ImageJ hyperstacks with several channels. All other TIFF files are stacks of pictures. */
export const omeTiffReader: CollectionReader = {
  format: 'ome-tiff',
  recognises: (name, head) => isTiff(head) || (isCompanionName(name) && head[0] === 0x3c),
  async isOwn(source, options) {
    if (isCompanionName(source.name)) return true;
    const { hasSeries } = await import('./first-directory.ts');
    return hasSeries(source, options);
  },
  listsByName: true,
  owns: (_tree, path) => isOmeName(path),
  recognisesTree: async (tree, job) => (await tree.files(job)).some(({ path }) => isOmeName(path)),
  async list(input, options) {
    const { entriesOf, entriesOfTree } = await import('./entries.ts');
    return isFileTree(input) ? entriesOfTree(input, options) : entriesOf(input, options);
  },
};
