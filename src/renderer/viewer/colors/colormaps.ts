import batlow from '../../../../resources/colormaps/batlow.json';
import bone from '../../../../resources/colormaps/bone.json';
import cividis from '../../../../resources/colormaps/cividis.json';
import difference from '../../../../resources/colormaps/difference.json';
import gray from '../../../../resources/colormaps/gray.json';
import hot from '../../../../resources/colormaps/hot.json';
import inferno from '../../../../resources/colormaps/inferno.json';
import labels from '../../../../resources/colormaps/labels.json';
import magma from '../../../../resources/colormaps/magma.json';
import plasma from '../../../../resources/colormaps/plasma.json';
import turbo from '../../../../resources/colormaps/turbo.json';
import viridis from '../../../../resources/colormaps/viridis.json';
import { colorParts } from '../../../core/shared/label-table.ts';

const files = { gray, bone, hot, viridis, cividis, batlow, magma, inferno, plasma, turbo, difference, labels };

export type ColormapName = keyof typeof files;

/** Names of the colormaps in resources/colormaps, in menu order. */
export const colormapNames = Object.keys(files) as ColormapName[];

export interface Colormap {
  readonly title: string;
  /** 256 sRGB colours, lowest first: r, g and b, 0…255 each. */
  readonly colors: Uint8Array;
  /** Whether colours stand for single values, so that they must not be blended. */
  readonly isCategorical: boolean;
}

/** A colormap by name, forwards or reversed. */
export interface ColorChoice {
  readonly colormap: string;
  readonly inverted: boolean;
}

const maps = new Map<string, Colormap>(
  Object.entries(files).map(([name, { title, colors }]) => [
    name,
    { title, colors: decode(colors), isCategorical: name === 'labels' },
  ]),
);

/** Common colours of channels, with their names. */
const colorTitles: Readonly<Record<string, string>> = {
  '#ff0000': 'Red',
  '#00ff00': 'Green',
  '#0000ff': 'Blue',
  '#00ffff': 'Cyan',
  '#ff00ff': 'Magenta',
  '#ffff00': 'Yellow',
  '#ffffff': 'White',
};

/** Names of colormaps from black to a colour, for menus. */
export const colorRampNames = Object.keys(colorTitles);

const ramps = new Map<string, Colormap>();
const mostRamps = 64;

/** The colormap with a name, or one from black to a colour `#rrggbb`; grey for an unknown name. */
export function colormap(name: string): Colormap {
  const known = maps.get(name) ?? ramps.get(name);
  if (known) return known;
  return isColorRamp(name) ? addRamp(name) : (maps.get('gray') as Colormap);
}

/** Whether a name is a colour, which stands for a colormap from black to that colour. */
export function isColorRamp(name: string): boolean {
  return /^#[0-9a-f]{6}$/.test(name);
}

/** Whether a colormap has this name. */
export function isColormapName(name: string): boolean {
  return maps.has(name) || isColorRamp(name);
}

/** The 256 colours of a choice as the window shows them. Label colours are never reversed, since they have no order. */
export function colorsOf({ colormap: name, inverted }: ColorChoice): Uint8Array {
  const { colors, isCategorical } = colormap(name);
  if (!inverted || isCategorical) return colors;
  return Uint8Array.from(colors, (_, at) => colors[765 - 3 * Math.floor(at / 3) + (at % 3)] as number);
}

/** A label's index in the palette: 0 for the background, the others cyclically. Twins: slice.wgsl, march-values.wgsl. */
export function labelColorIndex(label: number): number {
  return label === 0 ? 0 : 1 + ((((label - 1) % 255) + 255) % 255);
}

/** Replaces the former colormap `gray-inverted` by an inverted `gray`. */
export function withPresentName<State extends ColorChoice>(state: State): State {
  return state.colormap === 'gray-inverted' ? { ...state, colormap: 'gray', inverted: !state.inverted } : state;
}

/** A CSS gradient along `direction`, for menus and bars. */
export function colormapGradient(choice: ColorChoice, direction = 'to right'): string {
  const colors = colorsOf(choice);
  const stops = Array.from({ length: 17 }, (_, index) => {
    const at = Math.round((index * 255) / 16) * 3;
    return `rgb(${colors.slice(at, at + 3).join(' ')})`;
  });
  return `linear-gradient(${direction}, ${stops.join(', ')})`;
}

function addRamp(name: string): Colormap {
  const parts = colorParts(name);
  const colors = Uint8Array.from({ length: 768 }, (_, at) => Math.round(((parts[at % 3] as number) * Math.floor(at / 3)) / 255));
  const ramp = { title: colorTitles[name] ?? 'Custom colour', colors, isCategorical: false };
  // Dragging a colour passes through many colours.
  if (ramps.size >= mostRamps) ramps.delete(ramps.keys().next().value as string);
  ramps.set(name, ramp);
  return ramp;
}

function decode(hex: string): Uint8Array {
  return Uint8Array.from(
    hex.split(' ').flatMap((color) => [0, 2, 4].map((start) => Number.parseInt(color.slice(start, start + 2), 16))),
  );
}
