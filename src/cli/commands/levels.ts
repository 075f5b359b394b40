import { basename } from 'node:path';
import { ContainerReader } from '../../core/format/container-reader.ts';
import { isContainer } from '../../core/format/container-start.ts';
import { isAddress } from '../../core/remote/address.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { shownPath, standardStream } from '../../core/shared/standard-streams.ts';
import { rewriteLevels } from '../../core/stream/levels/rewrite-levels.ts';
import type { LevelsCommand } from '../arguments/parsed-command.ts';
import { deviceNote, openBackend } from '../devices/device.ts';
import { createNodeSink } from '../outputs/node-sink.ts';
import { offerLeftovers } from '../outputs/partial-files.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { formatBytes } from '../terminal/text.ts';
import { encodeChoice } from './encode-choice.ts';
import { withFile } from './files.ts';
import { runLevelsBeside } from './levels-beside.ts';

/** `stria levels`: adds lower resolutions to a .stria, keeps those of another file beside it, or removes them. */
export async function runLevels(command: LevelsCommand, context: CommandContext): Promise<ExitCode> {
  if (command.output === undefined && isAddress(command.input)) {
    throw new StriaError('invalid-input', 'a file at a web address cannot be replaced; name the output with -o');
  }
  return (await isPlain(command, context)) ? runLevelsBeside(command, context) : rewriteFile(command, context);
}

async function isPlain({ input, raw, dataset, axes }: LevelsCommand, { signal }: CommandContext): Promise<boolean> {
  if (raw || dataset !== undefined || axes !== undefined) return true;
  // A pipe can be read only once.
  if (input === standardStream) return false;
  return withFile(input, { signal }, async (source) => !isContainer(await source.read(0, 8, { signal })));
}

/** The file's chunks stay as they are. */
async function rewriteFile(command: LevelsCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { input, remove, method } = command;
  const output = command.output ?? input;
  if (output === standardStream && command.output === undefined) {
    throw new StriaError('invalid-input', 'standard input cannot be replaced; name the output with -o');
  }
  await offerLeftovers([output], [input], terminal, signal);
  const { backend, fault, close } = await openBackend(command);
  try {
    if (!remove) terminal.note(deviceNote(backend.device, fault));
    const choice = encodeChoice(command);
    const holds = command.output === undefined ? undefined : 'stria';
    const report = await terminal.withProgress(basename(shownPath(input, 'input')), signal, async (job) => {
      const sink = await createNodeSink(output, { holds, overwrite: true, ...job });
      // The old file is closed before the new one takes its name, because the new one may replace it.
      const open = { ...sink, close: async () => {}, abort: async () => {} };
      try {
        const written = await withFile(input, job, async (source, files) => {
          const container = await ContainerReader.open(source, job);
          const levels = remove ? 'remove' : method;
          const report = await rewriteLevels(container, open, { backend, choice, levels }, job);
          await files.checkUnchanged();
          return { ...report, bytesIn: source.size };
        });
        await sink.close();
        return written;
      } catch (error) {
        await sink.abort();
        throw error;
      }
    });
    terminal.result({ command: 'levels', input, output, ...report });
    const { levelCount, leftOutCount, levelBytes, bytesIn, bytesOut } = report;
    const what =
      levelCount === 0 ? 'no levels' : `${levelCount} ${levelCount === 1 ? 'level' : 'levels'}, ${formatBytes(levelBytes)}`;
    terminal.say(
      `${shownPath(input, 'input')} → ${shownPath(output, 'output')}  ${formatBytes(bytesIn)} → ${formatBytes(bytesOut)}  ${what}`,
    );
    if (leftOutCount > 0) terminal.note(leftOutWords(leftOutCount));
    if (levelCount === 0 && !remove) terminal.note('No axis is longer than 128 voxels, so the volume needs no levels.');
    return exitCodes.ok;
  } finally {
    await close();
  }
}

function leftOutWords(count: number): string {
  const what = count === 1 ? 'The finest level is' : `The ${count} finest levels are`;
  return `${what} left out, because levels would take more than 15 % of the file.`;
}
