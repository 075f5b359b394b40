import type { FaultData } from '../../../core/shared/errors.ts';
import { readableEndings } from '../../../core/shared/readable-formats.ts';
import {
  defaultMovieOptions,
  defaultPictureOptions,
  defaultSurfaceOptions,
  type MovieFormat,
  type MovieOptions,
  type PictureOptions,
  type SurfaceOptions,
} from './output-options.ts';
import type { JobProgress } from './progress.ts';

/** The state of saving in the dialog of pictures or surfaces. */
export type PictureWork =
  | { readonly kind: 'idle' }
  | { readonly kind: 'working' }
  | { readonly kind: 'failed'; readonly fault: FaultData };

/** The current or last movie. Its progress counts frames. */
export type MovieWork =
  | { readonly kind: 'none' }
  /** The user is asked where to save it. */
  | { readonly kind: 'asking'; readonly name: string }
  | { readonly kind: 'running'; readonly name: string; readonly folder: string; readonly progress: JobProgress }
  | {
      readonly kind: 'done';
      readonly name: string;
      readonly folder: string;
      readonly frames: number;
      readonly format: MovieFormat;
      readonly reveal: (() => Promise<void>) | undefined;
    }
  | { readonly kind: 'failed'; readonly name: string; readonly fault: FaultData };

export interface OutputState {
  readonly picture: PictureOptions;
  readonly movie: MovieOptions;
  readonly pictureWork: PictureWork;
  readonly surface: SurfaceOptions;
  readonly surfaceWork: PictureWork;
  readonly movieWork: MovieWork;
}

export const firstOutput: OutputState = {
  picture: defaultPictureOptions,
  movie: defaultMovieOptions,
  pictureWork: { kind: 'idle' },
  surface: defaultSurfaceOptions,
  surfaceWork: { kind: 'idle' },
  movieWork: { kind: 'none' },
};

const volumeEndingsOfName = new RegExp(`(\\.(${[...readableEndings, 'stria', 'dat', 'vol'].join('|')}))+$`, 'i');

/** A volume's name without extensions, usable in a file name: `scan` for `scan.nii.gz`. */
export function outputStem(name: string): string {
  const stem = name.replace(volumeEndingsOfName, '');
  return stem.replace(/[^\p{L}\p{N} ._()+-]/gu, '_').trim() || 'volume';
}
