import type { JobOptions } from '../../../shared/job.ts';
import { type SourceDescription, safeName, valueSource } from '../../../shared/source.ts';
import { splitPath } from '../../common/file-tree.ts';
import type { OpenOptions, OpenVolume } from '../../common/volume-reader.ts';
import { readHeader } from '../parse/header.ts';
import { tagsOf } from '../parse/tags.ts';
import { unitOfSeries, windowsOfSeries } from './describe.ts';
import type { SeriesFrame } from './groups.ts';
import { type SeriesVolume, seriesVoxels } from './series-volume.ts';

/** Opens a series that has been described: reads the tags of its first file, and leaves its voxels to be streamed. */
export async function openSeries(volume: SeriesVolume, options: OpenOptions & JobOptions): Promise<OpenVolume> {
  const frames = volume.stack.frames.flat();
  const { file } = (frames[0] as SeriesFrame).owner;
  const tags = tagsOf(await readHeader(await file.open(options), options));
  return {
    info: volume.info,
    format: 'dicom',
    voxels: (pieceOptions = {}) => seriesVoxels(volume, pieceOptions),
    windows: windowsOfSeries(frames),
    tags,
    valueUnit: unitOfSeries(frames),
    source: async (): Promise<SourceDescription> => valueSource('dicom', safeName(splitPath(file.path)[1])),
  };
}
