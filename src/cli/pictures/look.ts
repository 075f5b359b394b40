import { type Projection, projections } from '../../core/draw/ray-pass.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { type LabelTable, mergedTable, type OwnLabels } from '../../core/shared/label-table.ts';
import { channelAt, channelLayout, type VolumeInfo } from '../../core/shared/volume.ts';
import type { VolumeStatistics } from '../../core/volume/statistics.ts';
import { colormapNames, withPresentName } from '../../renderer/viewer/colors/colormaps.ts';
import { grounds, pictureGrounds } from '../../renderer/viewer/colors/grounds.ts';
import { firstLabelView, firstLevel, firstView } from '../../renderer/viewer/model/auto-view.ts';
import { fittedView } from '../../renderer/viewer/model/fitted-view.ts';
import type { LabelLook, ShownLabels } from '../../renderer/viewer/model/label-look.ts';
import { type SceneSide, sceneSides } from '../../renderer/viewer/model/orientation.ts';
import type { PictureBackground } from '../../renderer/viewer/model/picture.ts';
import type { ViewState } from '../../renderer/viewer/model/viewer-api.ts';
import type { ViewOptions } from '../arguments/parsed-command.ts';

/** The options that are names, after checking. */
export interface PictureLook extends Omit<ViewOptions, 'projection' | 'from'> {
  readonly projection: Projection | undefined;
  /** Direction towards the camera, in scene coordinates. */
  readonly toEye: SceneSide['toEye'] | undefined;
}

export type ShownView = '3d' | 'x' | 'y' | 'z';

/** Checks names before any file is opened. @throws StriaError `invalid-input` for unknown names */
export function lookOf(options: ViewOptions): PictureLook {
  const { colormap, projection, from } = options;
  if (colormap !== undefined) oneOf('colormap', colormapNames, colormap);
  return {
    ...options,
    projection: projection === undefined ? undefined : oneOf('projection', projections, projection),
    toEye: from === undefined ? undefined : directionOf(from),
  };
}

function oneOf<const Name extends string>(option: string, names: readonly Name[], given: string): Name {
  const known = names.find((name) => name === given);
  if (known === undefined) throw usage(`--${option} must be one of ${names.join(', ')}; got '${given}'`);
  return known;
}

/** Parses `--from`: a side, or two angles in degrees, to the right around the vertical axis and up. */
function directionOf(from: string): SceneSide['toEye'] {
  const side = sceneSides.find(({ key }) => key === from);
  if (side) return side.toEye;
  const [around, up, ...more] = from.split(',').map((part) => (part.trim() === '' ? Number.NaN : (Number(part) / 180) * Math.PI));
  if (
    around === undefined ||
    up === undefined ||
    more.length > 0 ||
    !Number.isFinite(around + up) ||
    Math.abs(up) > Math.PI / 2
  ) {
    const keys = sceneSides.map(({ key }) => key).join(', ');
    throw usage(`--from takes ${keys}, or two angles in degrees, the second from -90 to 90, such as 30,15; got '${from}'`);
  }
  return [Math.sin(around) * Math.cos(up), Math.sin(up), Math.cos(around) * Math.cos(up)];
}

/** The background's premultiplied RGBA, and whether it is opaque. */
export function groundOf({ background }: PictureLook): { readonly ground: GPUColorDict; readonly background: PictureBackground } {
  if (background === 'white' || background === 'transparent') return { ground: pictureGrounds[background], background };
  return { ground: grounds[background ?? 'near-black'], background: 'screen' };
}

/** The default view: 3D, or the slice if there is only one. */
export function firstShown({ dims }: VolumeInfo): ShownView {
  return dims[2] > 1 ? '3d' : 'z';
}

/**
 * The state to draw: the app's defaults, overridden by the session, overridden by the options.
 * @param saved the state from a session @param own the label table of the volume's file
 * @throws StriaError `invalid-input` for a slice, time point or channel that the volume lacks
 */
export function stateOf(
  look: PictureLook,
  info: VolumeInfo,
  statistics: VolumeStatistics,
  saved: (first: ViewState) => Partial<ViewState> = () => ({}),
  own: OwnLabels = {},
): ViewState {
  const first = withPresentName(firstLabelView(info, statistics, own) ?? firstView(info, statistics));
  const before = withPresentName({ ...first, ...saved(first) });
  const { colormap, projection, slab } = look;
  const state: ViewState = {
    ...before,
    ...windowOf(look, info),
    ...(colormap !== undefined && { colormap }),
    ...(look.invert && { inverted: !before.inverted }),
    ...(projection !== undefined && { projection }),
    ...(look.orthographic && { camera: 'orthographic' }),
    ...(look.smooth && { smooth: true }),
    ...(slab && { slab, sliceSlabs: undefined }),
    crosshair: crosshairOf(look, info, before),
    timePoint: timeIndex(look, info, before.timePoint) ?? before.timePoint,
  };
  return fittedView(state, info, first);
}

function windowOf({ window, level }: PictureLook, { slope, intercept }: VolumeInfo): Partial<ViewState> {
  const stored = (value: number): number => (value - intercept) / slope;
  const [low, high] = window?.map(stored) ?? [];
  return {
    ...(low !== undefined && high !== undefined && { window: [low, high], level: low + firstLevel * (high - low) }),
    ...(level !== undefined && { level: stored(level) }),
  };
}

function crosshairOf({ view, slice }: PictureLook, { dims }: VolumeInfo, { crosshair }: ViewState): ViewState['crosshair'] {
  if (slice === undefined || view === undefined || view === '3d') return crosshair;
  const axis = 'xyz'.indexOf(view);
  const count = dims[axis] as number;
  const index = 'number' in slice ? slice.number - 1 : Math.round(slice.part * (count - 1));
  if (index >= count) throw usage(`there is no slice ${index + 1} across ${view}: the volume has ${count}`);
  return crosshair.with(axis, index) as unknown as ViewState['crosshair'];
}

/**
 * The index along t of a time point and a channel, both counted from 1. @param shown the index that tells the one that is not given
 * @throws StriaError `invalid-input` if the volume lacks it
 */
export function timeIndex(
  { time, channel }: Pick<PictureLook, 'time' | 'channel'>,
  info: VolumeInfo,
  shown = 0,
): number | undefined {
  if (time === undefined && channel === undefined) return undefined;
  const { channelCount, timePoints } = channelLayout(info);
  const before = channelAt(info, shown);
  const [at, of] = [time === undefined ? before.time : time - 1, channel === undefined ? before.channel : channel - 1];
  if (at >= timePoints) throw usage(`there is no time point ${at + 1}: the volume has ${timePoints}`);
  if (of >= channelCount) throw usage(`there is no channel ${of + 1}: the volume has ${channelCount}`);
  return of * timePoints + at;
}

function usage(message: string): StriaError {
  return new StriaError('invalid-input', message);
}

/** A session's label tables, by the id that looks use for them. */
export type LabelTables = Readonly<Record<string, { readonly table: LabelTable }>>;

/** Colours of labels as in the app. @param own the label table of the volume's file */
export function shownLabels({ table, edits, shows, except }: LabelLook, tables: LabelTables, own: LabelTable = []): ShownLabels {
  const loaded = table === undefined ? undefined : tables[table]?.table;
  return { table: mergedTable(loaded ?? own, edits), shows, except };
}
