import type { PictureFormat } from '../../shared/source.ts';
import { isPng } from './png-chunks.ts';
import { isTiff } from './tiff-directory.ts';

/** Whether a file's first bytes are those of a picture that Stria reads, and of which kind. */
export function recognisePicture(head: Uint8Array): PictureFormat | undefined {
  return isPng(head) ? 'png' : isTiff(head) ? 'tiff' : undefined;
}
