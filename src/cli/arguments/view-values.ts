import type { OptionName } from './option-table.ts';
import { type OptionValues, oneOf, rawLayout, text, usage, wholeNumber } from './option-values.ts';
import type { MovieWay, ViewOptions } from './parsed-command.ts';

// Options of `stria picture` and `stria movie`. The command itself checks the names of colormaps, projections and sides, so that
// other commands need not load their tables.

const mostEdge = 65_536;
/** Far above what any volume has. */
const mostSlices = 2 ** 31 - 1;

const defaultSize = { width: 1024, height: 768 } as const;

export function viewOptions(values: OptionValues): ViewOptions {
  const view = values.view === undefined ? undefined : oneOf(values, 'view', ['3d', 'x', 'y', 'z'], '3d');
  const slice = sliceOf(values);
  if (slice !== undefined && (view === undefined || view === '3d')) throw usage('--slice needs --view x, y or z');
  return {
    view,
    ...sizeOf(values),
    slice,
    time: numberFromOne(values, 'time'),
    channel: numberFromOne(values, 'channel'),
    window: windowOf(values),
    colormap: text(values, 'colormap'),
    invert: values.invert === true,
    projection: text(values, 'projection'),
    level: realNumber(values, 'level'),
    from: text(values, 'from'),
    zoom: zoomOf(values),
    orthographic: values.orthographic === true,
    background:
      values.background === undefined
        ? undefined
        : oneOf(values, 'background', ['near-black', 'black', 'gray', 'white', 'transparent'], 'near-black'),
    smooth: values.smooth === true,
    slab: slabOf(values),
    session: text(values, 'session'),
    raw: rawLayout(values),
    dataset: text(values, 'dataset'),
    axes: text(values, 'axes'),
  };
}

function sizeOf(values: OptionValues): Pick<ViewOptions, 'width' | 'height'> {
  const value = text(values, 'size');
  if (value === undefined) return defaultSize;
  const [, width, height = width] = /^(\d{1,6})(?:x(\d{1,6}))?$/i.exec(value) ?? [];
  const [across, down] = [Number(width), Number(height)];
  if (!(across >= 1 && down >= 1)) throw usage(`--size takes a size in pixels, such as 1024x768; got '${value}'`);
  if (Math.max(across, down) > mostEdge) throw usage(`--size: an edge may have at most ${mostEdge} pixels; got '${value}'`);
  return { width: across, height: down };
}

function sliceOf(values: OptionValues): ViewOptions['slice'] {
  const value = text(values, 'slice');
  if (value === undefined) return undefined;
  const [, percent] = /^(\d{1,3}(?:\.\d{1,6})?)%$/.exec(value) ?? [];
  if (percent !== undefined) {
    if (Number(percent) > 100) throw usage(`--slice takes at most 100%; got '${value}'`);
    return { part: Number(percent) / 100 };
  }
  return { number: fromOne('slice', value) };
}

export function numberFromOne(values: OptionValues, option: OptionName): number | undefined {
  const value = text(values, option);
  return value === undefined ? undefined : fromOne(option, value);
}

function fromOne(option: OptionName, value: string): number {
  const number = wholeNumber(option, value, mostSlices);
  if (number === 0) throw usage(`--${option} counts from 1`);
  return number;
}

function windowOf(values: OptionValues): ViewOptions['window'] {
  const value = text(values, 'window');
  if (value === undefined) return undefined;
  const [low, high, ...more] = value.split(',').map(numberIn);
  if (low === undefined || high === undefined || more.length > 0 || !(low < high)) {
    throw usage(`--window takes two real values, the lower one first, such as -160,240; got '${value}'`);
  }
  return [low, high];
}

function zoomOf(values: OptionValues): number | undefined {
  const zoom = realNumber(values, 'zoom');
  if (zoom !== undefined && !(zoom >= 0.1 && zoom <= 200)) throw usage(`--zoom must be from 0.1 to 200; got ${zoom}`);
  return zoom;
}

function slabOf(values: OptionValues): ViewOptions['slab'] {
  const value = text(values, 'slab');
  if (value === undefined) return undefined;
  const [, kind, given] = /^(mean|maximum|minimum),(.+)$/.exec(value) ?? [];
  const thickness = given === undefined ? Number.NaN : numberIn(given);
  if (kind === undefined || !(thickness > 0)) {
    throw usage(`--slab takes mean, maximum or minimum and a thickness, such as maximum,10; got '${value}'`);
  }
  return { kind: kind as 'mean' | 'maximum' | 'minimum', thickness };
}

export function realNumber(values: OptionValues, option: OptionName): number | undefined {
  const value = text(values, option);
  if (value === undefined) return undefined;
  const number = numberIn(value);
  if (Number.isNaN(number)) throw usage(`--${option} takes a number; got '${value}'`);
  return number;
}

/** NaN if the text is not a finite number. */
function numberIn(value: string): number {
  const number = value.trim() === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : Number.NaN;
}

export function movieWay(values: OptionValues, { view }: Pick<ViewOptions, 'view'>): MovieWay {
  const along = oneOf(values, 'along', ['t', 'x', 'y', 'z', 'turn'], 'turn');
  if (values.along === undefined) throw usage('movie needs --along t (time), x, y or z (slices), or turn (the camera)');
  const shown = along === 'turn' ? '3d' : along;
  if (along !== 't' && view !== undefined && view !== shown) throw usage(`--along ${along} shows the view ${shown}, not ${view}`);
  const stray = along === 'turn' ? (['first', 'last'] as const) : (['degrees', 'frames'] as const);
  const given = stray.find((option) => values[option] !== undefined);
  if (given) throw usage(`--${given} is for ${along === 'turn' ? 'slices and time' : '--along turn'}`);
  const frames = numberFromOne(values, 'frames') ?? 120;
  if (frames > 10_000) throw usage(`--frames may be at most 10000; got ${frames}`);
  const fps = numberFromOne(values, 'fps') ?? 30;
  if (fps > 120) throw usage(`--fps may be at most 120; got ${fps}`);
  return {
    along,
    first: numberFromOne(values, 'first'),
    last: numberFromOne(values, 'last'),
    degrees: realNumber(values, 'degrees') ?? 360,
    frames,
    fps,
  };
}
