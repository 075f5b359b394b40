import type { FileTree } from '../common/file-tree.ts';
import type { CollectionReader } from '../common/volume-entry.ts';

/** The metadata files of versions 3 and 2. */
const metadataNames: readonly string[] = ['zarr.json', '.zarray', '.zgroup', '.zattrs'];

/** OME-Zarr and plain Zarr, versions 2 and 3, in folders and ZIPs. The code that reads them is loaded on demand. */
export const zarrReader: CollectionReader = {
  format: 'zarr',
  recognises: (_name, head) => isZip(head),
  async recognisesTree(tree, job) {
    // There may be thousands of chunks below, and no other reader needs to examine them.
    if (await hasRootNode(tree)) return 'whole';
    return (await tree.files(job)).some(({ path }) => isMetadata(path));
  },
  async list(input, options) {
    const { entriesOf } = await import('./explorer.ts');
    return entriesOf(input, options);
  },
};

function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6));
}

/** Whether a tree is a Zarr. */
export async function hasRootNode(tree: FileTree): Promise<boolean> {
  for (const name of metadataNames) {
    if ((await tree.find(name)) !== undefined) return true;
  }
  return false;
}

function isMetadata(path: string): boolean {
  return metadataNames.includes(path.slice(path.lastIndexOf('/') + 1));
}
