import type { VolumeReader } from '../common/volume-reader.ts';
import { recognisePicture } from './recognise.ts';

/** The decoders are loaded when a picture is opened. */
const openPictures: VolumeReader['open'] = async (source, options) => {
  const { openStack } = await import('./picture-stack.ts');
  return openStack([source], options);
};

/** PNG: a volume of one slice. `openStack` combines several files. */
export const pngReader: VolumeReader = {
  format: 'png',
  recognises: (_name, head) => recognisePicture(head) === 'png',
  open: openPictures,
};

/** TIFF with one or more pictures, each a slice. */
export const tiffReader: VolumeReader = {
  format: 'tiff',
  recognises: (_name, head) => recognisePicture(head) === 'tiff',
  open: openPictures,
};
