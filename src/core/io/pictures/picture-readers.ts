import type { VolumeReader } from '../volume-reader.ts';
import { openStack, recognisePicture } from './picture-stack.ts';

/** PNG: a volume of one slice. Several files make a stack by `openStack`. */
export const pngReader: VolumeReader = {
  format: 'png',
  recognises: (_name, head) => recognisePicture(head) === 'png',
  open: (source, options) => openStack([source], options),
};

/** TIFF of one picture or of many, each a slice. */
export const tiffReader: VolumeReader = {
  format: 'tiff',
  recognises: (_name, head) => recognisePicture(head) === 'tiff',
  open: (source, options) => openStack([source], options),
};
