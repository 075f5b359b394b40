import { basename } from 'node:path';
import type { Backend } from '../../core/chunks/backend.ts';
import type { OpenVolume } from '../../core/io/common/volume-reader.ts';
import { axesAreKnown, mayHoldSeveral, openVolume } from '../../core/io/open-volume.ts';
import { isAddress } from '../../core/remote/address.ts';
import type { ByteSource } from '../../core/shared/bytes.ts';
import { StriaError, toStriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import { shownPath, standardStream } from '../../core/shared/standard-streams.ts';
import type { VolumeChoice } from '../../core/shared/volume-choice.ts';
import { datasetSuffix } from '../../core/shared/volume-names.ts';
import { compressVolume } from '../../core/stream/compress/compress.ts';
import type { CompressReport } from '../../core/stream/compress/compress-contract.ts';
import { mostFileBytes } from '../../core/stream/levels/level-choice.ts';
import { isExistingFolder, treeOfFiles } from '../../node/node-folder.ts';
import type { CompressCommand } from '../arguments/parsed-command.ts';
import { deviceNote, openBackend } from '../devices/device.ts';
import { openEarlyBackend } from '../devices/early-backend.ts';
import { createNodeSink } from '../outputs/node-sink.ts';
import {
  arePictureNames,
  compressOutputs,
  isFolder,
  isOneOutput,
  localName,
  makeFolder,
  type OutputName,
  partSuffix,
} from '../outputs/output-names.ts';
import { offerLeftovers } from '../outputs/partial-files.ts';
import type { CommandContext } from '../terminal/context.ts';
import { describeFault, type ExitCode, exitCodes, faultWords } from '../terminal/messages.ts';
import { formatBytes, formatDuration, formatRate, formatRatio } from '../terminal/text.ts';
import { encodeChoice } from './encode-choice.ts';
import { openWhenRead, siblingsOf, withFile, withInput } from './files.ts';

type Entry = { input: string; inputs?: readonly string[]; output: string } & (
  | CompressReport
  | { error: { tag: string; message: string; volumes?: readonly VolumeChoice[] } }
);

/**
 * `stria compress`: one file after another, or all of them as one stack. With several inputs, a failing file does not stop the
 * others.
 */
export async function runCompress(command: CompressCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { output } = command;
  const isOne = await isOneOutput(command.inputs, output);
  const asStack = isOne && (await makesOne(command.inputs));
  if (isOne && !asStack && !command.inputs.includes(standardStream)) {
    throw new StriaError(
      'invalid-input',
      `these files hold separate volumes, and ${output} can hold only one; name a folder with -o`,
    );
  }
  const inputs = asStack ? command.inputs.slice(0, 1) : command.inputs;
  const outputs = await compressOutputs(inputs, output, nameSuffix(command));
  if (output !== undefined && (inputs.length > 1 || (await isFolder(output)))) await makeFolder(output);
  await offerLeftovers(
    outputs.map(({ path }) => path),
    command.inputs,
    terminal,
    signal,
  );
  // Of several files, only the first would begin earlier.
  const opened = await (inputs.length === 1 ? openEarlyBackend(command, 3) : openBackend(command));
  const { backend, close } = opened;
  try {
    if (!backend.successor) terminal.note(deviceNote(backend.device, opened.fault));
    const entries: Entry[] = [];
    let exitCode: ExitCode = exitCodes.ok;
    for (const [index, input] of inputs.entries()) {
      const target = outputs[index] as OutputName;
      try {
        const report = await terminal.withProgress(
          basename(asStack ? target.path : shownPath(localName(input), 'input')),
          signal,
          (job) => {
            const closeGpu = inputs.length === 1 ? opened.closeGpu : undefined;
            const tools = { backend, closeGpu, job, note: terminal.note };
            return asStack ? compressStack(target, command, tools) : compressFile(input, target, command, tools);
          },
        );
        if (backend.successor) terminal.note(deviceNote(report.device, opened.fault));
        const what = asStack
          ? `${command.inputs.length} ${arePictureNames(command.inputs) ? 'pictures' : 'files'}`
          : shownPath(input, 'input');
        terminal.say(describeCompression(what, shownPath(target.path, 'output'), report));
        entries.push({ input, ...(asStack ? { inputs: command.inputs } : {}), output: target.path, ...report });
      } catch (error) {
        const fault = toStriaError(error);
        if (inputs.length === 1 || fault.tag === 'aborted') throw fault;
        terminal.fail(describeFault(fault));
        const { tag, fullMessage: message, choices } = fault;
        entries.push({ input, output: target.path, error: { tag, message, ...(choices && { volumes: choices }) } });
        if (exitCode === exitCodes.ok) exitCode = faultWords[fault.tag].exitCode;
      }
    }
    terminal.result({ command: 'compress', ...(inputs.length === 1 ? entries[0] : { files: entries }) });
    return exitCode;
  } finally {
    await close();
  }
}

interface Tools {
  readonly backend: Backend;
  /** Closes the GPU when the last file is complete. */
  readonly closeGpu: (() => void) | undefined;
  readonly job: JobOptions;
  readonly note: (text: string) => void;
}

function compressFile(input: string, output: OutputName, command: CompressCommand, tools: Tools): Promise<CompressReport> {
  const { job } = tools;
  return withInput(input, job, async (source, files) => {
    const volume = await openVolume(source, {
      siblings: siblingsOf(input, files, job),
      raw: command.raw,
      dataset: command.dataset,
      axes: command.axes,
      stripIdentity: command.stripIdentity,
      pictureMemory: command.pictureMemory,
      onRemark: tools.note,
      ...job,
    });
    return compressTo(output, volume, files.paths, command, tools, () => files.checkUnchanged());
  });
}

/** Whether several files make one volume: pictures of one kind, or files of a format whose volumes span several files. */
async function makesOne(inputs: readonly string[]): Promise<boolean> {
  const [first] = inputs;
  if (arePictureNames(inputs)) return true;
  if (first === undefined || first === standardStream || isAddress(first) || (await isExistingFolder(first))) return false;
  return withFile(first, {}, (source) => mayHoldSeveral(source));
}

/**
 * Compresses all inputs as one volume. A stack can have more files than may be open at once, so each is open only while it is
 * read.
 */
async function compressStack(output: OutputName, command: CompressCommand, tools: Tools): Promise<CompressReport> {
  const { job } = tools;
  if (command.raw !== undefined)
    throw new StriaError('invalid-input', '--dims and --type describe one raw file, but these are several files');
  if (!arePictureNames(command.inputs)) {
    const { dataset, axes, stripIdentity, pictureMemory } = command;
    const options = { ...job, dataset, axes, stripIdentity, pictureMemory };
    const volume = await openVolume(await treeOfFiles(command.inputs), options);
    return compressTo(output, volume, command.inputs, command, tools);
  }
  if (command.axes !== undefined) throw axesAreKnown('pictures');
  const { openStack } = await import('../../core/io/pictures/picture-stack.ts');
  const sources: ByteSource[] = [];
  for (const input of command.inputs) sources.push(await openWhenRead(input, job));
  const volume = await openStack(sources, { ...job, pictureMemory: command.pictureMemory, onRemark: tools.note });
  return compressTo(output, volume, command.inputs, command, tools);
}

async function compressTo(
  output: OutputName,
  volume: OpenVolume,
  inputs: readonly string[],
  command: CompressCommand,
  { backend, closeGpu, job, note }: Tools,
  checkInputs: () => Promise<void> = async () => {},
): Promise<CompressReport> {
  const { timeGroup, force, json, stripIdentity, part, levels } = command;
  if (stripIdentity && volume.format !== 'dicom') {
    throw new StriaError(
      'invalid-input',
      '--strip-identity works only with DICOM: other formats do not define which data identify a person',
    );
  }
  const choice = encodeChoice(command);
  // A part writes less than the whole, by an amount that is not known before.
  const room = part === undefined && { mostBytes: mostFileBytes(volume.info, levels), onLowSpace: note };
  const sink = await createNodeSink(output.path, {
    ...{ holds: 'stria', overwrite: force || output.named, force, inputs },
    ...room,
    whileSyncing: closeGpu,
    ...job,
  });
  const close = async () => {
    await checkInputs();
    await sink.close();
  };
  return compressVolume(volume, { ...sink, close }, { backend, choice, timeGroup, part, levels, timesKernels: json }, job);
}

/** The suffix of a file name that Stria chooses: the dataset and the part. */
function nameSuffix({ dataset, part }: CompressCommand): string {
  return `${datasetSuffix(dataset)}${part ? partSuffix(part) : ''}`;
}

/** `scan.nii → scan.stria  19.2 MB → 6.83 MB  2.81 ×  in 0.21 s, 91 MB/s`. */
export function describeCompression(input: string, output: string, report: CompressReport): string {
  const { bytesIn, bytesOut, ratio, timesMs, voxelBytes } = report;
  const speed = formatRate((voxelBytes / timesMs.total) * 1000);
  const sizes = `${formatBytes(bytesIn)} → ${formatBytes(bytesOut)}`;
  const what = report.part === undefined ? input : `${input}, ${report.part}`;
  // A volume of few chunks can have more parts than layers of chunks.
  if (voxelBytes === 0) return `${what} → ${output}  holds no voxels, ${formatBytes(bytesOut)}`;
  return `${what} → ${output}  ${sizes}  ${formatRatio(ratio)}  in ${formatDuration(timesMs.total)}, ${speed}`;
}
