import { basename } from 'node:path';
import type { OpenVolume } from '../../core/io/common/volume-reader.ts';
import { describeExport } from '../../core/io/export-volume.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import type { DescribedFormat } from '../../core/shared/source.ts';
import { volumeBytes } from '../../core/shared/volume.ts';
import { compressVolume } from '../../core/stream/compress/compress.ts';
import { openSampleOnThreads } from '../../node/sample-threads.ts';
import type { SampleCommand } from '../arguments/parsed-command.ts';
import { deviceNote, openBackend } from '../devices/device.ts';
import { createNodeSink } from '../outputs/node-sink.ts';
import { stemOf } from '../outputs/output-names.ts';
import { offerLeftovers } from '../outputs/partial-files.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { formatBytes, formatDuration } from '../terminal/text.ts';
import { describeCompression } from './compress.ts';
import { withSink } from './files.ts';

const formats: Readonly<Record<string, DescribedFormat | 'stria'>> = { nii: 'nifti', nrrd: 'nrrd', raw: 'raw', stria: 'stria' };

/** `stria sample`: a generated volume, in the format of the output's ending. */
export async function runSample(command: SampleCommand, context: CommandContext): Promise<ExitCode> {
  const { kind, dims, type, seed, output } = command;
  const ending = /\.([^.]+)$/.exec(basename(output))?.[1]?.toLowerCase() ?? '';
  const format = formats[ending];
  if (!format) {
    throw new StriaError('invalid-input', `${output}: the ending must be one of .${Object.keys(formats).join(', .')}`);
  }
  await offerLeftovers([output], [], context.terminal, context.signal);
  const volume = openSampleOnThreads({ kind, dims, type, seed }, command.threads);
  if (format === 'stria') return compressSample(volume, command, context);

  const { terminal, signal } = context;
  const startMs = performance.now();
  await terminal.withProgress(basename(output), signal, (job) => writeSample(volume, format, output, job));
  if (format === 'raw') await writeSidecar(volume, `${output}.json`);
  const voxelBytes = volumeBytes(volume.info);
  const ms = performance.now() - startMs;
  terminal.result({ command: 'sample', kind, dims, type, seed, output, format, voxelBytes, timesMs: { total: ms } });
  const layout = format === 'raw' ? `  --dims ${dims.join(',')} --type ${type}` : '';
  terminal.say(`${output}  ${dims.join(' × ')} ${type}  ${formatBytes(voxelBytes)}  in ${formatDuration(ms)}${layout}`);
  return exitCodes.ok;
}

async function compressSample(volume: OpenVolume, command: SampleCommand, context: CommandContext): Promise<ExitCode> {
  const { kind, dims, type, seed, output } = command;
  const { terminal, signal } = context;
  const { backend, fault, close } = await openBackend(command);
  try {
    terminal.note(deviceNote(backend.device, fault));
    const sink = await createNodeSink(output, { overwrite: true, signal });
    const choice = { codec: 'auto', options: { axis: 'auto' } } as const;
    const report = await terminal.withProgress(basename(output), signal, (job) =>
      compressVolume(volume, sink, { backend, choice }, job),
    );
    terminal.result({ command: 'sample', kind, dims, type, seed, output, format: 'stria', ...report });
    terminal.say(describeCompression(kind, output, report));
    return exitCodes.ok;
  } finally {
    await close();
  }
}

async function writeSample(volume: OpenVolume, format: DescribedFormat, output: string, job: JobOptions): Promise<void> {
  const total = volumeBytes(volume.info);
  await withSink(await createNodeSink(output, { overwrite: true, signal: job.signal }), async (sink) => {
    for (const { before, after } of describeExport(volume.info, format, stemOf(output)).parts) {
      await sink.write(before);
      let done = 0;
      for await (const piece of volume.voxels(job)) {
        await sink.write(piece);
        done += piece.byteLength;
        job.onProgress?.({ stage: 'Making', done, total });
      }
      await sink.write(after);
    }
  });
}

/** Writes the sidecar that lets Stria open the raw file again. */
async function writeSidecar({ info }: OpenVolume, path: string): Promise<void> {
  const { dims, type, spacing, spatialUnit } = info;
  const members = { dims: dims.slice(0, 3), type, endian: 'little', offset: 0, spacing: spacing.slice(0, 3), unit: spatialUnit };
  await withSink(await createNodeSink(path, { overwrite: true }), (sink) =>
    sink.write(new TextEncoder().encode(`${JSON.stringify(members)}\n`)),
  );
}
