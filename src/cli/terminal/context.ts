import type { Terminal } from './terminal.ts';

/** Everything that a command needs of its surroundings. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Fires on Ctrl-C, SIGTERM and when the terminal is closed. */
  readonly signal: AbortSignal;
}
