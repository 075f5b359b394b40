import { colorParts } from '../../../core/shared/label-table.ts';
import type { ShownLabels } from '../model/label-look.ts';
import { colorsOf, labelColorIndex } from './colormaps.ts';

const slotsPerRow = 128;
const shownAlpha = 255;
const hiddenAlpha = 128;

/** A label's colour, `#rrggbb`, if its table gives none. */
export function paletteColor(number: number): string {
  const at = 3 * labelColorIndex(number);
  return `#${[...labelPalette().subarray(at, at + 3)].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function labelPalette(): Uint8Array {
  return colorsOf({ colormap: 'labels', inverted: false });
}

/** The RGBA texels of the texture that shaders/draw/labels.wgsl describes, which is 256 texels wide. */
export function labelTexels({ table, shows, except }: ShownLabels): Uint8Array<ArrayBuffer> {
  const colors = new Map(table.map(({ number, color }) => [number, color]));
  const excepted = new Set(except);
  const numbers = [...new Set([...table.filter(({ color }) => color !== undefined).map(({ number }) => number), ...except])];
  let rows = numbers.length === 0 ? 0 : 1;
  while (rows * slotsPerRow < 2 * numbers.length) rows *= 2;
  const slots = rows * slotsPerRow;
  const texels = new Uint8Array(1024 * (1 + rows));
  const palette = labelPalette();
  for (let index = 0; index < 256; index++) {
    texels.set(palette.subarray(3 * index, 3 * index + 3), 4 * index);
    texels[4 * index + 3] = shows === 'all' ? shownAlpha : 0;
  }
  for (const number of numbers) {
    let slot = hash(number) & (slots - 1);
    const at = () => 1024 + 8 * slot;
    while (texels[at() + 7] !== 0) slot = (slot + 1) & (slots - 1);
    const isShown = excepted.has(number) !== (shows === 'all');
    const bytes = [number, number >>> 8, number >>> 16, number >>> 24].map((part) => part & 255);
    texels.set([...bytes, ...colorParts(colors.get(number) ?? paletteColor(number)), isShown ? shownAlpha : hiddenAlpha], at());
  }
  return texels;
}

function hash(number: number): number {
  const mixed = Math.imul(number ^ ((number >>> 0) >>> 16), 0x7feb352d) >>> 0;
  return Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b) >>> 0;
}
