import type { Command } from './command.ts';
import { isOfControl, isTyping, matchesShortcut } from './shortcuts.ts';
import { isAsking } from './state/questions.ts';
import type { AppStore } from './state/store.ts';

/** The parts of the app that shortcuts need. */
export interface KeyTarget {
  readonly store: AppStore;
  readonly commands: readonly Command[];
  readonly isMac: boolean;
  readonly measuring: { backOut(): boolean };
  showPage(page: 'viewer'): void;
}

/** Runs the command of a pressed shortcut, unless the key belongs to the focused control. Escape goes back one step. */
export function runKey(app: KeyTarget, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const state = app.store.getState();
  const command = app.commands.find(({ shortcut }) => shortcut && matchesShortcut(shortcut, event, app.isMac));
  if (!command) {
    if (event.key !== 'Escape') return;
    if (state.overlay !== 'none') app.store.setState({ overlay: 'none' });
    else if (state.page === 'lab') app.showPage('viewer');
    else if (isTyping(event.target)) return;
    else if (app.measuring.backOut()) event.preventDefault();
    else if (state.layers.aligning) app.store.setState({ layers: { ...state.layers, aligning: false } });
    return;
  }
  const isPlain = !event.ctrlKey && !event.metaKey;
  const isOfFocus = isPlain ? isTyping(event.target) || isOfControl(event.target, event.key) : isOfText(command, event.target);
  const isCovered = state.overlay !== 'none' && command.id !== 'palette';
  if (isOfFocus || isCovered) return;
  event.preventDefault();
  tryCommand(app, command);
}

/** Runs the command of a shortcut or a menu item, or says why that is not possible. */
export function tryCommand({ store }: Pick<KeyTarget, 'store'>, command: Command): void {
  const state = store.getState();
  // Opened files wait for the answer. Other commands could take the question's place.
  if (isAsking(state) && command.id !== 'open' && command.id !== 'open-folder')
    store.setState({ notice: state.overlay === 'address' ? 'Close the dialog first' : 'Answer the question first' });
  else if (command.enabled(state)) command.run();
  else if (command.whyNot) store.setState({ notice: command.whyNot(state) });
}

/** Whether the command belongs to a text field: undo and redo of typing. */
export function isOfText(command: Command, target: EventTarget | null): boolean {
  return (command.id === 'undo' || command.id === 'redo') && isTyping(target);
}
