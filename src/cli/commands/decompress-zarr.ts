import { basename, dirname, join } from 'node:path';
import type { Backend } from '../../core/chunks/backend.ts';
import type { ContainerReader } from '../../core/format/container-reader.ts';
import type { SinkMaker } from '../../core/shared/bytes.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import { standardStream } from '../../core/shared/standard-streams.ts';
import { type RestoreReport, restoreVolume } from '../../core/stream/restore/restore.ts';
import { isZipName } from '../../core/stream/restore/restore-ome-zarr.ts';
import type { DecompressCommand } from '../arguments/parsed-command.ts';
import { createFolderOutput, type FolderLayout } from '../outputs/folder-output.ts';
import { createNodeSink } from '../outputs/node-sink.ts';
import { isFolder, makeFolder } from '../outputs/output-names.ts';
import { exportBaseName } from '../outputs/restore-names.ts';

/** The paths that Stria writes into the folder of an OME-Zarr: metadata, and levels with their shards. */
const zarrLayout: FolderLayout = {
  marker: 'zarr.json',
  files: /^(\d+\/)?zarr\.json$|^\d+\/c(\/\d+)+$/,
  folders: /^\d+(\/c(\/\d+)*)?$/,
};

/** `stria decompress --to ome-zarr`: a folder, or a ZIP if the output's name says so. */
export async function exportOmeZarr(
  container: ContainerReader,
  { input, output, force, fill, json }: DecompressCommand,
  inputs: readonly string[],
  backend: Backend,
  job: JobOptions,
): Promise<{ report: RestoreReport; path: string }> {
  if (output === standardStream) {
    throw new StriaError('invalid-input', 'an OME-Zarr is a folder of files: name it with -o, or a .zip for a single file');
  }
  const baseName = exportBaseName(input);
  const { path, named } = await placeOf(input, output, baseName);
  const outputName = basename(path);
  const settings = { backend, to: 'ome-zarr', baseName: imageName(path), outputName, fill, timesKernels: json } as const;
  const overwrite = force || named;
  if (isZipName(path)) {
    const makeSink: SinkMaker = (_name, byteLength) => createNodeSink(path, { overwrite, force, inputs, byteLength, ...job });
    return { report: await restoreVolume(container, makeSink, settings, job), path };
  }
  // An existing folder is replaced only on request.
  const folder = await createFolderOutput(path, { overwrite: force, inputs, layout: zarrLayout });
  try {
    const report = await restoreVolume(container, folder.makeSink, settings, job);
    await folder.commit();
    return { report, path };
  } catch (error) {
    await folder.discard();
    throw error;
  }
}

async function placeOf(input: string, output: string | undefined, baseName: string): Promise<{ path: string; named: boolean }> {
  if (output !== undefined && !(await isFolder(output))) return { path: output, named: true };
  // An existing Zarr is the target. In any other folder a new one is created.
  if (output !== undefined && /\.zarr[/\\]*$/i.test(output)) return { path: output.replace(/[/\\]+$/, ''), named: true };
  const folder = output ?? dirname(input);
  await makeFolder(folder);
  return { path: join(folder, `${baseName}.ome.zarr`), named: false };
}

function imageName(path: string): string {
  return basename(path).replace(/(\.ome)?(\.zarr)?(\.zip|\.ozx)?$/i, '');
}
