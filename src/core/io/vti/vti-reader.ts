import { isFileTree } from '../common/file-tree.ts';
import type { CollectionReader } from '../common/volume-entry.ts';

/**
 * VTK image data, `.vti`: appended raw or base64, inline base64 or text, zlib, both byte orders, lengths of 32 and 64 bits. Each
 * array is an entry; the active scalars are read unless another one is named. A file with appended raw uncompressed values is
 * restored byte for byte. Others are restored as a new file that has only this array, appended and raw. The code is loaded on demand.
 */
export const vtiReader: CollectionReader = {
  format: 'vti',

  recognises(name, head) {
    const text = new TextDecoder('latin1').decode(head.subarray(0, 1024));
    return /<VTKFile\b[^>]*\btype\s*=\s*["']ImageData["']/.test(text) || /\.vti(\.gz)?$/i.test(name);
  },

  async list(input, options) {
    if (isFileTree(input)) return [];
    const { vtiEntries } = await import('./vti-volume.ts');
    return vtiEntries(input, options);
  },
};
