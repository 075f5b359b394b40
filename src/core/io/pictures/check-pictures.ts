import { StriaError } from '../../shared/errors.ts';
import { isPictureFormat, type PictureFormat, type SourceDescription } from '../../shared/source.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { parseStoredTags } from '../tiff/tiff-tags.ts';
import { planPictures } from './describe-pictures.ts';
import { pngChunks, pngSignature } from './png-chunks.ts';

/** The requirements that writing a volume's pictures places on its voxels. */
export interface PictureDemands {
  /** @throws StriaError `corrupt` if a sample exceeds its bit depth */
  checkSamples(voxels: Uint8Array): void;
}

/**
 * Checks everything that writing the pictures of a source needs, without writing them. Undefined if the source has no pictures.
 * @throws StriaError as `planPictures`, and `corrupt` for invalid metadata
 */
export function checkPictures(info: VolumeInfo, source: SourceDescription): PictureDemands | undefined {
  const { format } = source;
  if (!isPictureFormat(format)) return undefined;
  const { table } = planPictures(info, format, source);
  for (const extra of new Set(table.pages.map((page) => page.extra))) checkMetadata(format, extra);
  const mostBits = table.bits < 8 ? table.bits : undefined;
  return {
    checkSamples(voxels) {
      if (mostBits === undefined) return;
      const sample = voxels.find((one) => one >> mostBits !== 0);
      if (sample !== undefined) throw new StriaError('corrupt', `a sample is ${sample}, more than ${mostBits} bits hold`);
    },
  };
}

function checkMetadata(format: PictureFormat, extra: Uint8Array): void {
  if (extra.byteLength === 0) return;
  if (format === 'tiff') parseStoredTags(extra);
  else for (const _ of pngChunks(joinBytes([pngSignature, extra])));
}
