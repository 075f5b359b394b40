import type { FileFacts } from './facts.ts';
import type { FrameFacts } from './frame-facts.ts';

/** A frame with its file. */
export interface SeriesFrame extends FrameFacts {
  readonly owner: FileFacts;
}

/** Frames that may be one volume. */
export interface FrameGroup {
  readonly owner: FileFacts;
  readonly frames: readonly SeriesFrame[];
  /** Files that hold the same picture as another one, and were left out. */
  readonly copies: number;
}

/** Sorts files into groups by patient, study, series, orientation, size and type: what can lie in one volume. */
export function groupFiles(files: readonly FileFacts[]): FrameGroup[] {
  const groups = new Map<string, { frames: SeriesFrame[]; copies: number }>();
  const seen = new Set<string>();
  for (const owner of files) {
    const series = seriesKey(owner);
    const isCopy = owner.instanceUid !== '' && seen.has(`${series}|${owner.instanceUid}`);
    seen.add(`${series}|${owner.instanceUid}`);
    for (const frame of owner.frames) {
      const key = `${series}|${shapeKey(owner)}|${orientationKey(frame)}`;
      const group = groups.get(key) ?? { frames: [], copies: 0 };
      groups.set(key, group);
      if (isCopy) {
        group.copies += frame.index === 0 ? 1 : 0;
        continue;
      }
      group.frames.push({ ...frame, owner });
    }
  }
  return [...groups.values()]
    .flatMap(({ frames, copies }) => (frames[0] === undefined ? [] : [{ owner: frames[0].owner, frames, copies }]))
    .sort(compareGroups);
}

function seriesKey({ patientId, patientName, studyUid, seriesUid, file, place }: FileFacts): string {
  // A file with several frames is a volume of its own; without a UID nothing says what belongs together.
  const own = place.format.frames > 1 || seriesUid === '' ? file.path : '';
  return JSON.stringify([patientId, patientName, studyUid, seriesUid, own]);
}

function shapeKey({ place: { format } }: FileFacts): string {
  const { columns, rows, type, channels, photometric } = format;
  const isInverted = photometric === 'MONOCHROME1';
  return [columns, rows, type, channels, isInverted].join(' ');
}

/** Directions that differ in the third decimal are the same: scanners round them. */
function orientationKey({ orientation, spacing }: FrameFacts): string {
  const directions = orientation?.flat().map((part) => (Math.round(part * 100) / 100 + 0).toFixed(2)) ?? [];
  return [...directions, ...(spacing ?? []).map((distance) => distance.toPrecision(4))].join(' ');
}

function compareGroups({ owner: a }: FrameGroup, { owner: b }: FrameGroup): number {
  return (
    compareText(a.patientName, b.patientName) ||
    compareText(a.patientId, b.patientId) ||
    compareText(a.studyDate, b.studyDate) ||
    compareText(a.studyUid, b.studyUid) ||
    (a.seriesNumber ?? 0) - (b.seriesNumber ?? 0) ||
    compareText(a.seriesUid, b.seriesUid) ||
    compareText(a.file.path, b.file.path)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
