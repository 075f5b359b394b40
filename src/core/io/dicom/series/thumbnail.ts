import type { JobOptions } from '../../../shared/job.ts';
import { typedVoxels } from '../../../shared/volume.ts';
import type { GrayThumbnail } from '../../../shared/volume-choice.ts';
import { planeBytes } from '../pixels/pixel-format.ts';
import type { SeriesFrame } from './groups.ts';
import { OpenFiles } from './open-files.ts';
import type { SliceStack } from './stack.ts';

const side = 128;
/** Larger pictures would take too long for a list. */
const largestPicture = 2 ** 26;

/** The middle slice in gray, with the file's window or a range around its middle values. @throws StriaError as `FrameReader.read` */
export async function thumbnailOf({ frames }: SliceStack, job: JobOptions = {}): Promise<GrayThumbnail | undefined> {
  const slices = frames[frames.length >>> 1] ?? [];
  const frame = slices[slices.length >>> 1];
  if (frame === undefined) return undefined;
  const { format } = frame.owner.place;
  if (planeBytes(format) > largestPicture) return undefined;
  const { planes } = await new OpenFiles(true).read(frame, job);
  const values = planes.map((plane) => typedVoxels(format.type, plane));
  const scale = Math.max(1, format.columns / side, format.rows / side);
  const width = Math.max(1, Math.floor(format.columns / scale));
  const height = Math.max(1, Math.floor(format.rows / scale));
  const picked = new Float64Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = Math.floor((y + 0.5) * scale) * format.columns + Math.floor((x + 0.5) * scale);
      picked[y * width + x] = values.reduce((total, plane) => total + Number(plane[at] ?? 0), 0) / values.length;
    }
  }
  const [low, high] = rangeOf(picked, frame, planes.length > 1);
  const isInverted = format.photometric === 'MONOCHROME1';
  const gray = Uint8Array.from(picked, (value) => {
    const level = Math.max(0, Math.min(255, Math.round((255 * (value - low)) / (high - low || 1))));
    return isInverted ? 255 - level : level;
  });
  return { width, height, gray };
}

/** In stored values. */
function rangeOf(picked: Float64Array, { slope, intercept, owner }: SeriesFrame, isColor: boolean): readonly [number, number] {
  const [window] = owner.windows;
  if (window !== undefined && !isColor) return [(window.low - intercept) / slope, (window.high - intercept) / slope];
  if (isColor) return [0, owner.place.format.type === 'u8' ? 255 : 65535];
  const sorted = Float64Array.from(picked).sort();
  return [sorted[Math.floor(sorted.length * 0.01)] as number, sorted[Math.floor((sorted.length - 1) * 0.99)] as number];
}
