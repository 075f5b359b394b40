import type { FaultData } from '../../../core/shared/errors.ts';
import type { PictureWork } from '../state/output-state.ts';
import type { Transitions } from '../state/transitions.ts';

/** What can happen to the picture of the dialog. */
export type PictureEvent =
  | { readonly kind: 'begin' }
  /** The picture is saved or copied, or the user backed out. */
  | { readonly kind: 'finish' }
  | { readonly kind: 'fail'; readonly fault: FaultData }
  | { readonly kind: 'cancel' }
  /** The user chooses another size, view or background, which clears the fault. */
  | { readonly kind: 'choose' };

export const pictureKinds: Transitions<PictureWork['kind'], PictureEvent['kind']> = {
  idle: { begin: 'working' },
  working: { finish: 'idle', fail: 'failed', cancel: 'idle' },
  failed: { begin: 'working', cancel: 'idle', choose: 'idle' },
};

/** The state of the picture after an event. Undefined if the event is ignored in this state. */
export function nextPicture(state: PictureWork, event: PictureEvent): PictureWork | undefined {
  const kind = pictureKinds[state.kind][event.kind];
  if (kind === undefined) return undefined;
  return event.kind === 'fail' ? { kind: 'failed', fault: event.fault } : { kind: kind === 'working' ? 'working' : 'idle' };
}
