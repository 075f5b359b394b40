import type { ContainerReader } from '../../format/container-reader.ts';
import type { SinkMaker } from '../../shared/bytes.ts';
import type { JobOptions } from '../../shared/job.ts';
import { areLabels } from './labels-volume.ts';

export interface OmeZarrOutput {
  /** Takes all voxels in order, little-endian, in pieces of any size. */
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** Whether an OME-Zarr with this name is a single file instead of a folder. */
export function isZipName(name: string): boolean {
  return /\.(zip|ozx)$/i.test(name);
}

/**
 * A writer of an OME-Zarr into the files of a folder or into a ZIP. The code is loaded on demand, because it includes zarrita and
 * WebAssembly.
 * @param zipName name of the ZIP; undefined for a folder
 */
export async function openOmeZarr(
  container: ContainerReader,
  openSink: SinkMaker,
  { baseName, zipName }: { readonly baseName: string; readonly zipName: string | undefined },
  job: JobOptions,
): Promise<OmeZarrOutput> {
  const settings = { name: baseName, method: areLabels(container) ? 'mode' : 'mean' } as const;
  const { createOmeZarrWriter } = await import('../../io/zarr/write/ome-zarr-writer.ts');
  const { volume } = container.header;
  if (zipName === undefined) {
    const writer = await createOmeZarrWriter(volume, openSink, settings, job);
    return { write: writer.push, end: writer.end };
  }
  const { ZipSinks } = await import('../../io/zarr/write/zip-sinks.ts');
  const sink = await openSink(zipName);
  const zip = new ZipSinks(sink);
  const writer = await createOmeZarrWriter(volume, zip.open, settings, job);
  return {
    write: writer.push,
    async end() {
      await writer.end();
      await zip.end();
      await sink.close();
    },
  };
}
