import { displayJson, displayLines, displayText } from '../../core/shared/display-text.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import type { TalkOptions } from '../arguments/parsed-command.ts';

/**
 * Prints a command's text: results to stdout, everything else to stderr. Text from files is escaped here, so that it cannot
 * control the terminal.
 */
export interface Terminal {
  /** Text for people, on stdout (on stderr if the output itself goes to stdout). Silent with --json or --quiet. */
  say(text: string): void;
  /** Text for people, on stderr. Silent with --quiet. */
  note(text: string): void;
  /** A fault, on stderr. Always printed. */
  fail(text: string): void;
  /** Asks a yes-or-no question on the terminal. Undefined if there is no one to ask. @throws AbortError */
  ask(question: string, signal: AbortSignal): Promise<boolean | undefined>;
  /** Prints the single object of --json on stdout. */
  result(object: object): void;
  /** Runs work with a progress bar on stderr, if that is a terminal. */
  withProgress<T>(label: string, signal: AbortSignal, work: (job: JobOptions) => Promise<T>): Promise<T>;
}

/** @param outputOnStdout the command writes a file to stdout, so nothing else may go there */
export function createTerminal({ json, quiet }: TalkOptions, outputOnStdout = false): Terminal {
  const hasBar = process.stderr.isTTY === true && !quiet;
  return {
    say: (text) => {
      if (!json && !quiet) (outputOnStdout ? process.stderr : process.stdout).write(`${displayLines(text)}\n`);
    },
    note: (text) => {
      if (!quiet) process.stderr.write(`${displayLines(text)}\n`);
    },
    fail: (text) => {
      process.stderr.write(`${displayLines(text)}\n`);
    },
    ask: async (question, signal) => {
      if (!process.stdin.isTTY || !process.stderr.isTTY || quiet) return undefined;
      const { createInterface } = await import('node:readline/promises');
      // After a Ctrl-D at an earlier question the input has ended, and would never say so again.
      if (process.stdin.readableEnded) return false;
      // Not raw mode, so that Ctrl-C still raises a signal.
      const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
      try {
        // Without an answer (Ctrl-D), `question` would never resolve, and the process would end in the middle of the command.
        const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
        const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), ended]);
        return /^y(es)?$/i.test(answer.trim());
      } finally {
        lines.close();
      }
    },
    result: (object) => {
      if (json) process.stdout.write(`${displayJson(JSON.stringify(object, null, 2))}\n`);
    },
    withProgress: async (label, signal, work) => {
      if (!hasBar) return work({ signal });
      const { startBar } = await import('./progress-bar.ts');
      const bar = startBar(displayText(label));
      try {
        return await work({ signal, onProgress: bar.show });
      } finally {
        bar.stop();
      }
    },
  };
}
