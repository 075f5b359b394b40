import type { FaultData } from '../../../core/shared/errors.ts';
import type { MovieWork } from '../state/output-state.ts';
import type { JobProgress } from '../state/progress.ts';
import type { Transitions } from '../state/transitions.ts';

type Fields<Kind extends MovieWork['kind']> = Omit<Extract<MovieWork, { kind: Kind }>, 'kind'>;

/** What can happen to the movie. */
export type MovieEvent =
  /** The user is asked where to save it. */
  | ({ readonly kind: 'ask' } & Fields<'asking'>)
  | ({ readonly kind: 'draw' } & Fields<'running'>)
  | { readonly kind: 'progress'; readonly progress: JobProgress }
  | ({ readonly kind: 'finish' } & Fields<'done'>)
  | { readonly kind: 'fail'; readonly fault: FaultData }
  /** The user ended it or backed out, or the volume was closed. */
  | { readonly kind: 'cancel' }
  /** The message about the last movie is dismissed. */
  | { readonly kind: 'clear' };

export const movieKinds: Transitions<MovieWork['kind'], MovieEvent['kind']> = {
  none: { ask: 'asking' },
  asking: { draw: 'running', fail: 'failed', cancel: 'none' },
  running: { progress: 'running', finish: 'done', fail: 'failed', cancel: 'none' },
  done: { ask: 'asking', clear: 'none' },
  failed: { ask: 'asking', clear: 'none' },
};

/** The state of the movie after an event. Undefined if the event is ignored in this state. */
export function nextMovie(state: MovieWork, event: MovieEvent): MovieWork | undefined {
  if (movieKinds[state.kind][event.kind] === undefined) return undefined;
  switch (event.kind) {
    case 'ask':
      return { ...event, kind: 'asking' };
    case 'draw':
      return { ...event, kind: 'running' };
    case 'progress':
      return state.kind === 'running' ? { ...state, progress: event.progress } : undefined;
    case 'finish':
      return { ...event, kind: 'done' };
    case 'fail':
      return 'name' in state ? { kind: 'failed', name: state.name, fault: event.fault } : undefined;
    case 'cancel':
    case 'clear':
      return { kind: 'none' };
  }
}
