import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Backend } from '../../core/chunks/backend.ts';
import type { ContainerReader } from '../../core/format/container-reader.ts';
import { hasFilesTable, parseFilesTable, type SourceFile } from '../../core/io/common/files-table.ts';
import { describeExport } from '../../core/io/export-volume.ts';
import { planPictures } from '../../core/io/pictures/describe-pictures.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import { formatName } from '../../core/shared/readable-formats.ts';
import { isPictureFormat, isValueFormat, type PictureFormat, type SourceDescription } from '../../core/shared/source.ts';
import { shownPath, standardStream } from '../../core/shared/standard-streams.ts';
import { type RestoreReport, restoreVolume } from '../../core/stream/restore/restore.ts';
import type { DecompressCommand } from '../arguments/parsed-command.ts';
import { deviceNote } from '../devices/device.ts';
import { openEarlyBackend } from '../devices/early-backend.ts';
import type { OpenedBackend } from '../devices/opened-backend.ts';
import { areExpectedPictures, expectedNames } from '../outputs/expected-names.ts';
import { filePaths } from '../outputs/file-paths.ts';
import { createNodeSink } from '../outputs/node-sink.ts';
import { localName, makeFolder } from '../outputs/output-names.ts';
import { offerLeftovers } from '../outputs/partial-files.ts';
import { type PendingFiles, withPendingFiles } from '../outputs/pending-files.ts';
import {
  endingNote,
  exportBaseName,
  otherNameNote,
  picturePlace,
  restoreOutputs,
  restorePlaces,
} from '../outputs/restore-names.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { scalingNote } from '../terminal/scaling-words.ts';
import { formatBytes, formatDuration, formatRate } from '../terminal/text.ts';
import { exportOmeTiff } from './decompress-ome-tiff.ts';
import { exportOmeZarr } from './decompress-zarr.ts';
import { openContainer, withFile } from './files.ts';

/** `stria decompress`: restores the source byte for byte (pictures: with the same pixels), or exports it. */
export async function runDecompress(command: DecompressCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { input, output } = command;
  const beside = localName(input);
  const { paths: places, root } = await restorePlaces(beside, output);
  await offerLeftovers(places, [input], terminal, signal, root);
  // Decoded slabs take memory until they are written, so threads get one at a time.
  const opened = await openEarlyBackend(command, 1, (await stat(beside).catch(() => undefined))?.size);
  const { backend, close } = opened;
  try {
    if (!backend.successor) terminal.note(deviceNote(backend.device, opened.fault));
    const { report, paths, notes } = await terminal.withProgress(basename(shownPath(beside, 'input')), signal, (job) =>
      withPendingFiles((pending) => restoreFile(command, opened, pending, job)),
    );
    if (backend.successor) terminal.note(deviceNote(report.device, opened.fault));
    const { bytesOut, voxelBytes, timesMs, format } = report;
    for (const note of notes) terminal.note(note);
    for (const path of paths) {
      const note = endingNote(path, format);
      if (note && paths.length === 1) terminal.note(note);
    }
    terminal.result({ command: 'decompress', input, ...report, outputs: paths });
    const speed = formatRate((voxelBytes / timesMs.total) * 1000);
    terminal.say(
      `${shownPath(input, 'input')} → ${describeOutputs(paths)}  ${formatBytes(bytesOut)}  in ${formatDuration(timesMs.total)}, ${speed}`,
    );
    return exitCodes.ok;
  } finally {
    await close();
  }
}

function restoreFile(
  command: DecompressCommand,
  { backend, closeGpu }: OpenedBackend,
  pending: PendingFiles,
  job: JobOptions,
): Promise<{ report: RestoreReport; paths: string[]; notes: string[] }> {
  const { output, to: asked, force, fill, pictureMemory, json } = command;
  const input = localName(command.input);
  return withFile(command.input, job, async (source, files) => {
    const container = await openContainer(source, job);
    if (asked === 'ome-zarr') {
      const { report, path } = await exportOmeZarr(container, { ...command, input }, files.paths, backend, job);
      return { report, paths: [path], notes: [] };
    }
    const baseName = exportBaseName(input);
    const own = await container.sourceDescription(job);
    const lost = asked === undefined || asked === own.format ? undefined : scalingNote(asked, container.header.volume);
    const notes = lost === undefined ? [] : [lost];
    if (asked === 'ome-tiff' || (asked === undefined && own.format === 'ome-tiff')) {
      const done = await exportOmeTiff(container, { ...command, input }, files.paths, backend, job);
      return { ...done, notes: [...notes, ...done.notes] };
    }
    const [described] = own.parts;
    if (asked === undefined && described !== undefined && hasFilesTable(own)) {
      const table = parseFilesTable(described.before, container.header.volume);
      return restoreTable(table, container, files.paths, { ...command, input }, backend, pending, job);
    }
    const to = asked ?? (isValueFormat(own.format) ? 'nifti' : undefined);
    const format = to ?? (isValueFormat(own.format) ? 'nifti' : own.format);
    const isOwn = to === undefined || (to === own.format && isPictureFormat(to));
    const place = isPictureFormat(format) ? await picturePlace(input, output) : undefined;
    const description = isOwn || to === undefined ? own : describeExport(container.header.volume, to, baseName, 'little', own);
    const outputs = place ? undefined : await restoreOutputs(input, description, output);
    const pictureName =
      place && isPictureFormat(format) ? pictureNameOf(container, description, format, place.name, baseName) : undefined;
    // Create the folder for pictures only once there is a picture to write.
    let isReady = place === undefined || output === undefined || place.name !== undefined;
    const paths: string[] = [];
    if (isValueFormat(own.format) && asked === undefined) {
      notes.push(
        `Stria keeps the values of ${formatName(own.format)}, not the file, and wrote NIfTI. --to chooses another format.`,
      );
    }
    const makeSink = async (name: string, byteLength?: number) => {
      if (!isReady) await makeFolder(place?.folder ?? '', pending);
      isReady = true;
      const target = place ? { path: join(place.folder, name), named: name === place.name } : outputs?.get(name);
      if (!target) throw new StriaError('internal', `no output was planned for ${name}`);
      const note = place || target.named ? undefined : otherNameNote(name, target.path);
      if (note) notes.push(note);
      paths.push(target.path);
      const overwrite = force || target.named;
      // Pictures are closed one by one, while others are decoded.
      const whileSyncing = place ? undefined : closeGpu;
      return createNodeSink(target.path, { overwrite, force, inputs: files.paths, byteLength, whileSyncing, pending, ...job });
    };
    const report = await restoreVolume(
      container,
      makeSink,
      { backend, to, baseName, outputName: pictureName, fill, pictureMemory, timesKernels: json },
      job,
    );
    return { report, paths: paths.map((path) => shownPath(path, 'output')), notes };
  });
}

/** Restores many files into a folder: the one that `-o` names, or one beside the container with its name. */
async function restoreTable(
  table: readonly SourceFile[],
  container: ContainerReader,
  inputs: readonly string[],
  { input, output, force, fill, json }: DecompressCommand,
  backend: Backend,
  pending: PendingFiles,
  job: JobOptions,
): Promise<{ report: RestoreReport; paths: string[]; notes: string[] }> {
  const pathOf = await filePaths(table, input, output);
  const paths: string[] = [];
  const makeSink = async (name: string, byteLength?: number) => {
    const { path, named } = pathOf(name);
    await makeFolder(dirname(path), pending);
    paths.push(path);
    return createNodeSink(path, { overwrite: force || named, force, inputs, byteLength, pending, ...job });
  };
  const report = await restoreVolume(
    container,
    makeSink,
    { backend, baseName: exportBaseName(input), fill, timesKernels: json },
    job,
  );
  const rewritten = table.filter(({ isRewritten }) => isRewritten).length;
  const subject = rewritten === 1 ? 'The pixels of 1 file were' : `The pixels of ${rewritten} files were`;
  const note = `${subject} compressed and are now written as explicit little-endian DICOM, with the same pixels and elements.`;
  return { report, paths: paths.map((path) => shownPath(path, 'output')), notes: rewritten === 0 ? [] : [note] };
}

/**
 * The base name for restored pictures: the one from `-o`, or the container's if the pictures' own names are unusual.
 * @returns undefined if the pictures keep their own names
 */
function pictureNameOf(
  container: ContainerReader,
  description: SourceDescription,
  format: PictureFormat,
  name: string | undefined,
  baseName: string,
): string | undefined {
  const { files } = planPictures(container.header.volume, format, description, name);
  if (name === standardStream && files.length > 1) {
    throw new StriaError(
      'invalid-input',
      `there are ${files.length} pictures; name a folder with -o, or use --to tiff for one file`,
    );
  }
  if (name !== undefined || areExpectedPictures(files, format)) return name;
  return expectedNames({ format, parts: [{ name: '', hasVoxels: true }] }, baseName)[0];
}

/** `a.nii`, or `120 files in out` for many files. */
function describeOutputs(paths: readonly string[]): string {
  return paths.length <= 3 ? paths.join(', ') : `${paths.length} files in ${dirname(paths[0] ?? '')}`;
}
