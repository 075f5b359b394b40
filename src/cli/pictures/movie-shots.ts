import { StriaError } from '../../core/shared/errors.ts';
import { channelAt, channelLayout, type VolumeInfo } from '../../core/shared/volume.ts';
import { type MovieFrame, mostFrames, movieFrames } from '../../renderer/viewer/model/movie-frames.ts';
import type { ViewState } from '../../renderer/viewer/model/viewer-api.ts';
import type { MovieWay } from '../arguments/parsed-command.ts';
import type { ShownView } from './look.ts';
import type { Shot } from './painter.ts';

/** The view that a movie shows. @param shown the view of a single picture */
function movieView({ along }: Pick<MovieWay, 'along'>, shown: ShownView): ShownView {
  return along === 'turn' ? '3d' : along === 't' ? shown : along;
}

/** The frames in order. Time stays within the channel of the state. @throws StriaError `invalid-input` */
export function movieShots(way: MovieWay, info: VolumeInfo, state: ViewState, shown: ShownView): readonly Omit<Shot, 'signal'>[] {
  const { along, degrees, frames } = way;
  const view = movieView(way, shown);
  const axis = along === 'x' || along === 'y' ? along : 'z';
  const kind = along === 'turn' ? 'turn' : along === 't' ? 'time' : 'slices';
  const [first, last] = kind === 'turn' ? [0, 0] : rangeOf(way, info, state);
  const path = { kind, turn: 'upright', degrees, frames, axis, first, last } as const;
  return movieFrames(path, info).map((frame) => ({ view, turn: frame.turn, state: stateIn(frame, state, axis) }));
}

function stateIn({ slice, timePoint }: MovieFrame, state: ViewState, axis: 'x' | 'y' | 'z'): ViewState {
  if (timePoint !== undefined) return { ...state, timePoint };
  if (slice === undefined) return state;
  return { ...state, crosshair: state.crosshair.with('xyz'.indexOf(axis), slice) as unknown as ViewState['crosshair'] };
}

/** Indexes of the first and last slice, or time point. */
function rangeOf({ along, first = 1, last }: MovieWay, info: VolumeInfo, { timePoint }: ViewState): readonly [number, number] {
  const { timePoints } = channelLayout(info);
  const isTime = along === 't';
  const count = isTime ? timePoints : (info.dims['xyz'.indexOf(along)] as number);
  const end = last ?? count;
  const most = Math.max(first, end);
  if (most > count) {
    const what = isTime ? `time point ${most}: the volume has` : `slice ${most} across ${along}: the volume has`;
    throw new StriaError('invalid-input', `there is no ${what} ${count}`);
  }
  if (Math.abs(end - first) >= mostFrames) {
    throw new StriaError('invalid-input', `a movie may have at most ${mostFrames} frames: choose --first and --last`);
  }
  if (isTime && count === 1) throw new StriaError('invalid-input', 'the volume has only one time point');
  const before = isTime ? channelAt(info, timePoint).channel * timePoints : 0;
  return [before + first - 1, before + end - 1];
}
