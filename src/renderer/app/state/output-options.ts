import type { MeshFormat } from '../../../core/mesh/mesh-formats.ts';
import type { MoviePath } from '../../viewer/model/movie-frames.ts';
import type { PictureBackground, PictureRequest } from '../../viewer/model/picture.ts';
import type { Layout, ViewName } from '../../viewer/model/viewer-api.ts';

/** `screen`: as many pixels as on the screen; `double`: twice as many along each edge; `own`: a chosen size. */
export type OutputSize = 'screen' | 'double' | '4k' | 'own';

/** Options of pictures, and of the frames of movies. */
export interface PictureOptions {
  /** `layout`: all visible views, arranged as in the window. */
  readonly view: ViewName | 'layout';
  readonly size: OutputSize;
  /** Width and height in pixels, for the size `own`. */
  readonly width: number;
  readonly height: number;
  readonly isAnnotated: boolean;
  readonly background: PictureBackground;
}

/** Options of saving a surface as a mesh. */
export interface SurfaceOptions {
  readonly format: MeshFormat;
  /** Rounds of smoothing. */
  readonly smoothing: number;
  /** The label whose surface is saved, for a segmentation. */
  readonly label: number;
}

/** `pictures`: numbered PNGs, lossless. `video`: one file, lossy. */
export type MovieFormat = 'pictures' | 'video';

export interface MovieOptions extends MoviePath {
  readonly format: MovieFormat;
  /** For a video. */
  readonly framesPerSecond: number;
}

export const defaultPictureOptions: PictureOptions = {
  view: '3d',
  size: 'screen',
  width: 1920,
  height: 1080,
  isAnnotated: true,
  background: 'screen',
};
export const defaultMovieOptions: MovieOptions = {
  kind: 'turn',
  turn: 'upright',
  degrees: 360,
  frames: 120,
  axis: 'z',
  first: 0,
  last: 0,
  format: 'pictures',
  framesPerSecond: 30,
};

export const defaultSurfaceOptions: SurfaceOptions = { format: 'stl', smoothing: 10, label: 1 };

export const mostFramesPerSecond = 120;

type Size = readonly [width: number, height: number];

/** Screen pixels between the views of a layout. */
export const layoutGap = 1;

/** Size of a view, or of the layout, on the screen in CSS pixels. Undefined if it is not visible. */
export function shownSize(view: PictureOptions['view'], layout: Layout, shown: ReadonlyMap<ViewName, Size>): Size | undefined {
  if (view !== 'layout') return shown.get(view);
  const sizes = [...shown.values()];
  const [first] = sizes;
  if (!first) return undefined;
  const [columns, rows] = ({ '3d': [1, 1], slice: [1, 1], slices: [3, 1], quad: [2, 2], oblique: [2, 2] } as const)[layout];
  const along = (count: number, lengths: readonly number[]): number => count * Math.max(...lengths) + (count - 1) * layoutGap;
  return [
    along(
      columns,
      sizes.map(([width]) => width),
    ),
    along(
      rows,
      sizes.map(([, height]) => height),
    ),
  ];
}

/** Size of a picture, and picture pixels per CSS pixel. @param shown in CSS pixels */
export function outputSize(
  { size, width, height }: Pick<PictureOptions, 'size' | 'width' | 'height'>,
  [shownWidth, shownHeight]: Size,
  screenRatio: number,
): Pick<PictureRequest, 'width' | 'height' | 'pixelRatio'> {
  if (size === 'screen' || size === 'double') {
    const pixelRatio = screenRatio * (size === 'double' ? 2 : 1);
    return { width: Math.round(shownWidth * pixelRatio), height: Math.round(shownHeight * pixelRatio), pixelRatio };
  }
  const own = size === '4k' ? ([3840, 2160] as const) : ([Math.round(width), Math.round(height)] as const);
  return { width: own[0], height: own[1], pixelRatio: Math.min(own[0] / shownWidth, own[1] / shownHeight) };
}
