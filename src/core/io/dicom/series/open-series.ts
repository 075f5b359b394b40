import type { JobOptions } from '../../../shared/job.ts';
import { type SourceDescription, safeName } from '../../../shared/source.ts';
import { splitPath } from '../../common/file-tree.ts';
import type { OpenOptions, OpenVolume } from '../../common/volume-reader.ts';
import { readHeader } from '../parse/header.ts';
import { tagsOf } from '../parse/tags.ts';
import { describeFiles, type FileInVolume } from '../restore/describe-files.ts';
import { unitOfSeries, windowsOfSeries } from './describe.ts';
import type { FileFacts } from './facts.ts';
import type { SeriesFrame } from './groups.ts';
import { OpenFiles } from './open-files.ts';
import { type SeriesVolume, seriesVoxels } from './series-volume.ts';

/** Opens a described series: reads the tags of its first file, so that its voxels can be streamed. */
export async function openSeries(volume: SeriesVolume, options: OpenOptions & JobOptions): Promise<OpenVolume> {
  const frames = volume.stack.frames.flat();
  const { file, head } = (frames[0] as SeriesFrame).owner;
  const { stripIdentity } = options;
  const tags = tagsOf(await readHeader(await file.open(options), options, head)).filter(
    (tag) => !(stripIdentity && tag.isPersonal),
  );
  /** Whether the stored bytes of each frame that was read can be rebuilt from its voxels. */
  const exact = new Map<SeriesFrame, boolean>();
  return {
    info: volume.info,
    format: 'dicom',
    voxels: (pieceOptions = {}) => seriesVoxels(volume, pieceOptions, (frame, isExact) => exact.set(frame, isExact)),
    windows: windowsOfSeries(frames),
    tags,
    valueUnit: unitOfSeries(frames),
    async source(): Promise<SourceDescription> {
      const opened = new OpenFiles(false);
      for (const frame of frames) if (!exact.has(frame)) exact.set(frame, (await opened.read(frame)).isExact);
      const before = await describeFiles(filesOf(frames, exact, volume.isScaled), { stripIdentity });
      const name = stripIdentity ? 'IM000001' : safeName(splitPath(file.path)[1]);
      return { format: 'dicom', endian: 'little', parts: [{ name, before, hasVoxels: true, after: new Uint8Array() }] };
    },
  };
}

/** Files in the order of their first planes. */
function filesOf(frames: readonly SeriesFrame[], exact: ReadonlyMap<SeriesFrame, boolean>, isScaled: boolean): FileInVolume[] {
  const found = new Map<FileFacts, { planes: (number | undefined)[]; isExact: boolean }>();
  for (const [plane, frame] of frames.entries()) {
    const { owner, index } = frame;
    const known = found.get(owner) ?? { planes: new Array(owner.place.format.frames).fill(undefined), isExact: true };
    found.set(owner, known);
    // Physical values do not determine the stored ones.
    if (!isScaled) known.planes[index] = plane;
    known.isExact &&= exact.get(frame) === true;
  }
  return [...found].map(([{ file, head, place }, rest]) => ({ file, head, format: place.format, ...rest }));
}
