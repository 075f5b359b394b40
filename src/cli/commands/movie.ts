import { basename } from 'node:path';
import { encodeRgbaPng } from '../../core/io/pictures/rgba-png.ts';
import { ZipSinks } from '../../core/io/zarr/write/zip-sinks.ts';
import type { ByteSink, SinkMaker } from '../../core/shared/bytes.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { throwIfAborted } from '../../core/shared/job.ts';
import { shownPath, standardStream } from '../../core/shared/standard-streams.ts';
import { frameName } from '../../renderer/viewer/model/movie-frames.ts';
import { pictureWords } from '../../renderer/viewer/model/picture-words.ts';
import type { MovieCommand } from '../arguments/parsed-command.ts';
import { createFolderOutput, type FolderLayout } from '../outputs/folder-output.ts';
import { createNodeSink } from '../outputs/node-sink.ts';
import { localName } from '../outputs/output-names.ts';
import { offerLeftovers } from '../outputs/partial-files.ts';
import { lookOf } from '../pictures/look.ts';
import { movieShots } from '../pictures/movie-shots.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { formatCount, formatDuration } from '../terminal/text.ts';
import { withSink } from './files.ts';
import { withPictureScene } from './picture-scene.ts';

/** `stria movie`: the frames of a movie as numbered PNGs, in a folder or a ZIP. */
export async function runMovie(command: MovieCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { input, output, fps } = command;
  checkOutput(output, fps);
  const look = lookOf(command);
  await offerLeftovers([output], [input], terminal, signal);
  const startMs = performance.now();
  const name = basename(shownPath(localName(input), 'input'));
  const { width, height } = look;
  const count = await terminal.withProgress(name, signal, (job) =>
    withPictureScene(command, look, terminal, job, async ({ painter, info, view, state, viewpoints, inputs }) => {
      const shots = movieShots(command, info, state, view);
      const total = shots.length * width * height * 4;
      await withFrames(command, inputs, shots.length, signal, async (makeSink) => {
        for (const [index, shot] of shots.entries()) {
          throwIfAborted(signal);
          job.onProgress?.({ stage: 'Drawing', done: index * width * height * 4, total });
          const picture = await painter.draw({ ...shot, viewpoints, signal });
          const text = pictureWords(name, shot.view, { state: shot.state, info });
          const png = encodeRgbaPng({ ...picture, text });
          await withSink(await makeSink(frameName(index, shots.length), png.byteLength), ({ write }) => write(png));
        }
      });
      return shots.length;
    }),
  );
  const ms = performance.now() - startMs;
  terminal.result({ command: 'movie', input, output, frames: count, width, height, fps, timesMs: { total: ms } });
  terminal.say(
    `${name} → ${output}  ${count === 1 ? '1 picture' : `${formatCount(count)} pictures`} of ${width} × ${height}  in ${formatDuration(ms)}`,
  );
  if (!isZip(output)) terminal.say(videoLine(output, count, fps));
  return exitCodes.ok;
}

const isZip = (path: string): boolean => /\.zip$/i.test(path);

/** @throws StriaError `invalid-input`, `unsupported` for videos */
function checkOutput(output: string, fps: number): void {
  if (output === standardStream) {
    throw new StriaError('invalid-input', 'a movie is a folder of pictures: name it with -o, or a .zip for a single file');
  }
  if (!/\.(mp4|m4v|mov|mkv|webm|avi|gif|apng)$/i.test(output)) return;
  const folder = output.replace(/\.[^.]*$/, '');
  throw new StriaError(
    'unsupported',
    `${output}: Stria does not encode videos. Write pictures (-o ${folder}), and make a video of them: ${videoLine(folder, 1, fps, output)}`,
  );
}

/** The ffmpeg command that makes a video from a folder of frames. Most players need even widths and heights. */
function videoLine(folder: string, count: number, fps: number, video = `${folder.replace(/[/\\]+$/, '')}.mp4`): string {
  const digits = frameName(0, count).replace(/\D/g, '').length;
  const frames = `${folder.replace(/[/\\]+$/, '')}/frame-%0${digits}d.png`;
  const filter = '-vf "pad=ceil(iw/2)*2:ceil(ih/2)*2"';
  return `ffmpeg -framerate ${fps} -i ${quoted(frames)} ${filter} -pix_fmt yuv420p ${quoted(video)}`;
}

/** Quotes an argument that a shell would split. */
function quoted(path: string): string {
  return /^[\w./\\:%-]+$/.test(path) ? path : `"${path}"`;
}

/** A folder of frames. */
const layoutOf = (count: number): FolderLayout => ({
  marker: frameName(0, count),
  files: /^frame-\d{4,5}\.png$/,
  folders: /^$/,
});

/** Runs work that writes the frames. They appear once all of them are written, and are removed if the work fails. */
async function withFrames(
  { output, force }: MovieCommand,
  inputs: readonly string[],
  count: number,
  signal: AbortSignal,
  work: (makeSink: SinkMaker) => Promise<void>,
): Promise<void> {
  if (isZip(output)) {
    const sink: ByteSink = await createNodeSink(output, { overwrite: true, force, inputs, signal });
    const folder = basename(output).replace(/\.zip$/i, '');
    await withSink(sink, async (zip) => {
      const files = new ZipSinks(zip);
      await work((name, byteLength) => files.open(`${folder}/${name}`, byteLength));
      await files.end();
    });
    return;
  }
  const folder = await createFolderOutput(output, { overwrite: force, inputs, layout: layoutOf(count) });
  try {
    await work(folder.makeSink);
    await folder.commit();
  } catch (error) {
    await folder.discard();
    throw error;
  }
}
