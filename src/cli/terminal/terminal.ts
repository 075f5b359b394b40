import { displayJson, displayLines, displayText } from '../../core/shared/display-text.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import type { TalkOptions } from '../arguments/args.ts';

/**
 * Where a command's words go: results to stdout, everything else to stderr. What comes from files is made visible here, so that it
 * cannot steer the terminal.
 */
export interface Terminal {
  /** For people, on stdout (on stderr where the output itself goes to stdout); not said with --json or --quiet. */
  say(text: string): void;
  /** For people, on stderr; not said with --quiet. */
  note(text: string): void;
  /** A fault, on stderr; always said. */
  fail(text: string): void;
  /** A question to the person, on the terminal: yes or no. Undefined where nobody can be asked. @throws AbortError */
  ask(question: string, signal: AbortSignal): Promise<boolean | undefined>;
  /** The one object of --json, on stdout. */
  result(object: object): void;
  /** Runs work with a progress bar on stderr, where that is a terminal. */
  withProgress<T>(label: string, signal: AbortSignal, work: (job: JobOptions) => Promise<T>): Promise<T>;
}

/** @param outputOnStdout the command writes a file to stdout, and nothing else may go there */
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
      // The terminal keeps its ways, so that Ctrl-C is a signal as ever.
      const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
      try {
        return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `, { signal })).trim());
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
