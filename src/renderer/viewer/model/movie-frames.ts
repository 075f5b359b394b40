import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { PictureRequest, Turn } from './picture.ts';
import type { SliceAxis } from './viewer-api.ts';

export type MovieKind = 'turn' | 'slices' | 'time';

/** The path of a movie: what changes from frame to frame. */
export interface MoviePath {
  readonly kind: MovieKind;
  readonly turn: Turn;
  readonly degrees: number;
  /** The number of frames of a turntable. */
  readonly frames: number;
  readonly axis: SliceAxis;
  /** The first slice along `axis`, or the first time point. `last` may be smaller. */
  readonly first: number;
  readonly last: number;
}

export const mostFrames = 10_000;

/** The differences of one frame from the screen. */
export interface MovieFrame {
  readonly turn?: PictureRequest['turn'];
  /** The slice's index along the movie's axis. */
  readonly slice?: number;
  readonly timePoint?: number;
}

/** The frames of a movie in order. A full turn ends one frame before its start is reached again. Empty if there are no frames. */
export function movieFrames(options: MoviePath, { dims }: Pick<VolumeInfo, 'dims'>): readonly MovieFrame[] {
  const { kind, turn, degrees, axis, first, last } = options;
  if (kind === 'turn') {
    const frames = Math.min(mostFrames, Math.max(0, Math.round(options.frames)));
    return Array.from({ length: frames }, (_, index) => ({ turn: { axis: turn, degrees: (degrees * index) / frames } }));
  }
  const length = dims[kind === 'time' ? 3 : 'xyz'.indexOf(axis)] ?? 1;
  const within = (place: number): number => Math.min(length - 1, Math.max(0, Math.round(place)));
  const [from, to] = [within(first), within(last)];
  const count = Math.min(mostFrames, Math.abs(to - from) + 1);
  return Array.from({ length: count }, (_, index) => {
    const place = from + Math.sign(to - from) * index;
    return kind === 'time' ? { timePoint: place } : { slice: place };
  });
}

/** The file name of a frame: `frame-0001.png`, numbered from 1 with a fixed number of digits. */
export function frameName(index: number, count: number): string {
  return `frame-${String(index + 1).padStart(Math.max(4, String(count).length), '0')}.png`;
}
