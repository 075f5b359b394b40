import { spawn } from 'node:child_process';
import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Spread, spreadOf } from '../../core/bench/harness/statistics.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { throwIfAborted } from '../../core/shared/job.ts';

/** A program's arguments and standard streams. */
export interface Call {
  readonly args: readonly string[];
  /** Files to use as standard input and standard output. */
  readonly from?: string;
  readonly to?: string;
  /** The file, or folder of files, that it writes. */
  readonly output?: string;
}

/** The cost of one run of a program. */
export interface ProgramRun {
  /** Includes the sync of `Call.output` to the disk, because Stria syncs what it writes and most programs do not. */
  readonly wallMs: number;
  /** User and system time of the program and its children. Undefined without a POSIX shell. */
  readonly processorMs: number | undefined;
  /** Largest resident memory observed. Only Linux reports it, and a program may end before it is sampled. */
  readonly peakBytes: number | undefined;
}

/** Several runs of one program. */
export interface ProgramRuns {
  readonly wallMs: Spread;
  readonly processorMs: Spread | undefined;
  readonly peakBytes: number | undefined;
}

export interface Limits {
  readonly signal: AbortSignal;
  /** Time limit of a run in one direction. */
  readonly limitMs: number;
  /** How often a program is measured at most. */
  readonly mostRuns: number;
}

/** A program that takes this long is run once, without a warm-up. */
const onceMs = 5000;
/** Measuring stops after this many milliseconds and at least this many runs. */
const enoughMs = 2000;
const leastRuns = 3;
/** How long a program that is to end may take to do so before it is killed. */
const graceMs = 1000;
/** The interval at which a running program's memory is sampled. */
const lookMs = 5;

/**
 * Runs the program of `call` repeatedly; quick programs once more, unmeasured, to warm up the file cache.
 * @returns undefined if a run took longer than `limitMs` and was ended: its output is not complete
 */
export async function repeatProgram(
  command: string,
  call: Call,
  { signal, limitMs, mostRuns }: Limits,
): Promise<ProgramRuns | undefined> {
  const first = await runProgram(command, call, signal, limitMs);
  if (!first || first.wallMs >= onceMs) return first && spreadRuns([first]);
  const runs: ProgramRun[] = [];
  const begin = performance.now();
  while (runs.length < mostRuns && (runs.length < leastRuns || performance.now() - begin < enoughMs)) {
    throwIfAborted(signal);
    const run = await runProgram(command, call, signal, limitMs);
    if (!run) return undefined;
    runs.push(run);
  }
  return spreadRuns(runs);
}

function spreadRuns(runs: readonly ProgramRun[]): ProgramRuns {
  const processor = runs.flatMap(({ processorMs }) => processorMs ?? []);
  const peaks = runs.flatMap(({ peakBytes }) => peakBytes ?? []);
  return {
    wallMs: spreadOf(runs.map(({ wallMs }) => wallMs)),
    processorMs: processor.length > 0 ? spreadOf(processor) : undefined,
    peakBytes: peaks.length > 0 ? Math.max(...peaks) : undefined,
  };
}

/**
 * Runs a program to its end, with its streams redirected to files as with < and > in a shell.
 * @returns undefined if it took longer than `limitMs`, and was ended
 * @throws StriaError `unsupported`, with what the program wrote to stderr
 */
export async function runProgram(
  command: string,
  { args, from, to, output }: Call,
  signal: AbortSignal,
  limitMs?: number,
): Promise<ProgramRun | undefined> {
  const input = from === undefined ? undefined : await open(from, 'r');
  const target = to === undefined ? undefined : await open(to, 'w');
  try {
    const run = await spawnMeasured(command, args, { input, output: target, signal, limitMs });
    if (!run || output === undefined) return run;
    const begin = performance.now();
    await syncAll(output);
    return { ...run, wallMs: run.wallMs + performance.now() - begin };
  } finally {
    await Promise.all([input?.close(), target?.close()]);
  }
}

/** Syncs a file, or the files of a folder, to the disk. */
async function syncAll(path: string): Promise<void> {
  const isFolder = (await stat(path)).isDirectory();
  const files = isFolder ? (await readdir(path)).map((name) => join(path, name)) : [path];
  for (const file of files) {
    // Only Windows needs write access for that. A copy of a read-only file is read-only.
    const handle = await open(file, process.platform === 'win32' ? 'r+' : 'r');
    await handle.sync().finally(() => handle.close());
  }
}

/** The shell runs the program and then prints the times of its children with POSIX's `times`. */
const timed = '"$@"; code=$?; times >&2; exit $code';

interface Surroundings {
  readonly input: FileHandle | undefined;
  readonly output: FileHandle | undefined;
  readonly signal: AbortSignal;
  readonly limitMs: number | undefined;
}

async function spawnMeasured(
  command: string,
  args: readonly string[],
  { input, output, signal, limitMs }: Surroundings,
): Promise<ProgramRun | undefined> {
  const hasShell = process.platform !== 'win32';
  const [program, words] = hasShell ? ['/bin/sh', ['-c', timed, 'sh', command, ...args]] : [command, [...args]];
  const begin = performance.now();
  const child = spawn(program, words, {
    stdio: [input?.fd ?? 'ignore', output?.fd ?? 'ignore', 'pipe'],
    // A separate process group, so that an abort ends the program and not only the shell.
    detached: hasShell,
  });
  const send = (name: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    if (!hasShell) {
      child.kill(name);
      return;
    }
    try {
      process.kill(-child.pid, name);
    } catch {
      // It has just ended.
    }
  };
  let killTimer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    send('SIGTERM');
    // A limit and an abort may both stop it.
    killTimer ??= setTimeout(() => {
      send('SIGKILL');
      // A child in a group of its own may keep the other end open.
      child.stderr?.destroy();
    }, graceMs);
  };
  signal.addEventListener('abort', stop, { once: true });
  let isLate = false;
  const end = () => {
    isLate = true;
    stop();
  };
  const timer = limitMs === undefined ? undefined : setTimeout(end, limitMs);
  let peakBytes = 0;
  let isRunning = true;
  const watch = async (pid: number): Promise<void> => {
    while (isRunning) {
      peakBytes = Math.max(peakBytes, await memoryOf(pid));
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  };
  const watched = process.platform === 'linux' && child.pid !== undefined ? watch(child.pid) : undefined;
  try {
    let words = '';
    const code = await new Promise<number | null>((resolve, reject) => {
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        words += text;
      });
      child.once('error', reject);
      child.once('close', resolve);
    });
    const wallMs = performance.now() - begin;
    throwIfAborted(signal);
    if (isLate) return undefined;
    if (code !== 0) throw new StriaError('unsupported', failureWords(command, args, code, words));
    return { wallMs, processorMs: hasShell ? timesOf(words) : undefined, peakBytes: peakBytes > 0 ? peakBytes : undefined };
  } finally {
    isRunning = false;
    clearTimeout(timer);
    clearTimeout(killTimer);
    signal.removeEventListener('abort', stop);
    await watched;
  }
}

/** Of Stria itself, the line with its fault is enough. */
function failureWords(command: string, args: readonly string[], code: number | null, words: string): string {
  const own = /^stria: (.*)$/m.exec(words)?.[1];
  if (command !== process.execPath || own === undefined)
    return `${command} ${args.join(' ')} exited with ${code}: ${words.trim()}`;
  return `\`stria ${args[1]}\` failed: ${own}`;
}

/** Milliseconds from the last line of `times`: user and system time of the children, such as `0m1.25s 0m0.10s`. */
export function timesOf(words: string): number | undefined {
  const last = words.trimEnd().split('\n').at(-1) ?? '';
  const parts = [...last.matchAll(/(\d+)m([\d.]+)s/g)];
  if (parts.length !== 2) return undefined;
  return 1000 * parts.reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
}

/** The peak resident memory among a process's children, in bytes; 0 if there are none. */
async function memoryOf(pid: number): Promise<number> {
  try {
    const tasks = await readdir(`/proc/${pid}/task`);
    const lists = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')));
    const children = lists.join(' ').split(' ').filter(Boolean).map(Number);
    const peaks = await Promise.all(
      children.map(async (child) => {
        const status = await readFile(`/proc/${child}/status`, 'utf8');
        const own = 1024 * Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
        return Math.max(own, await memoryOf(child));
      }),
    );
    return Math.max(0, ...peaks);
  } catch {
    // It has just ended.
    return 0;
  }
}

/** Whether a program can be started. */
export function isInstalled(command: string, flag = '--version'): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, [flag], { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
