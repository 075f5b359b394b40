import { basename } from 'node:path';
import { encodeRgbaPng } from '../../core/io/pictures/rgba-png.ts';
import { shownPath } from '../../core/shared/standard-streams.ts';
import { pictureWords } from '../../renderer/viewer/model/picture-words.ts';
import type { PictureCommand } from '../arguments/parsed-command.ts';
import { checkTarget, createNodeSink } from '../outputs/node-sink.ts';
import { localName } from '../outputs/output-names.ts';
import { lookOf } from '../pictures/look.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { formatBytes, formatDuration } from '../terminal/text.ts';
import { withSink } from './files.ts';
import { withPictureScene } from './picture-scene.ts';

/** `stria picture`: a volume as a PNG, drawn as the app draws it. */
export async function runPicture(command: PictureCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { input, output } = command;
  await checkTarget(output, { overwrite: true, holds: 'png' });
  const look = lookOf(command);
  const startMs = performance.now();
  const name = basename(shownPath(localName(input), 'input'));
  const { png, width, height, view, inputs } = await terminal.withProgress(name, signal, (job) =>
    withPictureScene(command, look, terminal, job, async ({ painter, view, state, viewpoints, info, inputs }) => {
      const picture = await painter.draw({ view, state, viewpoints, signal });
      const text = pictureWords(name, view, { state, info });
      return { png: encodeRgbaPng({ ...picture, text }), width: picture.width, height: picture.height, view, inputs };
    }),
  );
  const sink = await createNodeSink(output, { overwrite: true, inputs, signal, byteLength: png.byteLength });
  await withSink(sink, ({ write }) => write(png));
  const ms = performance.now() - startMs;
  terminal.result({ command: 'picture', input, output, view, width, height, bytes: png.byteLength, timesMs: { total: ms } });
  terminal.say(
    `${name} → ${shownPath(output, 'output')}  ${width} × ${height}  ${formatBytes(png.byteLength)}  in ${formatDuration(ms)}`,
  );
  return exitCodes.ok;
}
