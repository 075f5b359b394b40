import bone from '../../../resources/colormaps/bone.json';
import gray from '../../../resources/colormaps/gray.json';
import grayInverted from '../../../resources/colormaps/gray-inverted.json';
import hot from '../../../resources/colormaps/hot.json';
import inferno from '../../../resources/colormaps/inferno.json';
import labels from '../../../resources/colormaps/labels.json';
import magma from '../../../resources/colormaps/magma.json';
import viridis from '../../../resources/colormaps/viridis.json';

const files = { gray, 'gray-inverted': grayInverted, bone, hot, viridis, magma, inferno, labels };

export type ColormapName = keyof typeof files;

/** Names of the colormaps in resources/colormaps, in the order in which a menu shows them. */
export const colormapNames = Object.keys(files) as ColormapName[];

export interface Colormap {
  readonly title: string;
  /** 256 sRGB colours, lowest first: r, g, b of 0…255 each. */
  readonly colors: Uint8Array;
  /** The colours stand for single values, so nothing may be blended between two of them. */
  readonly isCategorical: boolean;
}

const maps = new Map<string, Colormap>(
  Object.entries(files).map(([name, { title, colors }]) => [
    name,
    { title, colors: decode(colors), isCategorical: name === 'labels' },
  ]),
);

/** The colormap of that name; gray for a name that is not known. */
export function colormap(name: string): Colormap {
  return (maps.get(name) ?? maps.get('gray')) as Colormap;
}

/** A CSS gradient along `direction`, for menus and bars. */
export function colormapGradient(name: string, direction = 'to right'): string {
  const { colors } = colormap(name);
  const stops = Array.from({ length: 17 }, (_, index) => {
    const at = Math.round((index * 255) / 16) * 3;
    return `rgb(${colors.slice(at, at + 3).join(' ')})`;
  });
  return `linear-gradient(${direction}, ${stops.join(', ')})`;
}

function decode(hex: string): Uint8Array {
  return Uint8Array.from(
    hex.split(' ').flatMap((color) => [0, 2, 4].map((start) => Number.parseInt(color.slice(start, start + 2), 16))),
  );
}
