import { chunkShapeOf, defaultTimeGroup, interleavedShape } from '../../chunks/chunk-shape.ts';
import type { ChunkShape } from '../../format/chunk-grid.ts';
import type { OpenVolume } from '../../io/common/volume-reader.ts';
import { type FileFormat, isPictureFormat } from '../../shared/source.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import type { CompressSettings } from './compress-contract.ts';
import { interleavesTime, surveyTime } from './time-survey.ts';

/** The default chunk shape. @param timeGroup how many time points chunks interleave */
export function shapeFor(info: VolumeInfo, format: FileFormat, timeGroup: number | 'default'): ChunkShape {
  const timePoints = timeGroup === 'default' ? defaultTimeGroup(info) : timeGroup;
  return timePoints > 1 ? interleavedShape(info, timePoints) : chunkShapeOf(info, isPictureFormat(format));
}

/**
 * How many time points to interleave: what the caller requested, else `interleavesTime` decides.
 * @returns also the volume to read, of which voxels may have been read already
 */
export async function chooseTimeGroup(
  volume: OpenVolume,
  { choice, chunkShape, timeGroup, part }: CompressSettings,
  signal: AbortSignal | undefined,
): Promise<{ readonly volume: OpenVolume; readonly timeGroup: number | 'default' }> {
  if (timeGroup !== undefined || chunkShape) return { volume, timeGroup: timeGroup ?? 1 };
  let unread = volume;
  const areAlike = async () => {
    // A piece of a larger volume must be cut like the others, which this one does not know.
    if (part && 'origin' in part) return false;
    const survey = await surveyTime(volume, { signal });
    unread = survey.volume;
    return survey.isSteady;
  };
  const isInterleaved = await interleavesTime(volume, choice, areAlike);
  return { volume: unread, timeGroup: isInterleaved ? 'default' : 1 };
}
