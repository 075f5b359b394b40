import type { ByteSource } from '../../../shared/bytes.ts';
import { StriaError, toStriaError } from '../../../shared/errors.ts';
import type { JobOptions } from '../../../shared/job.ts';
import type { FileTree, TreeFile } from '../../common/file-tree.ts';
import type { VolumeEntry } from '../../common/volume-entry.ts';
import type { OpenVolume } from '../../common/volume-reader.ts';
import { type DicomHeader, readHeader } from '../parse/header.ts';
import { textOf } from '../parse/values.ts';
import { checkReadable } from '../pixels/frames.ts';
import { detailsOf } from './describe.ts';
import { type FileFacts, factsOf } from './facts.ts';
import { type FrameGroup, groupFiles } from './groups.ts';
import type { UnreadFile } from './known-headers.ts';
import { openSeries } from './open-series.ts';
import { scanTree } from './scan.ts';
import { describeSeries, type SeriesVolume } from './series-volume.ts';
import { stackOf } from './stack.ts';
import { thumbnailOf } from './thumbnail.ts';

/** Frames that do not fit into a volume form others. This limits their number. */
const maxRests = 16;

/** The series in one file. @throws StriaError as `readHeader`; also `unsupported` if it has no pixels */
export async function entriesOfFile(source: ByteSource, job: JobOptions): Promise<VolumeEntry[]> {
  const header = await readHeader(source, job);
  if (header.pixels === undefined) throw noPixels(header);
  const file: TreeFile = { path: source.name, size: source.size, open: async () => source };
  const facts = factsOf(file, header);
  checkReadable(facts.place);
  return entriesOf([facts]);
}

function noPixels({ meta, dataSet }: DicomHeader): StriaError {
  const kind = textOf(meta, 0x00020002) || textOf(dataSet, 0x00080016);
  if (kind === '1.2.840.10008.1.3.10' || dataSet.elements.has(0x00041220)) {
    return new StriaError('unsupported', 'this DICOMDIR only lists files: open its folder');
  }
  const modality = textOf(dataSet, 0x00080060);
  return new StriaError(
    'unsupported',
    `this DICOM file holds no pixels${modality === '' ? '' : ` (its modality is ${modality})`}: open the pictures`,
  );
}

/** The series in a folder. Skips files that are not DICOM or have no pixels. */
export async function entriesOfTree(
  tree: FileTree,
  job: JobOptions,
): Promise<{ entries: VolumeEntry[]; paths: ReadonlySet<string> }> {
  const { files, unread } = await scanTree(tree, job);
  const paths = new Set(files.map(({ file }) => file.path));
  return { entries: [...entriesOf(files), ...unread.map(problemEntry)], paths };
}

function problemEntry({ path, problem }: UnreadFile): VolumeEntry {
  const open = async () => {
    throw new StriaError('unsupported', problem);
  };
  return { id: path, label: path, group: [], shape: [], type: 'DICOM', details: 'not read', problem, open };
}

function entriesOf(files: readonly FileFacts[]): VolumeEntry[] {
  const volumes = groupFiles(files).flatMap(volumesOf);
  const counts = new Map<string, number>();
  for (const { group } of volumes) counts.set(seriesOf(group), (counts.get(seriesOf(group)) ?? 0) + 1);
  const taken = new Map<string, number>();
  return volumes.map(({ group, volume, problem }) => {
    const series = seriesOf(group);
    const part = (taken.get(series) ?? 0) + 1;
    taken.set(series, part);
    const name = group.owner.seriesNumber === undefined ? 'series' : String(group.owner.seriesNumber);
    return entryOf(group, volume, problem, (counts.get(series) ?? 1) > 1 ? `${name}/${part}` : name);
  });
}

function seriesOf({ owner }: FrameGroup): string {
  return `${owner.patientId}|${owner.studyUid}|${owner.seriesUid}`;
}

interface GroupVolume {
  readonly group: FrameGroup;
  readonly volume: SeriesVolume | undefined;
  readonly problem: string | undefined;
}

/** The volume of a group, and the volumes of its remaining frames. */
function volumesOf(group: FrameGroup): GroupVolume[] {
  const found: GroupVolume[] = [];
  let rest: FrameGroup | undefined = group;
  for (let round = 0; rest !== undefined && round < maxRests; round++) {
    const current: FrameGroup = rest;
    const stack = stackOf(current);
    found.push(describe(current, () => describeSeries(stack)));
    rest = stack.rest.length > 0 ? { owner: current.owner, frames: stack.rest, copies: 0 } : undefined;
  }
  return found;
}

function describe(group: FrameGroup, make: () => SeriesVolume): GroupVolume {
  try {
    const unreadable = group.frames.find(({ owner }) => problemOf(owner) !== undefined);
    return { group, volume: make(), problem: unreadable && problemOf(unreadable.owner) };
  } catch (error) {
    return { group, volume: undefined, problem: toStriaError(error).message };
  }
}

function problemOf({ place, modality }: FileFacts): string | undefined {
  if (modality === 'SM')
    return 'tiled slide microscopy is not supported: convert the slide to OME-TIFF, for example with bfconvert';
  try {
    checkReadable(place);
    return undefined;
  } catch (error) {
    return toStriaError(error).message;
  }
}

/** `2024-02-29` for DICOM's `20240229` and the old `2024.02.29`; text that is not a date stays as it is. */
function dateText(value: string): string {
  return value.replace(/^(\d{4})\.?(\d\d)\.?(\d\d)$/, '$1-$2-$3');
}

function entryOf(group: FrameGroup, volume: SeriesVolume | undefined, problem: string | undefined, id: string): VolumeEntry {
  const { owner } = group;
  const shape = volume?.info.dims.filter((length, axis) => axis < 2 || length > 1) ?? [];
  return {
    id,
    label: owner.seriesName || owner.modality || owner.file.path,
    group: [owner.patientName || owner.patientId, [dateText(owner.studyDate), owner.studyName].filter(Boolean).join(' ')].filter(
      Boolean,
    ),
    shape,
    type: volume?.info.type ?? owner.place.format.type,
    details: volume === undefined ? 'not read' : detailsOf(volume, group),
    ...(problem !== undefined && { problem }),
    thumbnail: async (job) => (volume === undefined || problem !== undefined ? undefined : thumbnailOf(volume.stack, job)),
    async open(options): Promise<OpenVolume> {
      if (problem !== undefined || volume === undefined)
        throw new StriaError('unsupported', problem ?? 'the series cannot be read');
      return openSeries(volume, options);
    },
  };
}
