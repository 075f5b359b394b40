import type { VolumeReader } from '../common/volume-reader.ts';
import { recognisePicture } from './recognise.ts';

/** What decodes pictures is loaded when one is opened. */
const openPictures: VolumeReader['open'] = async (source, options) => {
  const { openStack } = await import('./picture-stack.ts');
  return openStack([source], options);
};

/** PNG: a volume of one slice. Several files make a stack by `openStack`. */
export const pngReader: VolumeReader = {
  format: 'png',
  recognises: (_name, head) => recognisePicture(head) === 'png',
  open: openPictures,
};

/** TIFF of one picture or of many, each a slice. */
export const tiffReader: VolumeReader = {
  format: 'tiff',
  recognises: (_name, head) => recognisePicture(head) === 'tiff',
  open: openPictures,
};
