import { StriaError } from '../../../core/shared/errors.ts';
import type { Layout, SliceAxis, ViewName, ViewState } from './viewer-api.ts';

/** What is drawn where there is no volume: the screen's background, white, or nothing. */
export type PictureBackground = 'screen' | 'white' | 'transparent';

/** A picture in memory: rows from the top, pixels as straight (not premultiplied) sRGB RGBA. */
export interface ViewPicture {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array<ArrayBuffer>;
  /** The resolution; set for a slice whose unit is known. */
  readonly pixelsPerMetre?: number | undefined;
}

/** A request for a picture of one view. */
export interface PictureRequest {
  /** The width in pixels. */
  readonly width: number;
  readonly height: number;
  /** Picture pixels per CSS pixel, which scales letters and lines. */
  readonly pixelRatio: number;
  /** Whether to draw letters, crosshair, frame and scale bar. */
  readonly isAnnotated: boolean;
  readonly background: PictureBackground;
  /** Text in the lower left corner of an annotated slice. */
  readonly caption?: string | undefined;
  /** Differences from the state on screen. The 3D view ignores the time point, which belongs to its texture. */
  readonly state?: Partial<ViewState> | undefined;
  /** Rotates the 3D view's camera about its target. */
  readonly turn?: { readonly axis: Turn; readonly degrees: number } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Axes of the scene: vertical, and to the right in the initial view. */
export type Turn = 'upright' | 'across';

/** The position of a view in a picture of several views, in pixels. */
export interface PictureCell {
  readonly view: ViewName;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Larger pictures, in bytes, are refused, since several copies are in memory before they are written to a file. */
const mostBytes = 2 ** 29;

/**
 * The views of a layout, arranged as in the window, with `gap` pixels between them.
 * @param sliceAxis the slice that the one-slice layout shows
 */
export function layoutCells(
  layout: Layout,
  sliceAxis: SliceAxis,
  width: number,
  height: number,
  gap: number,
): readonly PictureCell[] {
  const rows: Readonly<Record<Layout, readonly (readonly ViewName[])[]>> = {
    '3d': [['3d']],
    slice: [[sliceAxis]],
    slices: [['z', 'y', 'x']],
    quad: [
      ['3d', 'z'],
      ['y', 'x'],
    ],
    oblique: [
      ['3d', 'oblique'],
      ['z', 'y', 'x'],
    ],
  };
  const shown = rows[layout];
  return shown.flatMap((views, row) => {
    const [y, bottom] = part(height, row, shown.length, gap);
    return views.map((view, column): PictureCell => {
      const [x, right] = part(width, column, views.length, gap);
      return { view, x, y, width: Math.max(1, right - x), height: Math.max(1, bottom - y) };
    });
  });
}

/** The first and the end pixel of one of `count` equal parts of a length. */
function part(length: number, index: number, count: number, gap: number): readonly [first: number, end: number] {
  const each = (length - gap * (count - 1)) / count;
  return [Math.round(index * (each + gap)), Math.round(index * (each + gap) + each)];
}

/**
 * Checks that a picture of this size, in pixels, can be drawn. @param longest the longest edge that the device can draw, in pixels
 * @throws StriaError `invalid-input` for an empty size, `limit-too-small` for more than the device or memory allows
 */
export function checkPictureSize(width: number, height: number, longest: number): void {
  if (![width, height].every((length) => Number.isInteger(length) && length >= 1))
    throw new StriaError('invalid-input', `a picture of ${width} × ${height} pixels is not possible`);
  if (Math.max(width, height) > longest)
    throw new StriaError('limit-too-small', `this GPU draws at most ${longest} pixels along an edge, not ${width} × ${height}`);
  if (width * height * 4 > mostBytes)
    throw new StriaError('limit-too-small', `a picture of ${width} × ${height} pixels takes more than 512 MiB`);
}

/** Joins pictures into one, on a background of one colour. */
export function joinPictures(
  { width, height }: Pick<ViewPicture, 'width' | 'height'>,
  ground: readonly [r: number, g: number, b: number, a: number],
  parts: readonly { readonly cell: PictureCell; readonly picture: ViewPicture }[],
): ViewPicture {
  const rgba = new Uint8Array(width * height * 4);
  const words = new Uint32Array(rgba.buffer);
  words.fill(new Uint32Array(Uint8Array.from(ground).buffer)[0] as number);
  for (const { cell, picture } of parts) {
    for (let row = 0; row < picture.height; row++) {
      const line = picture.rgba.subarray(row * picture.width * 4, (row + 1) * picture.width * 4);
      rgba.set(line, ((cell.y + row) * width + cell.x) * 4);
    }
  }
  return { width, height, rgba };
}

/** Draws one picture over another, in place. @param x, y position of its upper left corner */
export function drawOver(picture: ViewPicture, above: ViewPicture, x: number, y: number): void {
  for (let row = 0; row < above.height; row++) {
    for (let column = 0; column < above.width; column++) {
      const from = (row * above.width + column) * 4;
      const to = ((y + row) * picture.width + x + column) * 4;
      const part = (above.rgba[from + 3] as number) / 255;
      const under = ((picture.rgba[to + 3] as number) / 255) * (1 - part);
      const alpha = part + under;
      if (part === 0) continue;
      for (let channel = 0; channel < 3; channel++) {
        const mixed = (above.rgba[from + channel] as number) * part + (picture.rgba[to + channel] as number) * under;
        picture.rgba[to + channel] = Math.round(mixed / alpha);
      }
      picture.rgba[to + 3] = Math.round(255 * alpha);
    }
  }
}

/** Converts premultiplied pixels from the GPU to straight RGBA, in place. @param isBgra whether blue comes first */
export function toStraight(pixels: Uint8Array<ArrayBuffer>, isBgra: boolean, isOpaque: boolean): Uint8Array<ArrayBuffer> {
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = isOpaque ? 255 : (pixels[at + 3] as number);
    const [first, green, third] = [pixels[at] as number, pixels[at + 1] as number, pixels[at + 2] as number];
    const scale = alpha === 0 ? 0 : 255 / alpha;
    pixels[at] = Math.min(255, Math.round((isBgra ? third : first) * scale));
    pixels[at + 1] = Math.min(255, Math.round(green * scale));
    pixels[at + 2] = Math.min(255, Math.round((isBgra ? first : third) * scale));
    pixels[at + 3] = alpha;
  }
  return pixels;
}
