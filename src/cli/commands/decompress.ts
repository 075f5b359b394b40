import { basename } from 'node:path';
import type { Backend } from '../../core/engine/backend.ts';
import { type RestoreReport, restoreVolume } from '../../core/engine/restore.ts';
import { ContainerReader } from '../../core/format/container-reader.ts';
import { describeExport } from '../../core/io/export-volume.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import type { DecompressCommand } from '../args.ts';
import { deviceNote, openBackend } from '../device.ts';
import type { CommandContext } from '../main.ts';
import { type ExitCode, exitCodes } from '../messages.ts';
import { createNodeSink } from '../node-sink.ts';
import { endingNote, exportBaseName, restoreOutputs } from '../restore-names.ts';
import { formatBytes, formatDuration, formatRate } from '../text.ts';
import { withFile } from './files.ts';

/** `stria decompress`: the source byte for byte, or an export. */
export async function runDecompress(command: DecompressCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { input } = command;
  const { backend, close } = await openBackend(command);
  try {
    terminal.note(deviceNote(backend.device));
    const { report, paths } = await terminal.withProgress(basename(input), signal, (job) => restoreFile(command, backend, job));
    const { bytesOut, voxelBytes, timesMs, format } = report;
    for (const path of paths) {
      const note = endingNote(path, format);
      if (note && paths.length === 1) terminal.note(note);
    }
    terminal.result({ command: 'decompress', input, ...report, outputs: paths });
    const speed = formatRate((voxelBytes / timesMs.total) * 1000);
    terminal.say(`${input} → ${paths.join(', ')}  ${formatBytes(bytesOut)}  in ${formatDuration(timesMs.total)}, ${speed}`);
    return exitCodes.ok;
  } finally {
    await close();
  }
}

function restoreFile(
  { input, output, to, force }: DecompressCommand,
  backend: Backend,
  job: JobOptions,
): Promise<{ report: RestoreReport; paths: string[] }> {
  return withFile(input, async (source, files) => {
    const container = await ContainerReader.open(source, job);
    const baseName = exportBaseName(input);
    const description =
      to === undefined ? await container.sourceDescription(job) : describeExport(container.header.volume, to, baseName);
    const outputs = await restoreOutputs(input, description, output);
    const makeSink = async (name: string) => {
      const target = outputs.get(name);
      if (!target) throw new StriaError('internal', `no place was found for ${name}`);
      return createNodeSink(target.path, { overwrite: force || target.named, inputs: files.paths });
    };
    const report = await restoreVolume(container, makeSink, { backend, to, baseName }, job);
    return { report, paths: [...outputs.values()].map(({ path }) => path) };
  });
}
