import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { combineVolumes } from '../../core/parts/combine-volumes.ts';
import { mergeParts } from '../../core/parts/merge-parts.ts';
import type { PartInput } from '../../core/parts/survey-parts.ts';
import type { ByteSink, ByteSource } from '../../core/shared/bytes.ts';
import type { CombineRule } from '../../core/shared/combine-rule.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import { shownPath } from '../../core/shared/standard-streams.ts';
import { isExistingFolder } from '../../node/node-folder.ts';
import { systemFault } from '../../node/system-faults.ts';
import type { MergeCommand } from '../arguments/parsed-command.ts';
import { deviceNote, openBackend } from '../devices/device.ts';
import { createNodeSink } from '../outputs/node-sink.ts';
import { offerLeftovers } from '../outputs/partial-files.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { formatBytes, formatCount, formatDuration } from '../terminal/text.ts';
import { encodeChoice } from './encode-choice.ts';
import { checkedContainer, openWhenRead } from './files.ts';

/** `stria merge`: joins the parts of a volume. */
export async function runMerge(command: MergeCommand, context: CommandContext): Promise<ExitCode> {
  const { output, by } = command;
  const { terminal, signal } = context;
  const paths = await partPaths(command.inputs, output);
  await offerLeftovers([output], paths, terminal, signal);
  const inputs = paths.map((path): PartInput => {
    // Each file is opened only once, so that a replacement between two reads is noticed.
    let source: Promise<ByteSource> | undefined;
    const open = async () => checkedContainer(await openWhenRead(path, { signal }), { signal });
    return { path, open: () => (source ??= open()) };
  });
  const toOutput = <T>(work: (sink: ByteSink, job: JobOptions) => Promise<T>) =>
    terminal.withProgress(basename(shownPath(output, 'output')), signal, async (job) =>
      work(await createNodeSink(output, { holds: 'stria', overwrite: true, inputs: paths, ...job }), job),
    );
  if (by !== undefined) return combine(inputs, { ...command, by }, context, toOutput);
  let opened: Awaited<ReturnType<typeof openBackend>> | undefined;
  const backend = async () => {
    opened = await openBackend(command);
    terminal.note(deviceNote(opened.backend.device, opened.fault));
    return opened.backend;
  };
  const settings = { backend, choice: encodeChoice(command), levels: command.levels };
  const report = await toOutput((sink, job) => mergeParts(inputs, sink, settings, job)).finally(() => opened?.close());
  terminal.result({ command: 'merge', inputs: paths.length, output, ...report });
  const { partCount, chunkCount, bytesOut, timesMs } = report;
  const what = `${formatCount(partCount)} parts, ${formatCount(chunkCount)} chunks`;
  terminal.say(`${what} → ${shownPath(output, 'output')}  ${formatBytes(bytesOut)}  in ${formatDuration(timesMs.total)}`);
  return exitCodes.ok;
}

async function combine(
  inputs: readonly PartInput[],
  command: MergeCommand & { readonly by: CombineRule },
  { terminal }: CommandContext,
  toOutput: <T>(work: (sink: ByteSink, job: JobOptions) => Promise<T>) => Promise<T>,
): Promise<ExitCode> {
  const { by, type, output } = command;
  const { backend, close } = await openBackend(command);
  try {
    terminal.note(deviceNote(backend.device));
    const choice = encodeChoice(command);
    const report = await toOutput((sink, job) => combineVolumes(inputs, sink, { backend, choice, rule: by, type }, job));
    terminal.result({ command: 'merge', inputs: inputs.length, output, ...report });
    const { volumeCount, copiedCount, combinedCount, saturatedCount, bytesOut, timesMs } = report;
    const chunks = `${formatCount(copiedCount)} chunks copied, ${formatCount(combinedCount)} combined`;
    terminal.say(
      `${formatCount(volumeCount)} volumes → ${shownPath(output, 'output')}  ${formatBytes(bytesOut)}  ${chunks}  in ${formatDuration(timesMs.total)}`,
    );
    if (saturatedCount > 0) {
      terminal.note(`${formatCount(saturatedCount)} sums were limited to the range of their type; --type chooses a wider one`);
    }
    return exitCodes.ok;
  } finally {
    await close();
  }
}

/** The inputs, with each folder replaced by its .stria files, except an earlier output. @throws StriaError `not-readable`, `invalid-input` for a folder without any */
async function partPaths(inputs: readonly string[], output: string): Promise<string[]> {
  const paths: string[] = [];
  for (const input of inputs) {
    if (!(await isExistingFolder(input))) {
      paths.push(input);
      continue;
    }
    const names = await readdir(input).catch((error: unknown) => {
      throw systemFault('not-readable', input, error);
    });
    const parts = names.filter((name) => /\.stria$/i.test(name) && !name.startsWith('.')).sort();
    if (parts.length === 0) throw new StriaError('invalid-input', `${input}: the folder holds no .stria files`);
    for (const name of parts) if (resolve(input, name) !== resolve(output)) paths.push(join(input, name));
  }
  return paths;
}
