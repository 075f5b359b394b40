import { unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { openVolume } from '../../core/io/open-volume.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { shownPath } from '../../core/shared/standard-streams.ts';
import { levelsName } from '../../core/shared/volume-names.ts';
import { makeLevels } from '../../core/stream/made-levels/make-levels.ts';
import { errorCode, systemFault } from '../../node/system-faults.ts';
import type { LevelsCommand } from '../arguments/parsed-command.ts';
import { deviceNote, openBackend } from '../devices/device.ts';
import { createNodeSink } from '../outputs/node-sink.ts';
import { offerLeftovers } from '../outputs/partial-files.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { formatBytes } from '../terminal/text.ts';
import { encodeChoice } from './encode-choice.ts';
import { siblingsOf, withFile } from './files.ts';

/** `stria levels` for a file that is no .stria: keeps its levels in a file beside it, or removes that. */
export async function runLevelsBeside(command: LevelsCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { input, raw, dataset, axes, method } = command;
  const output = command.output ?? levelsName(input, dataset);
  if (command.remove) {
    // Of a .stria, -o names a copy to write. Here it would name a file to delete.
    if (command.output !== undefined) {
      throw new StriaError(
        'invalid-input',
        `--remove deletes ${levelsName(input, dataset)}, the levels beside the file; leave out -o`,
      );
    }
    await removeLevels(output);
    terminal.result({ command: 'levels', input, output, removed: true });
    terminal.say(`${output} was removed`);
    return exitCodes.ok;
  }
  await offerLeftovers([output], [input], terminal, signal);
  const { backend, fault, close } = await openBackend(command);
  try {
    terminal.note(deviceNote(backend.device, fault));
    const report = await terminal.withProgress(basename(input), signal, (job) =>
      withFile(input, job, async (source, files) => {
        const volume = await openVolume(source, { siblings: siblingsOf(input, files, job), raw, dataset, axes, ...job });
        const sink = await createNodeSink(output, { holds: 'stria', overwrite: true, inputs: files.paths, ...job });
        const checked = {
          ...sink,
          close: async () => {
            await files.checkUnchanged();
            await sink.close();
          },
        };
        return makeLevels(volume, source, checked, { backend, choice: encodeChoice(command), method }, job);
      }),
    );
    const { bytesOut, levelCount } = report;
    terminal.result({ command: 'levels', input, output, levelCount: levelCount + 1, bytesOut });
    const count = levelCount + 1;
    terminal.say(
      `${shownPath(input, 'input')} → ${output}  ${count} ${count === 1 ? 'level' : 'levels'}, ${formatBytes(bytesOut)}`,
    );
    return exitCodes.ok;
  } finally {
    await close();
  }
}

/** @throws StriaError `invalid-input` if there is no such file, `not-writable` */
async function removeLevels(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new StriaError('invalid-input', `there is no ${path} to remove`);
    throw systemFault('not-writable', path, error);
  }
}
