import type { BrickSource } from '../../../core/bricks/brick-source.ts';
import { ContainerBricks } from '../../../core/bricks/container-bricks.ts';
import { HalvedBricks } from '../../../core/bricks/halved-bricks.ts';
import { KeptBricks } from '../../../core/bricks/kept-bricks.ts';
import { MadeBricks } from '../../../core/bricks/made-bricks.ts';
import { VoxelBricks } from '../../../core/bricks/voxel-bricks.ts';
import type { TaskPool } from '../../../core/cpu/cpu-task.ts';
import { ContainerOutline } from '../../../core/format/container-outline.ts';
import { ContainerReader } from '../../../core/format/container-reader.ts';
import { isContainer } from '../../../core/format/container-start.ts';
import type { FileTree } from '../../../core/io/common/file-tree.ts';
import type { VolumeEntry } from '../../../core/io/common/volume-entry.ts';
import type { OpenVolume } from '../../../core/io/common/volume-reader.ts';
import { type FolderHeaders, folderHeaders, giveFolderHeaders } from '../../../core/io/folder-headers.ts';
import { readLabelTable } from '../../../core/io/label-tables/read-label-table.ts';
import { listVolumes, openVolume } from '../../../core/io/open-volume.ts';
import { openStack } from '../../../core/io/pictures/picture-stack.ts';
import { openEmptyVolume } from '../../../core/samples/empty-volume.ts';
import { openSample } from '../../../core/samples/sample.ts';
import type { ByteSource } from '../../../core/shared/bytes.ts';
import { inContext, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { mergedTable, type OwnLabels, tableNamesFor } from '../../../core/shared/label-table.ts';
import { type VolumeInfo, volumeBytes } from '../../../core/shared/volume.ts';
import type { LeveledVoxels, StreamedLevels } from '../../../core/shared/volume-level.ts';
import { volumeStem } from '../../../core/shared/volume-names.ts';
import { levelsToMake } from '../../../core/stream/made-levels/make-levels.ts';
import { findKeptLevels, type LevelReaders, withKeptLevels } from '../../../core/volume/levels/kept-levels.ts';
import { leveledFile } from '../../../core/volume/levels/leveled-file.ts';
import { unmadeLevels } from '../../../core/volume/levels/made-voxels.ts';
import { sourceOf } from '../../host/file-source.ts';
import type { FolderHandle } from '../../host/host.ts';
import { treeOf } from './folder-tree.ts';
import type { LoadRequest } from './load-protocol.ts';
import { remoteSiblings } from './ports.ts';

/** Volumes are opened at full resolution, whatever their size. If one does not fit, one of its lower levels is shown. */
const levelBytes = Number.POSITIVE_INFINITY;

/** The .stria that was posted to a worker; undefined for other formats. @throws StriaError like the reader */
export async function outlineRequested(request: LoadRequest): Promise<ContainerOutline | undefined> {
  if (request.kind !== 'file' || request.pictures || request.folder || request.raw) return undefined;
  const source = sourceOf(request.handle);
  return isContainer(await source.read(0, 8)) ? ContainerOutline.open(source) : undefined;
}

/** As `outlineRequested`, with its index. */
export async function containerRequested(
  request: LoadRequest,
): Promise<{ readonly reader: ContainerReader; readonly source: ByteSource } | undefined> {
  const outline = await outlineRequested(request);
  return outline && { reader: await ContainerReader.of(outline), source: outline.source };
}

/** A file's levels; none if they are damaged, since the volume itself remains readable. */
export async function levelsOf(file: ContainerReader | ContainerOutline): Promise<readonly ContainerReader[]> {
  const levels = file instanceof ContainerOutline ? ContainerReader.levelsOf(file) : file.levels();
  return levels.catch((error: unknown) => {
    if (toStriaError(error).tag === 'corrupt') return [];
    throw error;
  });
}

/** Opens what was posted to a worker, unless it is a .stria. @throws StriaError like the readers, and `aborted` */
export async function openRequested(request: LoadRequest, signal?: AbortSignal): Promise<OpenVolume> {
  if (request.kind === 'sample') {
    const { kind, side } = request.sample;
    return openSample({ kind, dims: [side, side, side], type: 'u8', seed: 1 });
  }
  if (request.kind === 'space') return openEmptyVolume(request.space);
  const { handle, siblings, raw, pictures, dataset } = request;
  if (pictures) return openStack(pictures.map(sourceOf), { signal });
  const tree = treeRequested(request);
  if (tree) return openVolume(tree, { dataset, levelBytes, signal });
  return openVolume(sourceOf(handle), { siblings: remoteSiblings(siblings), raw, dataset, levelBytes, signal });
}

/** An opened volume at all of its resolutions. */
export interface RequestedLevels {
  /** Undefined if the file can only be read in order. */
  readonly leveled: StreamedLevels | undefined;
  /** Whether levels are stored in the file or beside it. Otherwise they skip voxels. */
  readonly areStored: boolean;
  /** Whether the file needs levels that can be made of its voxels, because no usable ones are there. */
  readonly canMake: boolean;
  /** Whether those can be kept beside the file. */
  readonly canKeep: boolean;
  /** Why the levels beside the file are not used, as a sentence. */
  readonly note: string | undefined;
  /** The levels beside the file, if they are used. */
  readonly kept?: LevelReaders | undefined;
}

/** Smaller volumes are read in a moment, so levels beside them are not looked for. */
const leastKeptBytes = 2 ** 21;

/** @throws StriaError like the readers */
export async function levelsRequested(request: LoadRequest, volume: OpenVolume): Promise<RequestedLevels> {
  const leveled = request.kind === 'file' ? await leveledRequested(volume) : undefined;
  const own = { leveled, areStored: volume.leveled !== undefined, canMake: false, canKeep: false, note: undefined };
  const hasLevels = leveled !== undefined && leveled.levels.length > 1 && !volume.fill;
  if (!leveled || hasLevels || request.kind !== 'file') return own;
  if (volumeBytes(volume.info) < leastKeptBytes || levelsToMake(volume.info).length === 1) return own;
  if (request.folder || request.pictures) return { ...own, canMake: true };
  const { handle, siblings, dataset } = request;
  const kept = await findKeptLevels(volume, sourceOf(handle), remoteSiblings(siblings), dataset);
  if (!kept) return { ...own, canMake: true, canKeep: true };
  if (!kept.fault) return { ...own, leveled: withKeptLevels(leveled, kept.levels), areStored: true, kept: kept.levels };
  const note = `${kept.name} beside the file is not used: ${kept.fault.message}`;
  return { ...own, canMake: true, canKeep: true, note };
}

/** The bricks of what was posted to a worker. @param pool makes those of levels that a .stria leaves out @throws StriaError like the readers; `unsupported` if the file can only be read in order */
export async function bricksRequested(request: LoadRequest, pool: TaskPool): Promise<BrickSource> {
  const container = await containerRequested(request);
  if (container) {
    return HalvedBricks.open(container.reader, pool).catch((error: unknown) => {
      throw inContext(container.source.name, error);
    });
  }
  const volume = await openRequested(request);
  const { leveled, kept, canMake } = await levelsRequested(request, volume);
  if (!leveled) throw new StriaError('unsupported', 'this file can only be read in order');
  // There is one instance of the HDF5 library, which allows one call at a time.
  const readsAtOnce = volume.format === 'hdf5' ? 1 : undefined;
  const reading = { areChunked: volume.leveled !== undefined, readsAtOnce };
  if (canMake) return new MadeBricks(new VoxelBricks(volume.info, levelsBeforeMaking(volume, leveled), reading));
  const whole = new VoxelBricks(volume.info, leveled, reading);
  if (!kept) return whole;
  const coarser = await ContainerBricks.open(kept[0]);
  const { levelsOf } = kept[0].header;
  return levelsOf && KeptBricks.areAlike(whole, coarser) ? new KeptBricks(whole, coarser, levelsOf.factors) : whole;
}

/**
 * Boxes of a file at the resolutions that are made for it, before they are. A plain file has voxels in their place, every second, every
 * fourth and so on. Of a file that stores chunks, this would read all chunks, as making the levels does.
 */
export function levelsBeforeMaking(volume: OpenVolume, leveled: LeveledVoxels): LeveledVoxels {
  const levels = levelsToMake(volume.info);
  return leveledFile(volume, levels) ?? unmadeLevels(leveled, levels);
}

/** Boxes of an opened volume at the resolutions in its file; undefined if it can only be read in order. @throws StriaError like the readers */
export async function leveledRequested(volume: OpenVolume): Promise<StreamedLevels | undefined> {
  try {
    return volume.leveled ? await volume.leveled() : leveledFile(volume);
  } catch (error) {
    const { tag } = toStriaError(error);
    if (tag === 'corrupt' || tag === 'unsupported') return undefined;
    throw error;
  }
}

/**
 * What is known about labels: from the file itself and, unless that names them, from a table of the same name beside it. A file that is not
 * a table is ignored.
 */
export async function labelsOf(request: LoadRequest, { type }: VolumeInfo, own: OwnLabels): Promise<OwnLabels> {
  // A palette has colours only.
  const isNamed = own.table?.some(({ name }) => name !== undefined);
  if (isNamed || request.kind !== 'file' || request.folder || request.pictures || type === 'f32' || type === 'f64') return own;
  const find = remoteSiblings(request.siblings);
  for (const name of tableNamesFor(volumeStem(request.handle.name))) {
    try {
      const found = await find(name);
      if (found) return { ...own, table: mergedTable(own.table ?? [], await readLabelTable(found)) };
    } catch {
      // Another kind of text file with the table's name.
    }
  }
  return own;
}

/** The volumes of what was posted to a worker; none if it is a file with a single volume. @throws StriaError like the readers */
export async function listRequested(request: LoadRequest): Promise<readonly VolumeEntry[]> {
  if (request.kind !== 'file') return [];
  const { handle, siblings } = request;
  const input = treeRequested(request) ?? sourceOf(handle);
  return (await listVolumes(input, { siblings: remoteSiblings(siblings), levelBytes })) ?? [];
}

/** The headers that were read in the folder posted to this worker, for the next worker. */
export function headersFound(request: LoadRequest): FolderHeaders | undefined {
  const tree = treeRequested(request);
  return tree && folderHeaders(tree);
}

const trees = new WeakMap<FolderHandle, FileTree>();

function treeRequested(request: LoadRequest): FileTree | undefined {
  if (request.kind !== 'file' || request.folder === undefined) return undefined;
  const { folder, headers } = request;
  const tree = trees.get(folder) ?? treeOf(folder);
  if (headers && !trees.has(folder)) giveFolderHeaders(tree, headers);
  trees.set(folder, tree);
  return tree;
}
