import type { PictureFormat } from '../../shared/source.ts';
import { isTiff } from '../tiff/tiff-directory.ts';
import { isPng } from './png-chunks.ts';

/** Whether a file's first bytes are those of a picture that Stria reads, and of which kind. */
export function recognisePicture(head: Uint8Array): PictureFormat | undefined {
  return isPng(head) ? 'png' : isTiff(head) ? 'tiff' : undefined;
}
