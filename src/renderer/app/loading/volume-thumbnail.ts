import type { OpenVolume } from '../../../core/io/common/volume-reader.ts';
import type { JobOptions } from '../../../core/shared/job.ts';
import { elementBytes, typedVoxels, type VolumeInfo, volumeBytes } from '../../../core/shared/volume.ts';
import type { GrayThumbnail } from '../../../core/shared/volume-choice.ts';
import { safeSpacing, sliceFrame } from '../../viewer/model/orientation.ts';
import { shownInfo } from '../../viewer/model/shown-info.ts';

const side = 128;
/** The maximum number of bytes of voxels to read for a thumbnail. */
const readLimit = 64 * 2 ** 20;
/** The maximum size in bytes of a volume that is read in order: the pieces are as long as the file's chunks, which may be whole volumes. */
const inOrderLimit = 2 ** 30;

/**
 * The middle slice across z in gray, oriented as in the views, with the file's window or one from the middle of its values. If voxels
 * can only be read in order, the last slice within `readLimit`, if that comes first. Undefined if even one slice is too much.
 * @throws StriaError like `OpenVolume.voxels`
 */
export async function thumbnailOf(volume: OpenVolume, job: JobOptions = {}): Promise<GrayThumbnail | undefined> {
  const { info } = volume;
  const planeBytes = info.dims[0] * info.dims[1] * elementBytes(info.type);
  if (planeBytes > readLimit || (!volume.fill && volumeBytes(info) > inOrderLimit)) return undefined;
  const middle = info.dims[2] >>> 1;
  const plane = new Uint8Array(planeBytes);
  if (volume.fill) await volume.fill(plane, middle * planeBytes, job);
  else await readInOrder(volume, plane, Math.min(middle, Math.floor(readLimit / planeBytes) - 1) * planeBytes, job);
  return grayOf(shownInfo(info, volume.format), plane);
}

async function readInOrder(volume: OpenVolume, target: Uint8Array, start: number, job: JobOptions): Promise<void> {
  let at = 0;
  for await (const piece of volume.voxels(job)) {
    const from = Math.max(0, start - at);
    const part = piece.subarray(from, Math.max(from, start + target.byteLength - at));
    target.set(part, Math.max(0, at - start));
    at += piece.byteLength;
    if (at >= start + target.byteLength) return;
  }
}

function grayOf(info: VolumeInfo, plane: Uint8Array): GrayThumbnail {
  const values = typedVoxels(info.type, plane);
  const { right, down } = sliceFrame(info, 'z');
  const lengths = [info.dims[0], info.dims[1]] as const;
  const spacing = safeSpacing(info);
  const [across, along] = [right, down].map(({ axis }) => (lengths[axis as 0 | 1] as number) * spacing[axis]) as [number, number];
  const longest = Math.max(across, along);
  const width = Math.max(1, Math.round((side * across) / longest));
  const height = Math.max(1, Math.round((side * along) / longest));
  /** The index along a voxel axis of one of `count` pixels. */
  const indexAt = ({ axis, sign }: typeof right, pixel: number, count: number): number => {
    const length = lengths[axis as 0 | 1];
    const index = Math.floor(((pixel + 0.5) * length) / count);
    return sign === 1 ? index : length - 1 - index;
  };
  const picked = new Float64Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const place: [number, number] = [0, 0];
      place[right.axis as 0 | 1] = indexAt(right, x, width);
      place[down.axis as 0 | 1] = indexAt(down, y, height);
      picked[y * width + x] = info.slope * Number(values[place[1] * lengths[0] + place[0]]) + info.intercept;
    }
  }
  const [low, high] = rangeOf(info, picked);
  const gray = Uint8Array.from(picked, (value) =>
    Math.max(0, Math.min(255, Math.round((255 * (value - low)) / (high - low || 1)))),
  );
  return { width, height, gray };
}

function rangeOf({ windows, channels }: VolumeInfo, picked: Float64Array): readonly [low: number, high: number] {
  const [window] = windows ?? [];
  if (window) return [window.low, window.high];
  if (channels?.[0]?.window) return channels[0].window;
  const sorted = picked.filter(Number.isFinite).sort();
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return [at(0.01), at(0.99)];
}
