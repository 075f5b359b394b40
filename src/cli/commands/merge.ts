import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { mergeParts } from '../../core/parts/merge-parts.ts';
import { shownPath } from '../../core/shared/standard-streams.ts';
import { isExistingFolder } from '../../node/node-folder.ts';
import { NodeFiles } from '../../node/node-source.ts';
import { systemFault } from '../../node/system-faults.ts';
import type { MergeCommand } from '../arguments/args.ts';
import { createNodeSink } from '../outputs/node-sink.ts';
import { offerLeftovers } from '../outputs/partial-files.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { formatBytes, formatCount, formatDuration } from '../terminal/text.ts';

/** `stria merge`: joins the parts of a volume. */
export async function runMerge({ inputs, output }: MergeCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const paths = await partPaths(inputs);
  await offerLeftovers([output], paths, terminal, signal);
  const report = await terminal.withProgress(basename(shownPath(output, 'output')), signal, async (job) => {
    const sink = await createNodeSink(output, { overwrite: true, inputs: paths, ...job });
    return mergeParts(
      paths.map((path) => ({ path, open: () => NodeFiles.openWhenRead(path) })),
      sink,
      job,
    );
  });
  terminal.result({ command: 'merge', inputs: paths.length, output, ...report });
  const { partCount, chunkCount, bytesOut, timesMs } = report;
  const what = `${formatCount(partCount)} parts, ${formatCount(chunkCount)} chunks`;
  terminal.say(`${what} → ${shownPath(output, 'output')}  ${formatBytes(bytesOut)}  in ${formatDuration(timesMs.total)}`);
  return exitCodes.ok;
}

/** The inputs, with the .stria files of each folder in its place. @throws StriaError `not-readable` */
async function partPaths(inputs: readonly string[]): Promise<string[]> {
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
    for (const name of parts) paths.push(join(input, name));
  }
  return paths;
}
