import type { FaultData } from '../../../core/shared/errors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { Difference } from '../../../core/volume/resident/difference.ts';
import type { Links } from '../../viewer/linked-viewers.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import type { ComparisonMode, ComparisonState, DifferenceState } from '../state/comparison-state.ts';
import type { JobProgress } from '../state/progress.ts';
import type { Transitions } from '../state/transitions.ts';

/** What can happen to a comparison. */
export type ComparisonEvent =
  /** Loading of a second volume begins. */
  | { readonly kind: 'begin'; readonly name: string; readonly progress: JobProgress }
  /** Loading or subtracting has progressed. */
  | { readonly kind: 'progress'; readonly progress: JobProgress }
  /** The second volume is shown in a viewer of its own. */
  | { readonly kind: 'present'; readonly info: VolumeInfo; readonly viewer: Viewer; readonly links: Links }
  | { readonly kind: 'fail'; readonly fault: FaultData }
  | { readonly kind: 'end' }
  | { readonly kind: 'look'; readonly mode: ComparisonMode }
  | { readonly kind: 'link'; readonly change: Partial<Links> }
  /** Computing the difference begins. */
  | { readonly kind: 'subtract'; readonly progress: JobProgress }
  | { readonly kind: 'refuse'; readonly why: string }
  | { readonly kind: 'know'; readonly difference: Difference; readonly whyUnseen: string | undefined };

const comparisonKinds: Transitions<ComparisonState['kind'], ComparisonEvent['kind']> = {
  none: { begin: 'loading' },
  loading: { begin: 'loading', progress: 'loading', present: 'ready', fail: 'failed', end: 'none' },
  failed: { begin: 'loading', end: 'none' },
  ready: {
    begin: 'loading',
    progress: 'ready',
    look: 'ready',
    link: 'ready',
    subtract: 'ready',
    refuse: 'ready',
    know: 'ready',
    end: 'none',
  },
};

/** The difference between the volumes, once both are ready. */
const differenceKinds: Transitions<DifferenceState['kind'], ComparisonEvent['kind']> = {
  unknown: { subtract: 'running', refuse: 'refused', look: 'unknown', link: 'unknown' },
  running: { progress: 'running', refuse: 'refused', know: 'known', look: 'running', link: 'running' },
  refused: { subtract: 'running', refuse: 'refused', look: 'refused', link: 'refused' },
  // Subtract again if only numbers are known: there may be room for the difference now.
  known: { subtract: 'running', look: 'known', link: 'known' },
};

/** The state of a comparison after an event. Undefined if the event is ignored in this state. */
export function nextComparison(state: ComparisonState, event: ComparisonEvent): ComparisonState | undefined {
  if (comparisonKinds[state.kind][event.kind] === undefined) return undefined;
  switch (event.kind) {
    case 'begin':
      return { kind: 'loading', name: event.name, progress: event.progress };
    case 'end':
      return { kind: 'none' };
    default:
      if (state.kind === 'loading') return nextLoading(state, event);
      return state.kind === 'ready' ? nextReady(state, event) : undefined;
  }
}

type Loading = Extract<ComparisonState, { kind: 'loading' }>;
type Ready = Extract<ComparisonState, { kind: 'ready' }>;

function nextLoading(state: Loading, event: ComparisonEvent): ComparisonState | undefined {
  const { name } = state;
  switch (event.kind) {
    case 'progress':
      return { ...state, progress: event.progress };
    case 'fail':
      return { kind: 'failed', name, fault: event.fault };
    case 'present': {
      const { info, viewer, links } = event;
      return { kind: 'ready', name, info, viewer, links, mode: 'beside', difference: { kind: 'unknown' } };
    }
    default:
      return undefined;
  }
}

function nextReady(state: Ready, event: ComparisonEvent): ComparisonState | undefined {
  if (differenceKinds[state.difference.kind][event.kind] === undefined) return undefined;
  switch (event.kind) {
    case 'look':
      return event.mode === 'beside' || isVisible(state.difference) ? { ...state, mode: event.mode } : undefined;
    case 'link':
      return { ...state, links: { ...state.links, ...event.change } };
    case 'subtract':
      return isVisible(state.difference) ? undefined : { ...state, difference: { kind: 'running', progress: event.progress } };
    case 'progress':
      return { ...state, difference: { kind: 'running', progress: event.progress } };
    case 'refuse':
      return { ...state, difference: { kind: 'refused', why: event.why } };
    case 'know':
      return { ...state, difference: { kind: 'known', difference: event.difference, whyUnseen: event.whyUnseen } };
    default:
      return undefined;
  }
}

/** Whether the difference can be shown as a volume, not only as numbers. */
function isVisible(difference: DifferenceState): boolean {
  return difference.kind === 'known' && difference.whyUnseen === undefined;
}
