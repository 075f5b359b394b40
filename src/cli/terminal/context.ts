import type { Terminal } from './terminal.ts';

/** What a command needs from its environment. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Fires on Ctrl-C, on SIGTERM and when the terminal closes. */
  readonly signal: AbortSignal;
}
