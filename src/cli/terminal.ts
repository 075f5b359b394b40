import { Presets, SingleBar } from 'cli-progress';
import type { JobOptions, Progress } from '../core/shared/job.ts';
import type { TalkOptions } from './args.ts';
import { formatBytes, formatDuration, formatRate } from './text.ts';

/** Where a command's words go: results to stdout, everything else to stderr. */
export interface Terminal {
  /** For people, on stdout; not said with --json or --quiet. */
  say(text: string): void;
  /** For people, on stderr; not said with --quiet. */
  note(text: string): void;
  /** A fault, on stderr; always said. */
  fail(text: string): void;
  /** The one object of --json, on stdout. */
  result(object: object): void;
  /** Runs work with a progress bar on stderr, where that is a terminal. */
  withProgress<T>(label: string, signal: AbortSignal, work: (job: JobOptions) => Promise<T>): Promise<T>;
}

export function createTerminal({ json, quiet }: TalkOptions): Terminal {
  const hasBar = process.stderr.isTTY === true && !quiet;
  return {
    say: (text) => {
      if (!json && !quiet) process.stdout.write(`${text}\n`);
    },
    note: (text) => {
      if (!quiet) process.stderr.write(`${text}\n`);
    },
    fail: (text) => {
      process.stderr.write(`${text}\n`);
    },
    result: (object) => {
      if (json) process.stdout.write(`${JSON.stringify(object, null, 2)}\n`);
    },
    withProgress: async (label, signal, work) => {
      if (!hasBar) return work({ signal });
      const bar = startBar(label);
      try {
        return await work({ signal, onProgress: bar.show });
      } finally {
        bar.stop();
      }
    },
  };
}

function startBar(label: string): { show: (progress: Progress) => void; stop: () => void } {
  const startMs = performance.now();
  const bar = new SingleBar(
    {
      format: '{label}  {stage} {bar} {percentage} %  {amount}  {rate}  {left}',
      clearOnComplete: true,
      hideCursor: true,
      fps: 10,
    },
    Presets.shades_classic,
  );
  bar.start(1, 0, { label, stage: '', amount: '', rate: '', left: '' });
  return {
    show: ({ stage, done, total }) => {
      const elapsedMs = performance.now() - startMs;
      const bytesPerMs = done / Math.max(1, elapsedMs);
      const leftMs = total !== undefined && bytesPerMs > 0 ? (total - done) / bytesPerMs : undefined;
      bar.setTotal(Math.max(1, total ?? done));
      bar.update(Math.min(done, total ?? done), {
        stage,
        amount: total === undefined ? formatBytes(done) : `${formatBytes(done)} of ${formatBytes(total)}`,
        rate: formatRate(bytesPerMs * 1000),
        left: leftMs === undefined ? '' : `${formatDuration(leftMs)} left`,
      });
    },
    stop: () => bar.stop(),
  };
}
