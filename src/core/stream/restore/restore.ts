import type { Backend, DeviceReport } from '../../chunks/backend.ts';
import type { ContainerReader } from '../../format/container-reader.ts';
import { partName } from '../../format/part.ts';
import { hasFilesTable, parseFilesTable } from '../../io/common/files-table.ts';
import { describeExport } from '../../io/export-volume.ts';
import { planPictures } from '../../io/pictures/describe-pictures.ts';
import type { ByteSink, SinkMaker } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import {
  type DescribedFormat,
  type FileFormat,
  isPictureFormat,
  isValueFormat,
  type SourceDescription,
  type SourcePart,
  type WritableFormat,
} from '../../shared/source.ts';
import { storedBytes } from '../../shared/stored-voxels.ts';
import { elementBytes, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { lostWords } from '../damage-list.ts';
import { backendFor, isSoonDecoded } from '../early-start.ts';
import { writingTo } from '../pipeline.ts';
import { KernelClock, type KernelTimes, type StageReport, type StageSpan, Stopwatch } from '../stage-times.ts';
import { EarlyRead } from './early-read.ts';
import { restoreFiles } from './restore-files.ts';
import { openOmeTiff } from './restore-ome-tiff.ts';
import { isZipName, openOmeZarr } from './restore-ome-zarr.ts';
import { restorePictures } from './restore-pictures.ts';
import { writeStored } from './restore-stored.ts';
import { type RestoreStage, SlabDecoder } from './slab-decoder.ts';
import { writeVoxels } from './write-voxels.ts';

export interface RestoreSettings {
  readonly backend: Backend;
  /**
   * What to write. Default: the source's own file or files, byte for byte; pictures in the same format with the same pixels,
   * but compressed again; NIfTI if only the values of the source were kept, except OME-TIFF for OME-TIFF.
   * 'raw': the voxels alone, in the source's byte order.
   */
  readonly to?: WritableFormat | undefined;
  /** File name without ending, for other formats than the source's own. */
  readonly baseName: string;
  /** Write 0 for the voxels of lost chunks. Default: a file that lacks chunks is refused. */
  readonly fill?: boolean | undefined;
  /**
   * Name of the output, with its ending. If there are several files it names the first, and the others follow it if possible.
   * PNG files are numbered by it. An OME-Zarr becomes one ZIP if it ends in `.zip` or `.ozx`, and else a folder's files.
   */
  readonly outputName?: string | undefined;
  /** Memory limit of writing pictures, in bytes. Default: `defaultPictureMemory`. */
  readonly pictureMemory?: number | undefined;
  /** As in `CompressSettings`. */
  readonly timesKernels?: boolean | undefined;
}

export interface RestoreReport {
  /** Names of the files written. */
  readonly files: readonly string[];
  readonly format: FileFormat;
  readonly bytesOut: number;
  readonly voxelBytes: number;
  readonly chunkCount: number;
  /** Wall time of each stage. Stages overlap, so they may sum to more than `total`. */
  readonly timesMs: Readonly<Record<RestoreStage | 'total', number>>;
  /**
   * When each stage ran, from the start of the work, and how many bytes it handled: chunks read, voxels decoded (which includes
   * checking their checksums) or written. `readback` is part of `decode` on a GPU. `save` closes the sinks: buffered bytes are synced
   * to the disk, and files that wait for no others get their names.
   */
  readonly timeline: readonly StageSpan<RestoreStage>[];
  /** Undefined on the CPU, and if they were not asked for. */
  readonly kernelTimes?: KernelTimes | undefined;
  readonly device: DeviceReport;
  /** Voxel bytes divided by the total time, and by the time spent decoding. */
  readonly gigabytesPerSecond: { readonly total: number; readonly decode: number };
}

/**
 * Decodes a container into files, layer by layer, in bounded memory. All sinks are closed once everything is written, or all
 * aborted once if anything fails. Only pictures are closed one by one, because a stack has more files than may be open.
 * @throws StriaError `corrupt` in the context of `chunk N`; errors of the backend or the sinks; `aborted`
 */
export async function restoreVolume(
  container: ContainerReader,
  makeSink: SinkMaker,
  settings: RestoreSettings,
  job: JobOptions = {},
): Promise<RestoreReport> {
  const sinks: ByteSink[] = [];
  const stopwatch = new Stopwatch<RestoreStage>(['read', 'decode', 'readback', 'write', 'save']);
  const report = await writingTo(sinks, () => restore(container, makeSink, sinks, settings, stopwatch, job), stopwatch);
  return { ...report, ...stopwatch.report(report.voxelBytes, 'decode') };
}

async function restore(
  container: ContainerReader,
  makeSink: SinkMaker,
  sinks: ByteSink[],
  settings: RestoreSettings,
  stopwatch: Stopwatch<RestoreStage>,
  job: JobOptions,
): Promise<Omit<RestoreReport, keyof StageReport>> {
  throwIfAborted(job.signal);
  const { timesKernels = true } = settings;
  const { part, volume } = container.header;
  if (part) {
    throw new StriaError(
      'invalid-input',
      `the file holds only ${partName(part, volume.type)} of its volume; join all parts with \`stria merge\` first`,
    );
  }
  if (container.lostCount > 0 && !settings.fill) {
    throw new StriaError('corrupt', `${lostWords(container)}; use --fill to write zeros for their voxels`);
  }
  const to = settings.to ?? (container.header.sourceFormat === 'ome-tiff' ? 'ome-tiff' : undefined);
  const isDescribed = to !== 'ome-zarr' && to !== 'ome-tiff';
  const description = isDescribed ? await describeOutput(container, to, settings, job) : undefined;
  const isSoon = isSoonDecoded(container);
  const early =
    settings.backend.successor && !isSoon && isPlain(description, volume) ? EarlyRead.begin(container, job) : undefined;
  const backend = await backendFor(settings.backend, async () => isSoon).catch(async (error: unknown) => {
    await early?.settle();
    throw error;
  });
  void early?.prepare(backend);
  backend.expect?.(volumeBytes(volume));
  const clock = new KernelClock();
  const slabs = new SlabDecoder(container, backend, stopwatch, timesKernels ? clock : undefined, job, early);
  let bytesOut = 0;
  let files: readonly string[] = description?.parts.map(({ name }) => name) ?? [];
  const openSink = async (name: string, byteLength?: number): Promise<ByteSink> => {
    const sink = await makeSink(name, byteLength);
    sinks.push(sink);
    return {
      write: async (bytes) => {
        if (bytes.byteLength > 0) await stopwatch.time('write', () => sink.write(bytes), bytes.byteLength);
        bytesOut += bytes.byteLength;
      },
      close: async () => {
        // A stack has more pictures than files may be open, so each is closed when it is complete.
        sinks.splice(sinks.indexOf(sink), 1);
        await stopwatch.time('save', () => sink.close());
      },
      abort: () => sink.abort(),
      writesAtOnce: sink.writesAtOnce,
    };
  };
  if (to === 'ome-tiff') {
    const { baseName, outputName = `${baseName}.ome.tif` } = settings;
    const { write } = await openSink(outputName);
    const output = await openOmeTiff(container, write, baseName, job);
    await writeVoxels(slabs, 'little', backend, { write: (bytes) => output.push(bytes) });
    await output.end();
    files = [outputName];
  } else if (description === undefined) {
    const { baseName, outputName = '' } = settings;
    const zipName = isZipName(outputName) ? outputName : undefined;
    const output = await openOmeZarr(container, openSink, { baseName, zipName }, job);
    await writeVoxels(slabs, 'little', backend, output);
    await output.end();
    files = [outputName || `${baseName}.ome.zarr`];
  } else if (isPictureFormat(description.format)) {
    const plan = planPictures(container.header.volume, description.format, description, settings.outputName);
    files = plan.files;
    await restorePictures(slabs, plan, openSink, settings.pictureMemory);
  } else if (hasFilesTable(description)) {
    const table = parseFilesTable((description.parts[0] as SourcePart).before, container.header.volume);
    files = table.map(({ name }) => name);
    await restoreFiles(slabs, table, openSink);
  } else {
    for (const part of description.parts) {
      const voxelBytes = part.hasVoxels ? storedBytes(container.header.volume, description.stored) : 0;
      const sink = await openSink(part.name, part.before.byteLength + voxelBytes + part.after.byteLength);
      await sink.write(part.before);
      if (part.hasVoxels && description.stored) await writeStored(slabs, description.stored, description.endian, sink.write);
      else if (part.hasVoxels) await writeVoxels(slabs, description.endian, backend, sink);
      await sink.write(part.after);
    }
  }
  return {
    files,
    format: description?.format ?? (to === 'ome-tiff' ? 'ome-tiff' : 'zarr'),
    bytesOut,
    voxelBytes: volumeBytes(container.header.volume),
    chunkCount: container.chunkCount,
    kernelTimes: clock.times(),
    device: backend.device,
  };
}

/** Whether all voxels are written as they are, from the first to the last. */
function isPlain(description: SourceDescription | undefined, { type }: VolumeInfo): boolean {
  if (!description) return true;
  const { format, stored, endian } = description;
  return !isPictureFormat(format) && !hasFilesTable(description) && !stored && (endian === 'little' || elementBytes(type) === 1);
}

async function describeOutput(
  container: ContainerReader,
  asked: DescribedFormat | undefined,
  { baseName, outputName }: RestoreSettings,
  job: JobOptions,
): Promise<SourceDescription> {
  const source = await container.sourceDescription(job);
  const to = asked ?? (isValueFormat(source.format) && !hasFilesTable(source) ? 'nifti' : undefined);
  // NIfTI and NRRD state their byte order in their headers; raw voxels keep the source's order.
  const endian = to === 'raw' ? source.endian : 'little';
  const output =
    to === undefined || (to === source.format && isPictureFormat(to))
      ? source
      : describeExport(container.header.volume, to, baseName, endian, source);
  return isPictureFormat(output.format) || hasFilesTable(output)
    ? output
    : { ...output, parts: renamed(output.parts, outputName) };
}

/**
 * The parts under the requested name. If there are several, the first part without voxels gets it. The part with the voxels
 * follows if the two names differed only in their endings (`.hdr` and `.img`). If a header names the data file, as in NRRD,
 * that file keeps its name.
 */
function renamed(parts: readonly SourcePart[], outputName: string | undefined): readonly SourcePart[] {
  if (outputName === undefined) return parts;
  const [only, ...others] = parts;
  if (only && others.length === 0) return [{ ...only, name: outputName }];
  const header = parts.find((part) => !part.hasVoxels);
  return parts.map((part) => {
    if (part === header) return { ...part, name: outputName };
    const follows = /\.hdr$/i.test(header?.name ?? '') && stem(part.name) === stem(header?.name ?? '');
    return follows ? { ...part, name: `${stem(outputName)}${part.name.slice(stem(part.name).length)}` } : part;
  });
}

function stem(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
