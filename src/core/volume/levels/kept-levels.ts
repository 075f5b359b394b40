import { ContainerReader } from '../../format/container-reader.ts';
import { levelVolume } from '../../format/level.ts';
import type { OpenVolume } from '../../io/common/volume-reader.ts';
import type { ByteSource, SiblingFinder } from '../../shared/bytes.ts';
import { StriaError, toStriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { elementBytes } from '../../shared/volume.ts';
import {
  checkedLevelBox,
  combinedFactors,
  type StreamedLevels,
  timePointsOf,
  type VolumeLevel,
  wholeFactors,
} from '../../shared/volume-level.ts';
import { levelsName } from '../../shared/volume-names.ts';
import { type RandomAccess, randomAccess } from '../../stream/made-levels/random-access.ts';
import { voxelsPrint } from '../../stream/made-levels/voxels-print.ts';
import { leveledContainer } from './leveled-container.ts';

/** `voxels` reads as many planes together as Stria's chunks are deep, unless they take more bytes. */
const [mostPlanes, mostPieceBytes] = [64, 2 ** 26];

/** The first level, and the further ones. */
export type LevelReaders = readonly [ContainerReader, ...ContainerReader[]];

/** What lies beside a file: its levels, or a file in their place that cannot be used, and why. */
export type KeptLevels =
  | { readonly name: string; readonly levels: LevelReaders; readonly fault?: undefined }
  | { readonly name: string; readonly fault: StriaError };

/**
 * Looks for the levels kept beside a file that has none of its own, and checks that they were made from its present voxels. Undefined if
 * there are none. Whatever is wrong with them, or fails while they are checked, is the result's `fault`, so that the file itself can still
 * be opened.
 * @param source the file that the volume was opened from
 * @param dataset the id of the volume if the file holds several
 * @throws StriaError `aborted`
 */
export async function findKeptLevels(
  volume: OpenVolume,
  source: Pick<ByteSource, 'name' | 'modifiedMs'>,
  siblings: SiblingFinder,
  dataset: string | undefined,
  job: JobOptions = {},
): Promise<KeptLevels | undefined> {
  if (!volume.fill && !volume.leveled) return undefined;
  const name = levelsName(source.name, dataset);
  let access: RandomAccess | undefined;
  try {
    const found = await siblings(name);
    access = found && (await randomAccess(volume, job));
    if (!found || !access) return undefined;
    const reader = await ContainerReader.open(found, job);
    const levels: LevelReaders = [reader, ...(await reader.levels())];
    const fault = otherVolume(volume, source, reader);
    if (fault) return { name, fault };
    if (reader.header.levelsOf?.voxels === (await voxelsPrint(volume.info, access.fill, job))) return { name, levels };
    return { name, fault: new StriaError('invalid-input', 'the file now has other voxels') };
  } catch (error) {
    const fault = toStriaError(error);
    if (fault.tag === 'aborted') throw fault;
    return { name, fault };
  } finally {
    access?.close();
  }
}

/** Why levels cannot be those of a volume, as far as their header and the file's time tell. */
function otherVolume(
  { info }: Pick<OpenVolume, 'info'>,
  { modifiedMs }: Pick<ByteSource, 'modifiedMs'>,
  { header, lostCount }: ContainerReader,
): StriaError | undefined {
  const { levelsOf, volume, part } = header;
  if (!levelsOf) return new StriaError('invalid-input', 'it does not hold the levels of another file');
  if (part || lostCount > 0) return new StriaError('invalid-input', 'it is not complete');
  const { dims } = levelVolume(info, levelsOf.factors);
  if (dims.join() !== volume.dims.join() || info.type !== volume.type) {
    return new StriaError('invalid-input', 'it is of a volume of another size or type');
  }
  if (modifiedMs !== undefined && levelsOf.modifiedMs !== undefined && modifiedMs !== levelsOf.modifiedMs) {
    return new StriaError('invalid-input', 'the file has been modified since');
  }
  return undefined;
}

/** A file with the levels that are kept beside it. @param plain the file at full resolution @param kept from `findKeptLevels` */
export function withKeptLevels(plain: StreamedLevels, [first, ...further]: LevelReaders): StreamedLevels {
  const scale = first.header.levelsOf?.factors ?? wholeFactors;
  const coarse = leveledContainer(first, further);
  const whole = plain.levels[0] as VolumeLevel;
  const levels = [
    whole,
    ...coarse.levels.map(({ dims, factors }): VolumeLevel => ({ dims, factors: combinedFactors(scale, factors) })),
  ];
  const read: StreamedLevels['read'] = async (box, options) => {
    checkedLevelBox(levels, box);
    if (box.level === 0) return plain.read(box, options);
    return coarse.read({ ...box, level: box.level - 1 }, options);
  };
  return {
    levels,
    chunkShape: plain.chunkShape,
    read,
    async *voxels(level, options = {}) {
      if (level === 0) return yield* plain.voxels(level, options);
      const { dims } = levels[level] as VolumeLevel;
      const planeBytes = dims[0] * dims[1] * elementBytes(first.header.volume.type);
      const planesAtOnce = Math.max(1, Math.min(mostPlanes, Math.floor(mostPieceBytes / planeBytes)));
      for (const timePoint of timePointsOf(options, dims[3])) {
        for (let z = 0; z < dims[2]; z += planesAtOnce) {
          yield await read(
            { level, first: [0, 0, z], size: [dims[0], dims[1], Math.min(planesAtOnce, dims[2] - z)], timePoint },
            options,
          );
        }
      }
    },
    close() {
      plain.close();
      coarse.close();
    },
  };
}
