import type { Terminal } from './terminal.ts';

/** Everything that a command needs of its surroundings. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Fires on Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
}
