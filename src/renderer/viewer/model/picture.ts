import { StriaError } from '../../../core/shared/errors.ts';
import type { Layout, SliceAxis, ViewState } from './viewer-api.ts';

export type PictureView = '3d' | 'oblique' | SliceAxis;
/** What lies where nothing is drawn: as on the screen, white, or nothing. */
export type PictureBackground = 'screen' | 'white' | 'transparent';

/** A picture in memory: rows from the top, each pixel r, g, b and a in sRGB, not premultiplied. */
export interface ViewPicture {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array<ArrayBuffer>;
  /** Of a slice in a known unit. */
  readonly pixelsPerMetre?: number | undefined;
}

/** One view as a picture. */
export interface PictureRequest {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** Pixels of the picture for a CSS pixel of the screen: how large letters are, and how thick lines. */
  readonly pixelRatio: number;
  /** With letters, crosshair, frame and scale bar. */
  readonly isAnnotated: boolean;
  readonly background: PictureBackground;
  /** Words in a slice's lower left corner, where it is annotated. */
  readonly caption?: string | undefined;
  /** What is other than on the screen. Of the 3D view not the time point: that is of its texture. */
  readonly state?: Partial<ViewState> | undefined;
  /** The 3D view's camera goes about its target: so many degrees. */
  readonly turn?: { readonly axis: Turn; readonly degrees: number } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Axes of the scene: upwards, and to the right as it is seen at the start. */
export type Turn = 'upright' | 'across';

/** Where a view lies in a picture of several, in pixels. */
export interface PictureCell {
  readonly view: PictureView;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Bytes of a picture beyond which it is refused: they are held several times on the way to a file. */
const mostBytes = 2 ** 29;

/**
 * The views of a layout, as the window arranges them, with `gap` pixels between.
 * @param sliceAxis the slice of the layout of one
 */
export function layoutCells(
  layout: Layout,
  sliceAxis: SliceAxis,
  width: number,
  height: number,
  gap: number,
): readonly PictureCell[] {
  const rows: Readonly<Record<Layout, readonly (readonly PictureView[])[]>> = {
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

/** The first and the last pixel's end of one of `count` equal parts of a length. */
function part(length: number, index: number, count: number, gap: number): readonly [first: number, end: number] {
  const each = (length - gap * (count - 1)) / count;
  return [Math.round(index * (each + gap)), Math.round(index * (each + gap) + each)];
}

/**
 * @param longest pixels along an edge that the device can draw
 * @throws StriaError `invalid-input` for no size, `limit-too-small` for what is more than the device or the memory allows
 */
export function checkPictureSize(width: number, height: number, longest: number): void {
  if (![width, height].every((length) => Number.isInteger(length) && length >= 1))
    throw new StriaError('invalid-input', `a picture of ${width} × ${height} pixels is none`);
  if (Math.max(width, height) > longest)
    throw new StriaError('limit-too-small', `this GPU draws at most ${longest} pixels along an edge, not ${width} × ${height}`);
  if (width * height * 4 > mostBytes)
    throw new StriaError('limit-too-small', `a picture of ${width} × ${height} pixels takes more than 512 MiB`);
}

/** Puts pictures into one, on a ground of one colour. */
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

/** Draws one picture over another, in place. @param x, y where its upper left corner comes */
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

/** Pixels as a GPU gives them, premultiplied, as a picture's; changed in place. @param isBgra blue comes first */
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
