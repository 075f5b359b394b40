import { basename } from 'node:path';
import { displayText } from '../../core/shared/display-text.ts';
import { toStriaError } from '../../core/shared/errors.ts';
import { shownPath } from '../../core/shared/standard-streams.ts';
import { recoverVolume } from '../../core/stream/check/recover.ts';
import type { RecoverCommand } from '../arguments/parsed-command.ts';
import { createNodeSink } from '../outputs/node-sink.ts';
import { localName } from '../outputs/output-names.ts';
import { offerLeftovers } from '../outputs/partial-files.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { formatBytes, formatCount } from '../terminal/text.ts';
import { checkedContainer, withFile } from './files.ts';

/** `stria recover`: writes a sound file from the intact chunks of a damaged one. */
export async function runRecover(
  { input, output, fill }: RecoverCommand,
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  await offerLeftovers([output], [input], terminal, signal);
  const report = await terminal.withProgress(basename(shownPath(localName(input), 'input')), signal, (job) =>
    withFile(input, job, async (source, files) => {
      const sink = await createNodeSink(output, { holds: 'stria', overwrite: true, inputs: files.paths, ...job });
      return recoverVolume(source, sink, { fill }, job).catch(async (error: unknown) => {
        // Only now: a file whose first bytes are damaged can be recovered, too.
        if (toStriaError(error).tag === 'corrupt') await checkedContainer(source, job);
        throw error;
      });
    }),
  );
  const { wholeCount, chunkCount, lostCount, problems, hadLevels, sourceKept, bytesOut } = report;
  terminal.result({ command: 'recover', input, output, ...report });
  for (const problem of problems) terminal.note(displayText(problem));
  if (!sourceKept) terminal.note('The source’s own header is lost; OUT records a raw file as its source.');
  if (hadLevels) terminal.note('The lower resolutions were left out; `stria levels OUT` adds them again.');
  const lost = lostCount === 0 ? 'nothing is lost' : `${formatCount(lostCount)} lost${fill ? ', their voxels are 0' : ''}`;
  terminal.say(
    `${shownPath(input, 'input')} → ${shownPath(output, 'output')}  ${formatBytes(bytesOut)}  ${formatCount(wholeCount)} of ${formatCount(chunkCount)} chunks are intact, ${lost}`,
  );
  return exitCodes.ok;
}
