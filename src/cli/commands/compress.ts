import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { codecByName } from '../../core/codecs/registry.ts';
import type { Backend } from '../../core/engine/backend.ts';
import { type CompressReport, compressVolume } from '../../core/engine/compress.ts';
import { openVolume } from '../../core/io/open-volume.ts';
import { toStriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import type { CompressCommand } from '../args.ts';
import { deviceNote, openBackend } from '../device.ts';
import type { CommandContext } from '../main.ts';
import { describeFault, type ExitCode, exitCodes, faultWords } from '../messages.ts';
import { createNodeSink } from '../node-sink.ts';
import { compressOutputs, isFolder, type OutputName } from '../output-names.ts';
import { systemFault } from '../system-faults.ts';
import { formatBytes, formatDuration, formatRate, formatRatio } from '../text.ts';
import { withFile } from './files.ts';

type Entry = { input: string; output: string } & (CompressReport | { error: { tag: string; message: string } });

/** `stria compress`: one file after the other. With several, a file that fails does not keep the others from being done. */
export async function runCompress(command: CompressCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { inputs, output } = command;
  const outputs = await compressOutputs(inputs, output);
  if (output !== undefined && (inputs.length > 1 || (await isFolder(output)))) await makeFolder(output);
  const { backend, close } = await openBackend(command);
  try {
    terminal.note(deviceNote(backend.device));
    const entries: Entry[] = [];
    let exitCode: ExitCode = exitCodes.ok;
    for (const [index, input] of inputs.entries()) {
      const target = outputs[index] as OutputName;
      try {
        const report = await terminal.withProgress(basename(input), signal, (job) =>
          compressFile(input, target, command, backend, job),
        );
        terminal.say(describeCompression(input, target.path, report));
        entries.push({ input, output: target.path, ...report });
      } catch (error) {
        const fault = toStriaError(error);
        if (inputs.length === 1 || fault.tag === 'aborted') throw fault;
        terminal.fail(describeFault(fault));
        entries.push({ input, output: target.path, error: { tag: fault.tag, message: fault.fullMessage } });
        if (exitCode === exitCodes.ok) exitCode = faultWords[fault.tag].exitCode;
      }
    }
    terminal.result({ command: 'compress', ...(inputs.length === 1 ? entries[0] : { files: entries }) });
    return exitCode;
  } finally {
    await close();
  }
}

function compressFile(
  input: string,
  output: OutputName,
  { codec, axis, raw, force }: CompressCommand,
  backend: Backend,
  job: JobOptions,
): Promise<CompressReport> {
  return withFile(input, async (source, files) => {
    const volume = await openVolume(source, { siblings: files.siblingsOf(input), raw, ...job });
    const choice = { codec: codec === 'auto' ? ('auto' as const) : codecByName(codec), options: { axis } };
    const sink = await createNodeSink(output.path, { overwrite: force || output.named, inputs: files.paths });
    return compressVolume(volume, sink, { backend, choice }, job);
  });
}

/** `scan.nii → scan.stria  19.2 MB → 6.83 MB  2.81 ×  in 0.21 s, 91 MB/s`. */
export function describeCompression(input: string, output: string, report: CompressReport): string {
  const { bytesIn, bytesOut, ratio, timesMs, voxelBytes } = report;
  const speed = formatRate((voxelBytes / timesMs.total) * 1000);
  const sizes = `${formatBytes(bytesIn)} → ${formatBytes(bytesOut)}`;
  return `${input} → ${output}  ${sizes}  ${formatRatio(ratio)}  in ${formatDuration(timesMs.total)}, ${speed}`;
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw systemFault('not-writable', path, error);
  }
}
