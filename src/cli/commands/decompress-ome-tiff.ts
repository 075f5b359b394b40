import { basename, dirname, join } from 'node:path';
import type { Backend } from '../../core/chunks/backend.ts';
import type { ContainerReader } from '../../core/format/container-reader.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import { shownPath } from '../../core/shared/standard-streams.ts';
import { type RestoreReport, restoreVolume } from '../../core/stream/restore/restore.ts';
import type { DecompressCommand } from '../arguments/parsed-command.ts';
import { createNodeSink } from '../outputs/node-sink.ts';
import { isFolder } from '../outputs/output-names.ts';
import { exportBaseName } from '../outputs/restore-names.ts';

/** `stria decompress --to ome-tiff`: writes one file. Also restores a volume whose source was OME-TIFF. */
export async function exportOmeTiff(
  container: ContainerReader,
  { input, output, to, force, fill, json }: DecompressCommand,
  inputs: readonly string[],
  backend: Backend,
  job: JobOptions,
): Promise<{ report: RestoreReport; paths: string[]; notes: string[] }> {
  const isNamed = output !== undefined && !(await isFolder(output));
  const baseName = exportBaseName(input);
  const path = isNamed ? output : join(output ?? dirname(input), `${baseName}.ome.tif`);
  const report = await restoreVolume(
    container,
    (_name, byteLength) => createNodeSink(path, { overwrite: force || isNamed, force, inputs, byteLength, ...job }),
    { backend, to: 'ome-tiff', baseName, outputName: basename(path), fill, timesKernels: json },
    job,
  );
  const notes =
    to === undefined
      ? ['Stria keeps the values, geometry and channels of an OME-TIFF, not its bytes: this is a new file with them.']
      : [];
  return { report, paths: [shownPath(path, 'output')], notes };
}
