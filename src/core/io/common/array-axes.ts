import { StriaError } from '../../shared/errors.ts';
import type { Dims4 } from '../../shared/volume.ts';

/** The meaning of an array's axis. `s` is another series, such as positions or angles, which counts as time points. */
export type ArrayAxis = 'x' | 'y' | 'z' | 't' | 'c' | 's';

const knownNames: readonly (readonly [ArrayAxis, RegExp])[] = [
  ['x', /^(x|cols?|columns?|width|lon|longitude|xspace|x\d)$/],
  ['y', /^(y|rows?|height|lat|latitude|yspace)$/],
  ['z', /^(z|depth|planes?|slices?|lev|level|plev|altitude|height_above_ground|zspace)$/],
  ['t', /^(t|times?|frames?|timepoints?)$/],
  ['c', /^(c|ch|channels?|bands?|wavelengths?|rgba?|colou?r)$/],
];

/** The axes of arrays without names, by their number, slowest first: pictures, stacks, series. */
const usualAxes: Readonly<Record<number, readonly ArrayAxis[]>> = {
  1: ['x'],
  2: ['y', 'x'],
  3: ['z', 'y', 'x'],
  4: ['t', 'z', 'y', 'x'],
  5: ['t', 'c', 'z', 'y', 'x'],
};

/**
 * The meaning of an array's axes: by their names if those are clear, otherwise by their number. A last axis of length 3 or 4 after
 * two long axes holds the colours of a pixel.
 */
export function guessAxes(shape: readonly number[], names: readonly (string | null | undefined)[] = []): readonly ArrayAxis[] {
  const named = shape.map((_, index) => axisNamed(names[index]));
  if (named.includes('x') && named.includes('y') && isUnambiguous(named)) return named.map((axis) => axis ?? 's');
  const rank = shape.length;
  const [height = 0, width = 0, last = 0] = shape.slice(-3);
  if (rank >= 3 && (last === 3 || last === 4) && height >= 16 && width >= 16) {
    return [...guessAxes(shape.slice(0, -1)), 'c'].map((axis, index, all) =>
      axis === 'c' && index < all.length - 1 ? 's' : (axis as ArrayAxis),
    );
  }
  const usual = usualAxes[Math.min(rank, 5)] ?? [];
  return [...Array.from({ length: rank - usual.length }, () => 's' as const), ...usual];
}

function axisNamed(name: string | null | undefined): ArrayAxis | undefined {
  const plain = name?.trim().toLowerCase() ?? '';
  return knownNames.find(([, pattern]) => pattern.test(plain))?.[0];
}

/** Only series may occur more than once. */
function isUnambiguous(axes: readonly (ArrayAxis | undefined)[]): boolean {
  const named = axes.filter((axis) => axis !== undefined && axis !== 's');
  return new Set(named).size === named.length;
}

/**
 * Axes that the user gave: one letter for each axis of the array, slowest first, such as `tzyx`.
 * @throws StriaError `invalid-input`
 */
export function parseAxes(text: string, rank: number): readonly ArrayAxis[] {
  const letters = [...text.toLowerCase()];
  const unknown = letters.find((letter) => !'xyztcs'.includes(letter));
  if (unknown !== undefined) {
    throw new StriaError('invalid-input', `unknown axis '${unknown}': axes are x, y, z, t, c (channels) and s (another series)`);
  }
  if (letters.length !== rank) {
    throw new StriaError('invalid-input', `'${text}' names ${letters.length} axes, but the array has ${rank}`);
  }
  const axes = letters as ArrayAxis[];
  if (!isUnambiguous(axes))
    throw new StriaError('invalid-input', `'${text}' names an axis twice: only s may occur more than once`);
  return axes;
}

/** Maps a volume's axes to those of an array. */
export interface AxisPlan {
  /** Index of the array's axis. Undefined if there is none, which counts as length 1. */
  readonly x: number | undefined;
  readonly y: number | undefined;
  readonly z: number | undefined;
  /** The axes that form dims[3], slowest first: channels, other series, time. */
  readonly series: readonly number[];
  readonly dims: Dims4;
  /** Length of the channel axis; undefined if there is none. */
  readonly channelCount: number | undefined;
}

export function planAxes(axes: readonly ArrayAxis[], shape: readonly number[]): AxisPlan {
  const at = (wanted: ArrayAxis) => {
    const index = axes.indexOf(wanted);
    return index < 0 ? undefined : index;
  };
  const length = (index: number | undefined) => (index === undefined ? 1 : (shape[index] ?? 1));
  const others = axes.flatMap((axis, index) => (axis === 's' ? [index] : []));
  const [x, y, z, t, c] = [at('x'), at('y'), at('z'), at('t'), at('c')];
  const series = [c, ...others, t].filter((index) => index !== undefined);
  const seriesLength = series.reduce((product, index) => product * length(index), 1);
  return {
    x,
    y,
    z,
    series,
    dims: [length(x), length(y), length(z), seriesLength],
    channelCount: c === undefined ? undefined : length(c),
  };
}
