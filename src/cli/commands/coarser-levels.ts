import { HalvedBricks } from '../../core/bricks/halved-bricks.ts';
import { levelVoxels } from '../../core/bricks/level-voxels.ts';
import type { Backend } from '../../core/chunks/backend.ts';
import type { TaskPool } from '../../core/cpu/cpu-task.ts';
import type { ContainerReader } from '../../core/format/container-reader.ts';
import { type FileTree, isFileTree } from '../../core/io/common/file-tree.ts';
import type { OpenVolume } from '../../core/io/common/volume-reader.ts';
import { type LeftOutLevel, leftOutLevels } from '../../core/left-out/left-out-levels.ts';
import type { ByteSource, SiblingFinder } from '../../core/shared/bytes.ts';
import { toStriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import { type VolumeInfo, volumeBytes } from '../../core/shared/volume.ts';
import { combinedFactors, wholeFactors } from '../../core/shared/volume-level.ts';
import { containerVolume } from '../../core/stream/restore/container-volume.ts';
import { findKeptLevels } from '../../core/volume/levels/kept-levels.ts';
import type { CoarserLevels } from '../pictures/gpu-volume.ts';

const none: CoarserLevels = { levels: [], async *voxels() {} };

/** To make a level that a file leaves out, the whole volume is read. Of larger volumes only stored levels are used. */
const mostMadeFromBytes = 2 ** 36;
/** Nor are larger files fetched from a network for that. */
const mostFetchedBytes = 2 ** 28;
/** A layer of the level's chunks is held in memory, up to this size; encoded, as much of the next one as well. */
const mostLayerBytes = 2 ** 30;

/**
 * The levels of a .stria, also those that it leaves out.
 * @param openPool opens threads that make a level that the file leaves out
 * @param isRemote whether it comes over a network
 * @throws StriaError `corrupt` if one is damaged; `not-readable`, `aborted`
 */
export async function containerLevels(
  container: ContainerReader,
  backend: Backend,
  openPool: () => TaskPool,
  job: JobOptions,
  isRemote = false,
): Promise<CoarserLevels> {
  const levels = await container.levels(job);
  const stored = levelsIn(levels, backend, job);
  const { volume } = container.header;
  const isTooMuch = volumeBytes(volume) > mostMadeFromBytes || (isRemote && container.byteLength > mostFetchedBytes);
  const leftOut = leftOutLevels(container.header, levels[0]?.level)
    .map((level, at) => ({ ...level, number: at + 1 }))
    .filter((level) => !isTooMuch && layerBytes(volume, level) <= mostLayerBytes);
  return {
    levels: [...leftOut.map(({ dims, factors }) => ({ dims, factors })), ...stored.levels],
    async *voxels(index) {
      const made = leftOut[index];
      if (!made) return yield* stored.voxels(index - leftOut.length);
      const pool = openPool();
      try {
        yield* levelVoxels(await HalvedBricks.open(container, pool, job), made.number, job);
      } finally {
        await pool.destroy();
      }
    },
  };
}

/**
 * The levels in the file of a volume that is no .stria, or beside it; none if there are none, or if those beside it are another
 * file's, which `fault` says.
 * @throws StriaError of the readers
 */
export async function levelsOfPlain(
  volume: OpenVolume,
  {
    source,
    siblings,
    dataset,
  }: { readonly source: ByteSource | FileTree; readonly siblings: SiblingFinder; readonly dataset: string | undefined },
  backend: Backend,
  job: JobOptions,
): Promise<CoarserLevels> {
  // A file of chunks that are too large for boxes can still be read in order.
  const leveled = await volume.leveled?.(job).catch((error: unknown) => {
    const { tag } = toStriaError(error);
    if (tag !== 'corrupt' && tag !== 'unsupported') throw error;
    return undefined;
  });
  if (leveled && leveled.levels.length > 1) {
    return { levels: leveled.levels.slice(1), voxels: (index) => leveled.voxels(index + 1, job) };
  }
  leveled?.close();
  const kept = isFileTree(source) ? undefined : await findKeptLevels(volume, source, siblings, dataset, job);
  if (!kept) return none;
  if (kept.fault) return { ...none, fault: `${kept.name} is not used: ${kept.fault.message}` };
  const [first] = kept.levels;
  return levelsIn(kept.levels, backend, job, first.header.levelsOf?.factors);
}

/** @param scale how many voxels of the volume one voxel of the first reader's volume combines */
function levelsIn(readers: readonly ContainerReader[], backend: Backend, job: JobOptions, scale = wholeFactors): CoarserLevels {
  return {
    levels: readers.map(({ header, level }) => {
      return { dims: header.volume.dims, factors: combinedFactors(scale, level?.factors ?? wholeFactors) };
    }),
    async *voxels(index) {
      yield* (await containerVolume(readers[index] as ContainerReader, backend, job)).voxels(job);
    },
  };
}

function layerBytes({ type }: VolumeInfo, { dims: [x, y, z], grid }: LeftOutLevel): number {
  return volumeBytes({ dims: [x, y, Math.min(grid.chunkShape[2], z), 1], type });
}
