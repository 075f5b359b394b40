import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import {
  type BenchCase,
  type BenchGap,
  type BenchMachine,
  type BenchRequest,
  type BenchResult,
  benchSchema,
} from '../../core/bench/harness/result.ts';
import type { SampleKind, SampleType } from '../../core/samples/sample-kinds.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { throwIfAborted } from '../../core/shared/job.ts';
import { systemFault } from '../../node/system-faults.ts';
import type { BenchCommand } from '../arguments/parsed-command.ts';
import type { CommandContext } from '../terminal/context.ts';
import { isInstalled, type Limits, type ProgramRuns, repeatProgram, runProgram } from './run-program.ts';
import { folderBytes, hasPictureSlices, sameSlices, writeSlices } from './slices.ts';
import { otherTools, programOf, striaTools, type Tool, wantedPrograms } from './tools.ts';

const samples: readonly SampleKind[] = ['potential', 'phantom'];

/** One input, as a file and, if its slices are pictures, as a folder of slices. */
interface Input {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly slices: string | undefined;
}

export interface FilesBench {
  /** Options of `compress` that choose the GPU; undefined if there is none to measure. */
  readonly gpu: readonly string[] | undefined;
  readonly stria: string;
  readonly machine: BenchMachine;
  /** Called after each program with the results so far; `gaps` names the missing ones. */
  save(result: BenchResult): Promise<void>;
}

/**
 * Suite `files`: whole files through whole programs, from file to file, as a user would run them. Gzipped inputs are unpacked
 * first, so that every program gets the same bytes.
 */
export async function benchFiles(
  { inputs, size: wanted, type, codecs, repetitions, tools, limitSeconds }: BenchCommand,
  { gpu, stria, machine, save }: FilesBench,
  { terminal, signal }: CommandContext,
): Promise<BenchResult> {
  const isWanted = wantedPrograms(tools);
  const began = new Date();
  const size = wanted ?? 256;
  const codec = codecs.length === 1 ? (codecs[0] as string) : 'auto';
  const request: BenchRequest = { suite: 'files', size, type, codecs: [codec], repetitions };
  const folder = await mkdtemp(join(tmpdir(), 'stria-bench-'));
  const cases: BenchCase[] = [];
  const gaps: BenchGap[] = [];
  const leaveOut = (subject: string, { method }: Pick<Tool, 'method'>, reason: string): void => {
    gaps.push({ table: 'files', subject, method, reason });
  };
  let unmeasured: BenchGap[] = [];
  const result = (): BenchResult => ({
    schema: benchSchema,
    suite: 'files',
    stria,
    date: began.toISOString(),
    durationMs: Date.now() - began.getTime(),
    request,
    machine,
    cases,
    gaps: [...gaps, ...unmeasured],
  });
  try {
    const chosen: Tool[] = [];
    for (const tool of [...striaTools(gpu, availableParallelism(), codec), ...otherTools]) {
      const program = programOf(tool);
      if (!isWanted(program)) leaveOut('every file', tool, 'it is not among --tools');
      else if (program !== 'stria' && !(await isInstalled(program, tool.versionFlag)))
        leaveOut('every file', tool, `${program} is not installed, or does not start`);
      else chosen.push(tool);
    }
    if (!gpu) leaveOut('every file', { method: 'Stria, GPU' }, 'no hardware GPU was asked for');
    const files = inputs.length > 0 ? inputs : await makeSamples(folder, size, type, signal);
    unmeasured = files.flatMap((file) =>
      chosen.map(({ method }) => ({ table: 'files', subject: nameOf(file), method, reason: 'the run ended before it' })),
    );
    const hasCoders = chosen.some(({ takes }) => takes === 'slices');
    for (const file of files) {
      const input = await prepare(file, folder, hasCoders, signal);
      for (const tool of chosen) {
        if (tool.takes === 'slices' && input.slices === undefined) {
          unmeasured.shift();
          leaveOut(input.name, tool, 'its slices are not gray pictures');
          continue;
        }
        terminal.note(`  ${input.name}, ${tool.method}`);
        const work = await mkdtemp(join(folder, 'work-'));
        const limits = { signal, limitMs: 1000 * limitSeconds, mostRuns: repetitions };
        const measured = await benchTool(tool, input, work, limits).finally(() => rm(work, { recursive: true }));
        unmeasured.shift();
        if (measured) cases.push(...measured);
        else leaveOut(input.name, tool, `it did not finish in ${limitSeconds} s`);
        await save(result());
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return result();
}

/** @param work an empty folder @returns undefined if the tool takes too long in either direction */
async function benchTool(tool: Tool, input: Input, work: string, limits: Limits): Promise<BenchCase[] | undefined> {
  const isSlices = tool.takes === 'slices';
  const source = isSlices ? (input.slices as string) : input.file;
  // Stria needs its own ending; the other programs accept any.
  const packed = join(work, isSlices ? 'packed' : 'packed.stria');
  const restored = join(work, 'restored');
  if (isSlices) await Promise.all([mkdir(packed), mkdir(restored)]);
  const compress = await repeatProgram(tool.command, { ...tool.compress(source, packed), output: packed }, limits);
  if (!compress) return undefined;
  const outputBytes = isSlices ? await folderBytes(packed) : (await stat(packed)).size;
  const back = { ...tool.decompress(packed, restored), output: restored };
  const decompress = await repeatProgram(tool.command, back, limits);
  if (!decompress) return undefined;
  const isSame = isSlices ? await sameSlices(source, restored) : await sameFile(source, restored);
  if (!isSame) {
    const advice = 'give files that it restores, such as NIfTI or NRRD';
    throw new StriaError('unsupported', `${tool.method} does not restore ${input.name} byte for byte; ${advice}`);
  }
  const common = { tool, inputBytes: input.bytes, outputBytes, name: input.name };
  return [fileCase('compress', compress, common), fileCase('decompress', decompress, common)];
}

function fileCase(
  operation: 'compress' | 'decompress',
  { wallMs, processorMs, peakBytes }: ProgramRuns,
  {
    tool,
    inputBytes,
    outputBytes,
    name,
  }: { readonly tool: Tool; readonly inputBytes: number; readonly outputBytes: number; readonly name: string },
): BenchCase {
  return {
    table: 'files',
    subject: name,
    x: name,
    method: tool.method,
    operation,
    processor: tool.processor,
    inputBytes,
    outputBytes,
    movedBytes: inputBytes + outputBytes,
    movedBytesAre: 'least',
    gpuMs: undefined,
    wallMs,
    processorMs,
    peakBytes,
    stages: {},
    copyMs: undefined,
    timesCopy: undefined,
    verified: 'decompressed and compared byte by byte',
    note: 'whole programs, from file to file, including their start and the sync of their output to the disk',
  };
}

/** The file's name when it is unpacked. */
function nameOf(file: string): string {
  return basename(file, '.gz');
}

/** Unpacks a gzipped file, and writes the slices if a picture coder needs them. */
async function prepare(file: string, folder: string, wantsSlices: boolean, signal: AbortSignal): Promise<Input> {
  const name = nameOf(file);
  const isGzipped = file.endsWith('.gz');
  const plain = isGzipped ? join(folder, name) : file;
  if (isGzipped) {
    await pipeline(createReadStream(file), createGunzip(), createWriteStream(plain), { signal }).catch((error: unknown) => {
      throw systemFault('not-readable', file, error);
    });
  }
  const { size: bytes } = await stat(plain).catch((error: unknown) => {
    throw systemFault('not-readable', file, error);
  });
  return { name, file: plain, bytes, slices: wantsSlices ? await slicesOf(plain, folder, signal) : undefined };
}

/** Writes the slices of a volume as a folder of pictures, by way of its raw voxels. Undefined if slices of its type are not pictures. */
async function slicesOf(file: string, folder: string, signal: AbortSignal): Promise<string | undefined> {
  const work = await mkdtemp(join(folder, 'slices-'));
  const at = (name: string) => join(work, name);
  const [stria] = striaTools(undefined, 1, 'raw') as [Tool];
  await runProgram(stria.command, stria.compress(file, at('a.stria')), signal);
  const script = process.argv[1] as string;
  await runProgram(stria.command, { args: [script, 'info', at('a.stria'), '--json'], to: at('info.json') }, signal);
  const { volume } = JSON.parse(await readFile(at('info.json'), 'utf8')) as {
    volume: { dims: readonly number[]; type: string };
  };
  if (!hasPictureSlices(volume)) return undefined;
  const raw = ['decompress', at('a.stria'), '--to', 'raw', '-o', at('a.raw'), '--quiet', '--device', 'cpu'];
  await runProgram(stria.command, { args: [script, ...raw] }, signal);
  const slices = at('pgm');
  await writeSlices({ path: at('a.raw'), ...volume }, slices);
  await Promise.all([rm(at('a.raw')), rm(at('a.stria'))]);
  return slices;
}

async function makeSamples(folder: string, size: number, type: SampleType, signal: AbortSignal): Promise<readonly string[]> {
  const files: string[] = [];
  for (const kind of samples) {
    throwIfAborted(signal);
    const path = join(folder, `${kind}-${size}.nii`);
    const args = [process.argv[1] as string, 'sample', kind, '--size', String(size), '--type', type, '-o', path, '--quiet'];
    await runProgram(process.execPath, { args }, signal);
    files.push(path);
  }
  return files;
}

/** Compares two files piece by piece: they may be larger than what fits into one buffer. */
async function sameFile(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([stat(a), stat(b)]);
  // Pictures are restored in a folder.
  if (one.size !== other.size || !other.isFile()) return false;
  const options = { highWaterMark: 1 << 22 };
  const second = createReadStream(b, options)[Symbol.asyncIterator]();
  for await (const piece of createReadStream(a, options)) {
    const next = await second.next();
    if (next.done || !(piece as Buffer).equals(next.value as Buffer)) return false;
  }
  return true;
}
