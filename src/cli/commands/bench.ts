import { readFile, stat } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { basename } from 'node:path';
import { checkBenchResult } from '../../core/bench/check-result.ts';
import { type BenchComparison, compareResults } from '../../core/bench/compare.ts';
import type { BenchHost } from '../../core/bench/harness/context.ts';
import { type BenchCase, type BenchRequest, type BenchResult, medianMs } from '../../core/bench/harness/result.ts';
import { benchTables, type TableId, tableIds } from '../../core/bench/harness/tables.ts';
import { type BenchRunner, type GpuSuite, runGpuSuite } from '../../core/bench/run.ts';
import { type TuningReport, tuneGpu } from '../../core/bench/tune.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { makingThreads } from '../../core/left-out/left-out-levels.ts';
import { sampleKinds } from '../../core/samples/sample-kinds.ts';
import { inContext, StriaError } from '../../core/shared/errors.ts';
import { standardStream } from '../../core/shared/standard-streams.ts';
import { releaseNodeGpu } from '../../node/node-gpu.ts';
import { NodeFiles } from '../../node/node-source.ts';
import { createNodeTaskPool } from '../../node/node-task-pool.ts';
import { systemFault } from '../../node/system-faults.ts';
import type { BenchCommand } from '../arguments/parsed-command.ts';
import { openNodeCrew } from '../bench/bench-crew.ts';
import { benchFiles } from '../bench/bench-files.ts';
import { openBackend } from '../devices/device.ts';
import { findGpu } from '../devices/gpu-device.ts';
import { createNodeSink } from '../outputs/node-sink.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { formatBytes, formatCount, formatDuration, formatRatio, table } from '../terminal/text.ts';
import { version } from '../terminal/version.ts';
import { withVolume } from './with-volume.ts';

const sizes = { seeds: 512, codecs: 256, compress: 512, playback: 512, view: 512, bricks: 512, mesh: 512, files: 256 } as const;
const softwareSize = 64;

/** `stria bench`: runs a suite or compares two results. core/bench defines the measurements. */
export async function runBench(command: BenchCommand, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  if (command.task === 'compare') {
    const [a, b] = (await Promise.all(command.inputs.map(readResult))) as [BenchResult, BenchResult];
    const comparison = compareResults(a, b);
    terminal.result(comparison);
    terminal.say(comparisonText(comparison));
    return exitCodes.ok;
  }
  if (command.task === 'tune') {
    const report = await withGpu(command, context, (gpu) => tune(gpu, command, context));
    terminal.result(report);
    terminal.say(tuningText(report));
    await save(command, report);
    return exitCodes.ok;
  }
  const result = command.task === 'files' ? await runOnFiles(command, context) : await runOnGpu(command.task, command, context);
  terminal.result(result);
  terminal.say(resultText(result));
  await save(command, result);
  return exitCodes.ok;
}

/** Saves the results so far if the output is a file. A stream gets the whole result at the end. */
async function saveEarly(command: BenchCommand, result: object): Promise<void> {
  const { output } = command;
  if (output === undefined || output === standardStream) return;
  const existing = await stat(output).catch(() => undefined);
  if (existing?.isFile() ?? true) await save(command, result);
}

async function save({ output, inputs }: BenchCommand, result: object): Promise<void> {
  if (output === undefined) return;
  const sink = await createNodeSink(output, { overwrite: true, inputs });
  await sink.write(new TextEncoder().encode(`${JSON.stringify(result, null, 1)}\n`));
  await sink.close();
}

/** @throws StriaError `no-adapter` if the requested kind of GPU is missing */
async function withGpu<T>(command: BenchCommand, { terminal }: CommandContext, work: (gpu: Gpu) => Promise<T>): Promise<T> {
  const gpu = await findGpu(command);
  if (!gpu) {
    throw new StriaError(
      'no-adapter',
      'the benchmark needs a hardware GPU, and there is none; --device gpu also accepts a software one',
    );
  }
  try {
    terminal.note(`on GPU: ${gpu.name}`);
    return await work(gpu);
  } finally {
    gpu.destroy();
    releaseNodeGpu();
  }
}

function runOnGpu(suite: GpuSuite, command: BenchCommand, context: CommandContext): Promise<BenchResult> {
  const { terminal, signal } = context;
  return withGpu(command, context, async (gpu) => {
    const { type, codecs, repetitions } = command;
    const size = command.size ?? (gpu.isSoftware ? softwareSize : sizes[suite]);
    const samples = sampleKinds.filter((kind) => command.inputs.includes(kind));
    const some = samples.length > 0 ? { samples } : {};
    const request: BenchRequest = { suite, size, type, codecs, ...some, repetitions };
    const run = (host: Omit<BenchHost, 'openCrew'>, more: Partial<BenchRequest> = {}) =>
      runGpuSuite(
        suite,
        gpu,
        { openCrew: openNodeCrew, ...host },
        runner(),
        { ...request, ...more },
        {
          signal,
          onProgress: ({ stage }) => terminal.note(`  ${stage}`),
        },
      );
    const { scan } = command;
    if (scan !== undefined) {
      const name = basename(scan);
      const { backend, close } = await openBackend({ ...command, device: 'cpu' });
      try {
        return await withVolume(scan, {}, backend, { signal }, (volume) => run({ scan: { name, volume } }, { file: name }));
      } finally {
        await close();
      }
    }
    const files = new NodeFiles({ signal });
    try {
      const [path] = suite === 'bricks' ? command.inputs : [];
      if (path === undefined) return await run({});
      const pool = createNodeTaskPool(makingThreads(availableParallelism()));
      try {
        return await run({ file: { source: await files.open(path), pool } });
      } finally {
        await pool.destroy();
      }
    } finally {
      await files.close();
    }
  });
}

/** Looks for a GPU and frees it again for the programs that are measured. */
async function runOnFiles(command: BenchCommand, context: CommandContext): Promise<BenchResult> {
  const gpu = await findGpu(command);
  const { adapter } = gpu?.diagnosis ?? {};
  const software = gpu?.isSoftware ?? false;
  gpu?.destroy();
  if (gpu) releaseNodeGpu();
  const { gpuLimits, tuning } = command;
  const options = ['--device', 'gpu', '--gpu-limits', gpuLimits, ...(tuning === undefined ? [] : ['--tuning', tuning])];
  const { stria, ...machine } = runner();
  return benchFiles(
    command,
    {
      gpu: gpu && options,
      stria,
      machine: { adapter, software, timestamps: false, ...machine },
      save: (result) => saveEarly(command, result),
    },
    context,
  );
}

function tune(gpu: Gpu, { size }: BenchCommand, { terminal, signal }: CommandContext): Promise<TuningReport> {
  const ownSize = size ?? (gpu.isSoftware ? softwareSize : undefined);
  return tuneGpu(gpu, { size: ownSize, signal, onProgress: ({ stage }) => terminal.note(`  ${stage}`) });
}

/** One line per choice, with the time of each value. */
function tuningText({ choices, durationMs, software, size, timestamps }: TuningReport): string {
  const cells = choices.map(({ name, what, values, standard, chosen, medianMs }) => [
    name,
    what,
    String(standard),
    String(chosen),
    values.map((value, index) => `${value}: ${(medianMs[index] as number).toFixed(4)}`).join('  '),
  ]);
  const clock = timestamps ? 'by GPU timestamps' : 'by wall clock';
  return [
    table([['choice', 'what', 'standard', 'chosen', 'ms'], ...cells], ['left', 'left', 'right', 'right', 'left']),
    `Medians ${clock} on ${size}³ u8; ${formatDuration(durationMs)} in total.`,
    ...(software ? ['Measured on a software GPU; the times say nothing about a hardware GPU.'] : []),
  ].join('\n');
}

function runner(): BenchRunner {
  return {
    stria: version,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    threads: availableParallelism(),
    platform: `${process.platform} ${process.arch}`,
    runtime: `Node ${process.version}`,
  };
}

async function readResult(path: string): Promise<BenchResult> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw systemFault('not-readable', path, error);
  });
  try {
    return checkBenchResult(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw inContext(path, error);
    throw new StriaError('unsupported', `${path}: this is not a result that \`stria bench\` wrote, or only a part of one`, {
      cause: error,
    });
  }
}

function resultText(result: BenchResult): string {
  const { machine, cases, gaps, durationMs } = result;
  const gpu = machine.adapter ? `${machine.adapter.description || machine.adapter.device}; ` : '';
  const lines = [`${gpu}${machine.cpu}, ${machine.threads} threads; ${formatDuration(durationMs)} in total`];
  for (const id of tableIds) {
    const rows = cases.filter((found) => found.table === id);
    if (rows.length > 0) lines.push('', tableText(id, rows));
  }
  if (gaps.length > 0)
    lines.push('', 'Skipped:', ...gaps.map(({ subject, method, reason }) => `  ${method} on ${subject}: ${reason}`));
  return lines.join('\n');
}

function tableText(id: TableId, rows: readonly BenchCase[]): string {
  if (id === 'files') return filesText(rows);
  const head = ['on', 'by', '', 'bytes', 'median ms', 'min', 'p95', 'max', '× copy', 'wall ms', 'input per second'];
  const cells = rows.map((row) => {
    const { min, p95, max } = row.gpuMs ?? row.wallMs;
    const times = [medianMs(row), min, p95, max].map((ms) => ms.toFixed(ms < 100 ? 4 : 1));
    return [
      row.subject,
      row.method,
      row.operation,
      formatCount(row.outputBytes),
      ...times,
      row.timesCopy === undefined ? '' : row.timesCopy.toFixed(row.timesCopy < 100 ? 2 : 0),
      row.wallMs.median.toFixed(2),
      `${formatBytes(Math.round((1000 * row.inputBytes) / medianMs(row)))}/s`,
    ];
  });
  const right = Array.from({ length: 8 }, () => 'right' as const);
  const notes =
    id === 'playback' || id === 'view' || id === 'bricks' || id === 'mesh'
      ? rows.flatMap(({ method, note }) => (note ? [`${method}: ${note}`] : []))
      : [];
  return [benchTables[id].title, table([head, ...cells], ['left', 'left', 'left', ...right]), ...notes].join('\n');
}

/** Compares programs by size, wall time, processor time and memory. */
function filesText(rows: readonly BenchCase[]): string {
  const head = ['file', 'program', '', 'bytes', 'ratio', 'wall s', 'processor s', 'peak memory', 'input per second'];
  const seconds = (ms: number | undefined): string => (ms === undefined ? '–' : (ms / 1000).toFixed(ms < 10_000 ? 3 : 1));
  const cells = rows.map((row) => [
    row.subject,
    row.method,
    row.operation,
    formatCount(row.outputBytes),
    formatRatio(row.inputBytes / row.outputBytes),
    seconds(row.wallMs.median),
    seconds(row.processorMs?.median),
    row.peakBytes === undefined ? '–' : formatBytes(row.peakBytes),
    `${formatBytes(Math.round((1000 * row.inputBytes) / row.wallMs.median))}/s`,
  ]);
  const right = Array.from({ length: 6 }, () => 'right' as const);
  return [benchTables.files.title, table([head, ...cells], ['left', 'left', 'left', ...right])].join('\n');
}

function comparisonText({ rows, onlyA, onlyB, tolerance, differences }: BenchComparison): string {
  const percent = (ratio: number): string => `${ratio >= 1 ? '+' : '−'}${Math.abs(100 * (ratio - 1)).toFixed(1)} %`;
  const apart = rows.filter(({ agrees }) => !agrees);
  const lines = [
    ...differences.map((difference) => `note: ${difference}`),
    ...(['gpu', 'wall'] as const).flatMap((clock) => {
      const all = rows.filter((row) => row.clock === clock);
      const agree = all.filter(({ agrees }) => agrees);
      const name = clock === 'gpu' ? 'by GPU timestamps' : 'by wall clock';
      return all.length > 0 ? [`${agree.length} of ${all.length} medians ${name} agree within ${100 * tolerance} %.`] : [];
    }),
  ];
  if (apart.length > 0) {
    const cells = apart.map(({ key, clock, aMs, bMs, ratio }) => [key, clock, aMs.toFixed(4), bMs.toFixed(4), percent(ratio)]);
    lines.push(
      'The others differ:',
      table([['case', 'clock', 'A ms', 'B ms', 'B against A'], ...cells], ['left', 'left', 'right', 'right', 'right']),
    );
  }
  if (onlyA.length > 0) lines.push(`Only in A: ${onlyA.join('; ')}`);
  if (onlyB.length > 0) lines.push(`Only in B: ${onlyB.join('; ')}`);
  return lines.join('\n');
}
