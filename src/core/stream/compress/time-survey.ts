import type { EncodeChoice } from '../../chunks/backend.ts';
import { defaultTimeGroup } from '../../chunks/chunk-shape.ts';
import type { OpenVolume } from '../../io/common/volume-reader.ts';
import type { JobOptions } from '../../shared/job.ts';
import { type FileFormat, isPictureFormat } from '../../shared/source.ts';
import { typedVoxels, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';

/** Two time points are held for the survey, of at most this size. */
const maxSurveyBytes = 2 ** 26;
/** About how many voxels are compared. */
const sampledVoxels = 2 ** 16;

export interface TimeSurvey {
  /** To be read instead of the surveyed volume, of which voxels may have been read already. */
  readonly volume: OpenVolume;
  /** See `isSteady`. */
  readonly isSteady: boolean;
}

/**
 * Whether to interleave time points, unless the user chooses: for a codec that wants it, and for `auto` if size is all that counts
 * and the time points are alike.
 * @param areAlike is asked only if it matters
 */
export async function interleavesTime(
  { info, format }: { readonly info: VolumeInfo; readonly format: FileFormat },
  { codec, options }: EncodeChoice,
  areAlike: () => Promise<boolean>,
): Promise<boolean> {
  if (isPictureFormat(format)) return false;
  if (codec !== 'auto') return codec[0].interleavesTime === true;
  const isForSize = options.prefer === 'size' || (options.effort === 'max' && options.prefer !== 'speed');
  return isForSize && defaultTimeGroup(info) > 1 && areAlike();
}

/** The bytes of the first two time points. Undefined if there are fewer, or if these are too large to be held. */
export function surveyedBytes({ dims, type }: VolumeInfo): number | undefined {
  const byteLength = 2 * volumeBytes({ dims: [dims[0], dims[1], dims[2], 1], type });
  return dims[3] < 2 || byteLength > maxSurveyBytes ? undefined : byteLength;
}

/** Compares the first two time points of a series, unless they are too large to be held. @throws as `OpenVolume.voxels` */
export async function surveyTime(volume: OpenVolume, { signal }: JobOptions): Promise<TimeSurvey> {
  const byteLength = surveyedBytes(volume.info);
  if (byteLength === undefined) return { volume, isSteady: false };
  const bytes = new Uint8Array(byteLength);
  if (volume.fill) {
    await volume.fill(bytes, 0, { signal });
    return { volume, isSteady: isSteady(volume.info, bytes) };
  }
  const replayed = await readStart(volume, bytes, signal);
  return { volume: replayed, isSteady: isSteady(volume.info, bytes) };
}

/** Reads the start of a stream into `start`. The volume that it returns gives all of it. */
async function readStart(
  volume: OpenVolume,
  start: Uint8Array<ArrayBuffer>,
  signal: AbortSignal | undefined,
): Promise<OpenVolume> {
  const pieces = volume.voxels({ signal, reuse: true })[Symbol.asyncIterator]();
  const early: Uint8Array[] = [];
  try {
    for (let filled = 0; filled < start.byteLength; ) {
      const { value: piece, done } = await pieces.next();
      // Whoever reads all voxels finds that some are missing.
      if (done) break;
      const part = piece.subarray(0, start.byteLength - filled);
      start.set(part, filled);
      early.push(start.subarray(filled, filled + part.byteLength));
      filled += part.byteLength;
      if (part.byteLength < piece.byteLength) early.push(piece.subarray(part.byteLength));
    }
  } catch (error) {
    await pieces.return?.();
    throw error;
  }
  const replay: AsyncIterator<Uint8Array> = {
    async next() {
      const piece = early.shift();
      return piece ? { value: piece, done: false } : pieces.next();
    },
    async return() {
      await pieces.return?.();
      return { value: undefined, done: true };
    },
  };
  const { info, format, stored, deflatesSource } = volume;
  const voxels = () => ({ [Symbol.asyncIterator]: () => replay });
  return { info, format, stored, deflatesSource, source: () => volume.source(), voxels };
}

/**
 * Whether voxels differ less from those a time point before than from their neighbours a slice before (or a column, in pictures).
 * @param bytes the first two time points
 */
export function isSteady({ dims, type }: VolumeInfo, bytes: Uint8Array): boolean {
  const voxels = typedVoxels(type, bytes);
  const count = dims[0] * dims[1] * dims[2];
  const distance = dims[2] > 1 ? dims[0] * dims[1] : 1;
  // Odd, so that samples lie in all columns.
  const step = Math.max(1, Math.floor(count / sampledVoxels)) | 1;
  let [inSpace, inTime] = [0, 0];
  for (let at = distance; at < count; at += step) {
    const value = voxels[at] as number;
    const changes = [value - (voxels[at - distance] as number), (voxels[at + count] as number) - value] as const;
    // Missing data says nothing.
    if (!changes.every(Number.isFinite)) continue;
    inSpace += Math.abs(changes[0]);
    inTime += Math.abs(changes[1]);
  }
  return inTime < inSpace;
}
