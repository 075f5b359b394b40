import { basename, join } from 'node:path';
import type { Backend } from '../../core/chunks/backend.ts';
import { ContainerReader } from '../../core/format/container-reader.ts';
import { isContainer } from '../../core/format/container-start.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { isFileTree } from '../../core/io/common/file-tree.ts';
import type { OpenVolume } from '../../core/io/common/volume-reader.ts';
import { cpuDepositDevice } from '../../core/particles/cpu-deposit.ts';
import { type DepositReport, sumParticles } from '../../core/particles/deposit-particles.ts';
import type { DepositDevice } from '../../core/particles/depositor.ts';
import { finishSums } from '../../core/particles/finish-sums.ts';
import type { ByteSource } from '../../core/shared/bytes.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import { shownPath } from '../../core/shared/standard-streams.ts';
import { compressVolume } from '../../core/stream/compress/compress.ts';
import type { CompressReport } from '../../core/stream/compress/compress-contract.ts';
import { containerVolume } from '../../core/stream/restore/container-volume.ts';
import type { DepositCommand } from '../arguments/parsed-command.ts';
import { deviceNote, openBackend } from '../devices/device.ts';
import { checkTarget, createNodeSink } from '../outputs/node-sink.ts';
import { isFolder, makeFolder, type OutputName, partSuffix, stemOf } from '../outputs/output-names.ts';
import { offerLeftovers } from '../outputs/partial-files.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formatBytes, formatCount, formatDuration } from '../terminal/text.ts';
import { depositPlan, type OpenParticles, withParticles } from './deposit-plan.ts';
import { encodeChoice } from './encode-choice.ts';
import { withFile, withInput } from './files.ts';

/** `stria deposit`: makes a volume or sums of a part from particles, or a volume from merged sums. */
export async function runDeposit(given: DepositCommand, context: CommandContext): Promise<ExitCode> {
  const { path: output, named } = await outputOf(given);
  const command = { ...given, output, overwrite: given.force || named };
  const { inputs } = command;
  const { terminal, signal } = context;
  await offerLeftovers([output], inputs, terminal, signal);
  await checkTarget(output, { overwrite: command.overwrite, inputs, holds: 'stria' });
  const { backend, gpu, close } = await openBackend(command);
  try {
    terminal.note(deviceNote(backend.device));
    const start = performance.now();
    const done = await terminal.withProgress(basename(shownPath(output, 'output')), signal, async (job) =>
      (await holdsSums(inputs, job)) ? finish(command, backend, job) : deposit(command, backend, await deviceOf(gpu), job),
    );
    tell(done, command, terminal, performance.now() - start);
    return exitCodes.ok;
  } finally {
    await close();
  }
}

/** In a folder, the output is named after the first input and the part. */
async function outputOf({ inputs: [first = ''], output, share }: DepositCommand): Promise<OutputName> {
  if (!(await isFolder(output))) return { path: output, named: true };
  await makeFolder(output);
  return { path: join(output, `${stemOf(first)}${share ? partSuffix(share) : ''}.stria`), named: false };
}

/** Shaders are loaded only if there is a GPU. */
async function deviceOf(gpu: Gpu | undefined): Promise<DepositDevice> {
  return gpu ? (await import('../../core/particles/gpu-deposit.ts')).gpuDepositDevice(gpu) : cpuDepositDevice();
}

/** With the output's path, and whether an existing file may be replaced. */
type OwnCommand = DepositCommand & { readonly output: string; readonly overwrite: boolean };

interface Done {
  readonly written: CompressReport;
  /** Undefined if the input was merged sums. */
  readonly deposited?: DepositReport & Pick<OpenParticles, 'formats' | 'fileCount'> & { readonly unit: number };
}

async function holdsSums([first = '', second]: readonly string[], job: JobOptions): Promise<boolean> {
  return withInput(first, job, async (input) => {
    const isStria = !isFileTree(input) && isContainer(await input.read(0, 8, job));
    if (isStria && second !== undefined) {
      throw new StriaError(
        'invalid-input',
        'it holds sums; add all of them with `stria merge --by sum`, then give the merged file to deposit',
      );
    }
    return isStria;
  });
}

/** Turns a volume of sums into its final values. */
function finish(command: OwnCommand, backend: Backend, job: JobOptions): Promise<Done> {
  const stray = (['size', 'box', 'edges', 'kernel', 'unit', 'share', 'species', 'masses'] as const).find(
    (option) => command[option] !== undefined,
  );
  const given = stray === 'share' ? 'part' : (stray ?? (command.isSums ? 'sums' : undefined));
  const [input = ''] = command.inputs;
  if (given !== undefined) throw new StriaError('invalid-input', `--${given} is for particles, but ${input} is a .stria file`);
  return withFile(input, job, async (source: ByteSource, files) => {
    const sums = await containerVolume(await ContainerReader.open(source, job), backend, job);
    const volume = await finishSums(sums, command, job);
    return { written: await write(volume, command, backend, files, job) };
  });
}

function deposit(command: OwnCommand, backend: Backend, device: DepositDevice, job: JobOptions): Promise<Done> {
  return withParticles(command, job, async (particles: OpenParticles) => {
    const plan = await depositPlan(particles, command, job);
    const sums = sumParticles(plan.groups, plan, device, job);
    const volume = command.isSums ? sums : await finishSums(sums, command, job);
    const written = await write(volume, command, backend, particles, job);
    return {
      written,
      deposited: { ...sums.report(), formats: particles.formats, fileCount: particles.fileCount, unit: plan.unit },
    };
  });
}

/** @param read the files that were read. They may have been read more than once, so its check throws if one has changed */
async function write(
  volume: OpenVolume,
  command: OwnCommand,
  backend: Backend,
  read: Pick<OpenParticles, 'paths' | 'checkUnchanged'>,
  job: JobOptions,
): Promise<CompressReport> {
  const { output, overwrite, force } = command;
  const inputs = [...read.paths, ...(command.masses === undefined ? [] : [command.masses])];
  const sink = await createNodeSink(output, { holds: 'stria', overwrite, force, inputs, signal: job.signal });
  const close = async () => {
    await read.checkUnchanged();
    await sink.close();
  };
  // Sums are not for viewing, and merge would not use their levels.
  const levels = command.isSums ? false : undefined;
  return compressVolume(volume, { ...sink, close }, { backend, choice: encodeChoice(command), levels }, job);
}

function tell({ written, deposited }: Done, command: DepositCommand, terminal: Terminal, ms: number): void {
  const { inputs, output } = command;
  const volume = `${shownPath(output, 'output')}  ${formatBytes(written.bytesOut)}  in ${formatDuration(ms)}`;
  const timesMs = { ...written.timesMs, total: ms };
  if (!deposited) {
    terminal.result({ command: 'deposit', inputs, output, ...written, timesMs });
    terminal.say(`${inputs.join(', ')} → ${volume}`);
    return;
  }
  const { particles, outside, limited, units, depositedUnits, unit, formats, fileCount } = deposited;
  const masses = { total: units * unit, deposited: depositedUnits * unit };
  terminal.result({ command: 'deposit', inputs, output, ...deposited, ...masses, ...written, timesMs });
  terminal.say(`${formatCount(particles)} particles (${formats.join(', ')}) → ${volume}`);
  if (inputs.length < fileCount && !command.isSums) {
    terminal.note(
      `the snapshot has ${formatCount(fileCount)} files, of which ${formatCount(inputs.length)} ${inputs.length === 1 ? 'was' : 'were'} given: name all of them`,
    );
  }
  if (outside > 0) {
    const fate = depositedUnits < units ? 'the part outside is left out' : 'they are moved into it';
    terminal.note(`${formatCount(outside)} particles lie outside the box; ${fate}`);
  } else if (depositedUnits < units) {
    terminal.note('some particles reach out of the box; the part outside is left out');
  }
  if (limited > 0)
    terminal.note(
      `${formatCount(limited)} particles have smoothing lengths beyond the limit of 32 voxels, and were limited to that`,
    );
}
