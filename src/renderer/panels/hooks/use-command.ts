import type { App } from '../../app/app.ts';
import { type Command, tipOf, wordsOf } from '../../app/command.ts';
import { showShortcut } from '../../app/shortcuts.ts';
import { useApp, useAppState } from './use-app.ts';

/** A command as a control shows it. */
export interface ShownCommand {
  /** The label of a text button. */
  readonly words: string;
  /** The tooltip of an icon button. */
  readonly tip: string;
  /** The shortcut as shown on this platform: `⌘O`. */
  readonly shortcut: string | undefined;
  readonly isEnabled: boolean;
  run(): void;
}

/** The command with this id, in its current state. */
export function useCommand(id: string): ShownCommand {
  const app = useApp();
  const command = commandOf(app, id);
  const words = useAppState((state) => wordsOf(command, state));
  const tip = useAppState((state) => tipOf(command, state));
  const isEnabled = useAppState((state) => command.enabled(state));
  return { words, tip, isEnabled, shortcut: shownShortcut(app, command), run: () => app.runCommand(id) };
}

/** A command's entry in a row or menu of several commands. */
export function choiceOf(
  app: App,
  id: string,
): { readonly label: string; readonly words: string; readonly shortcut: string | undefined } {
  const command = commandOf(app, id);
  return { label: command.label, words: wordsOf(command, app.store.getState()), shortcut: shownShortcut(app, command) };
}

function commandOf(app: App, id: string): Command {
  const command = app.commands.find((candidate) => candidate.id === id);
  if (!command) throw new Error(`no command is called ${id}`);
  return command;
}

function shownShortcut(app: App, { shortcut }: Command): string | undefined {
  return shortcut && showShortcut(shortcut, app.isMac);
}
