import { hasFilesTable, parseFilesTable } from '../../io/common/files-table.ts';
import { checkPictures, type PictureDemands } from '../../io/pictures/check-pictures.ts';
import type { SourceDescription } from '../../shared/source.ts';
import type { VolumeInfo } from '../../shared/volume.ts';

/**
 * Checks everything that writing a source's pictures or files needs, without writing them. What it returns checks samples of pictures.
 * @throws StriaError `corrupt`, and as `checkPictures`
 */
export function checkSource(info: VolumeInfo, source: SourceDescription): PictureDemands | undefined {
  const [part] = source.parts;
  if (part !== undefined && hasFilesTable(source)) parseFilesTable(part.before, info);
  return checkPictures(info, source);
}
