import { spawn } from 'node:child_process';
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type CaseFacts, caseOf } from '../../core/bench/harness/context.ts';
import { timeWall } from '../../core/bench/harness/meter.ts';
import {
  type BenchCase,
  type BenchGap,
  type BenchRequest,
  type BenchResult,
  benchSchema,
  defaultRepetitions,
} from '../../core/bench/harness/result.ts';
import type { BenchRunner } from '../../core/bench/run.ts';
import type { SampleKind } from '../../core/samples/sample-kinds.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { throwIfAborted } from '../../core/shared/job.ts';
import { systemFault } from '../../node/system-faults.ts';
import type { BenchCommand } from '../arguments/args.ts';
import type { CommandContext } from '../terminal/context.ts';

/** A program that compresses files, and its arguments for each direction. */
interface Tool {
  readonly method: string;
  readonly command: string;
  compress(input: string, output: string): Call;
  decompress(input: string, output: string): Call;
}
interface Call {
  readonly args: readonly string[];
  /** Files to use as standard input and standard output. */
  readonly from?: string;
  readonly to?: string;
}

/** Programs that work as filters, from standard input to standard output. */
const filters = [
  ['gzip', '-6'],
  ['pigz', '-6'],
  ['zstd', '-3'],
  ['zstd', '-19'],
  ['xz', '-6'],
] as const;
const samples: readonly SampleKind[] = ['potential', 'phantom'];

/** Suite `files`: whole files through whole programs, from file to file, as a user would run them. */
export async function benchFiles(
  { inputs, size: wanted, type, codecs, device, gpuLimits }: BenchCommand,
  { stria, ...machine }: BenchRunner,
  { terminal, signal }: CommandContext,
): Promise<BenchResult> {
  const began = new Date();
  const size = wanted ?? 256;
  const request: BenchRequest = { suite: 'files', size, type, codecs, repetitions: defaultRepetitions };
  const folder = await mkdtemp(join(tmpdir(), 'stria-bench-'));
  const cases: BenchCase[] = [];
  const gaps: BenchGap[] = [];
  try {
    const own = striaTool(['--device', device, '--gpu-limits', gpuLimits]);
    const files = inputs.length > 0 ? inputs : await makeSamples(own.command, folder, size, type, signal);
    const tools: Tool[] = [own];
    for (const [command, level] of filters) {
      if (await isInstalled(command)) tools.push(filterTool(command, level));
      else
        gaps.push({
          table: 'files',
          subject: 'every file',
          method: `${command} ${level}`,
          reason: `${command} is not installed`,
        });
    }
    for (const file of files) {
      for (const tool of tools) {
        terminal.note(`  ${basename(file)}, ${tool.method}`);
        cases.push(...(await benchTool(tool, file, folder, signal)));
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return {
    schema: benchSchema,
    suite: 'files',
    stria,
    date: began.toISOString(),
    durationMs: Date.now() - began.getTime(),
    request,
    machine: { adapter: undefined, software: false, timestamps: false, ...machine },
    cases,
    gaps,
  };
}

async function benchTool(tool: Tool, file: string, folder: string, signal: AbortSignal): Promise<BenchCase[]> {
  const packed = join(folder, `${basename(file)}.packed.stria`);
  const restored = join(folder, `${basename(file)}.restored`);
  const { size: inputBytes } = await stat(file).catch((error: unknown) => {
    throw systemFault('not-readable', file, error);
  });
  const compress = await timeWall(() => run(tool.command, tool.compress(file, packed), signal), defaultRepetitions, signal);
  const { size: outputBytes } = await stat(packed);
  const decompress = await timeWall(
    () => run(tool.command, tool.decompress(packed, restored), signal),
    defaultRepetitions,
    signal,
  );
  const [source, back] = await Promise.all([readFile(file), readFile(restored)]);
  if (!source.equals(back)) throw new StriaError('internal', `${tool.method} does not restore ${file}`);
  const facts: Omit<CaseFacts, 'operation'> = {
    table: 'files',
    subject: basename(file),
    x: basename(file),
    method: tool.method,
    processor: 'cpu',
    inputBytes,
    outputBytes,
    movedBytes: inputBytes + outputBytes,
    movedBytesAre: 'least',
    verified: 'decompressed and compared byte by byte',
    note: 'whole programs, from file to file, including their start',
  };
  return [
    caseOf({ ...facts, operation: 'compress' }, compress, undefined),
    caseOf({ ...facts, operation: 'decompress' }, decompress, undefined),
  ];
}

/** This command itself, started afresh for each file. */
function striaTool(options: readonly string[]): Tool {
  const script = process.argv[1];
  if (script === undefined) throw new StriaError('internal', 'the command does not know the path of its own file');
  return {
    method: 'stria',
    command: process.execPath,
    compress: (input, output) => ({ args: [script, 'compress', input, '-o', output, '--quiet', ...options] }),
    decompress: (input, output) => ({ args: [script, 'decompress', input, '-o', output, '--quiet', ...options] }),
  };
}

function filterTool(command: string, level: string): Tool {
  return {
    method: `${command} ${level}`,
    command,
    compress: (input, output) => ({ args: [level, '-c'], from: input, to: output }),
    decompress: (input, output) => ({ args: ['-d', '-c'], from: input, to: output }),
  };
}

async function makeSamples(
  node: string,
  folder: string,
  size: number,
  type: 'u8' | 'u16',
  signal: AbortSignal,
): Promise<readonly string[]> {
  const files: string[] = [];
  for (const kind of samples) {
    throwIfAborted(signal);
    const path = join(folder, `${kind}-${size}.nii`);
    const args = [process.argv[1] as string, 'sample', kind, '--size', String(size), '--type', type, '-o', path, '--quiet'];
    await run(node, { args }, signal);
    files.push(path);
  }
  return files;
}

async function isInstalled(command: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, ['--version'], { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}

/**
 * Runs a program to its end, with its streams redirected to files as with < and > in a shell.
 * @throws StriaError `internal`, with what the program wrote to stderr
 */
async function run(command: string, { args, from, to }: Call, signal: AbortSignal): Promise<void> {
  const input = from === undefined ? undefined : await open(from, 'r');
  const output = to === undefined ? undefined : await open(to, 'w');
  try {
    await new Promise<void>((resolve, reject) => {
      const child = spawn(command, args, { stdio: [input?.fd ?? 'ignore', output?.fd ?? 'ignore', 'pipe'], signal });
      let words = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        words += text;
      });
      child.once('error', reject);
      child.once('close', (code) => {
        if (code === 0) resolve();
        else reject(new StriaError('internal', `${command} ${args.join(' ')} exited with ${code}: ${words.trim()}`));
      });
    });
  } finally {
    await Promise.all([input?.close(), output?.close()]);
  }
}
