import type { VolumeReader } from '../common/volume-reader.ts';

/**
 * VTK image data, `.vti`: appended raw or base64, inline base64 or text, zlib, both byte orders, lengths of 32 and 64 bits. If
 * there are several arrays, the active scalars are read, or else the first array. A file with appended raw uncompressed values is
 * restored byte for byte. Others are restored as a new file that has only this array, appended and raw. The code is loaded on demand.
 */
export const vtiReader: VolumeReader = {
  format: 'vti',

  recognises(name, head) {
    const text = new TextDecoder('latin1').decode(head.subarray(0, 1024));
    return /<VTKFile\b[^>]*\btype\s*=\s*["']ImageData["']/.test(text) || /\.vti(\.gz)?$/i.test(name);
  },

  /** @throws StriaError `corrupt`, `unsupported`, `aborted` */
  async open(source, options) {
    const { openVti } = await import('./vti-volume.ts');
    return openVti(source, options);
  },
};
