import type { FileFacts } from './facts.ts';
import type { FrameFacts } from './frame-facts.ts';

/** A frame with its file. */
export interface SeriesFrame extends FrameFacts {
  readonly owner: FileFacts;
}

/** Frames that may form one volume. */
export interface FrameGroup {
  readonly owner: FileFacts;
  readonly frames: readonly SeriesFrame[];
  /** The number of duplicate files, which are ignored. */
  readonly copies: number;
}

/** Groups files that can form one volume, by patient, study, series, orientation, size and type. */
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
  // A multi-frame file is a separate volume, and so is a file without a UID, because nothing tells what it belongs to.
  const own = place.format.frames > 1 || seriesUid === '' ? file.path : '';
  return JSON.stringify([patientId, patientName, studyUid, seriesUid, own]);
}

function shapeKey({ place: { format } }: FileFacts): string {
  const { columns, rows, type, channels, photometric } = format;
  const isInverted = photometric === 'MONOCHROME1';
  return [columns, rows, type, channels, isInverted].join(' ');
}

/** Directions are rounded to three decimals, because scanners round them, too. */
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
