import type { VolumeReader } from '../common/volume-reader.ts';

/**
 * VTK's image data, `.vti`: appended raw or base64, base64 or text between tags, zlib, both byte orders and widths of lengths.
 * Of several arrays the active scalars are read, or else the first. Appended raw values without compression come back byte for
 * byte with all that stands around them; others as a file of Stria's own, with the one array, appended and raw.
 * The code that reads it is loaded on demand.
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
