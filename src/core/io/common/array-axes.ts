import { StriaError } from '../../shared/errors.ts';
import type { Dims4 } from '../../shared/volume.ts';

/** What an axis of an array stands for. `s`: one more series, such as a position or an angle; it counts as time points. */
export type ArrayAxis = 'x' | 'y' | 'z' | 't' | 'c' | 's';

const knownNames: readonly (readonly [ArrayAxis, RegExp])[] = [
  ['x', /^(x|cols?|columns?|width|lon|longitude|xspace|x\d)$/],
  ['y', /^(y|rows?|height|lat|latitude|yspace)$/],
  ['z', /^(z|depth|planes?|slices?|lev|level|plev|altitude|height_above_ground|zspace)$/],
  ['t', /^(t|times?|frames?|timepoints?)$/],
  ['c', /^(c|ch|channels?|bands?|wavelengths?|rgba?|colou?r)$/],
];

/** Axes by their number, where nothing names them: pictures, stacks, series, slowest first. */
const usualAxes: Readonly<Record<number, readonly ArrayAxis[]>> = {
  1: ['x'],
  2: ['y', 'x'],
  3: ['z', 'y', 'x'],
  4: ['t', 'z', 'y', 'x'],
  5: ['t', 'c', 'z', 'y', 'x'],
};

/**
 * What the axes of an array stand for: by their names where those tell, else by their number. A last axis of 3 or 4 behind two
 * long ones holds the colors of a pixel.
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

/** Only series may come more than once. */
function isUnambiguous(axes: readonly (ArrayAxis | undefined)[]): boolean {
  const named = axes.filter((axis) => axis !== undefined && axis !== 's');
  return new Set(named).size === named.length;
}

/**
 * Axes that a person gave: a letter for each axis of the array, slowest first, as `tzyx`.
 * @throws StriaError `invalid-input`
 */
export function parseAxes(text: string, rank: number): readonly ArrayAxis[] {
  const letters = [...text.toLowerCase()];
  const unknown = letters.find((letter) => !'xyztcs'.includes(letter));
  if (unknown !== undefined) {
    throw new StriaError(
      'invalid-input',
      `there is no axis '${unknown}': axes are x, y, z, t, c (channels) and s (another series)`,
    );
  }
  if (letters.length !== rank) {
    throw new StriaError('invalid-input', `'${text}' names ${letters.length} axes, but the array has ${rank}`);
  }
  const axes = letters as ArrayAxis[];
  if (!isUnambiguous(axes))
    throw new StriaError('invalid-input', `'${text}' names an axis twice: only s may come more than once`);
  return axes;
}

/** Where a volume's axes lie in an array. */
export interface AxisPlan {
  /** Index of the array's axis; undefined where there is none, which counts as length 1. */
  readonly x: number | undefined;
  readonly y: number | undefined;
  readonly z: number | undefined;
  /** The axes that dims[3] counts, slowest first: channels, other series, time. */
  readonly series: readonly number[];
  readonly dims: Dims4;
  /** Length of the channels' axis; undefined where there is none. */
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
