import type { OpenVolume } from '../../io/common/volume-reader.ts';
import type { ByteSink, ByteSource } from '../../shared/bytes.ts';
import { StriaError, toStriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { levelsToMake, type MakeLevelsSettings, makeLevels, seenMethod, whyNoLevels } from './make-levels.ts';
import { oneTimePoint } from './one-time-point.ts';
import { pausedPieces } from './paused-pieces.ts';
import { randomAccess } from './random-access.ts';

/** A sink for at most so many bytes. */
export interface LimitedSink extends ByteSink {
  /** @throws StriaError `limit-too-small` */
  write(bytes: Uint8Array): Promise<void>;
}

export interface FittingLevelsSettings extends Pick<MakeLevelsSettings, 'backend' | 'choice'> {
  readonly timePoint: number;
  /** Awaited before each piece of the file is read. @param share how much of the file has been read, from 0 to 1 */
  readonly beforePiece?: ((share: number) => Promise<void>) | undefined;
}

/**
 * Makes the levels of one time point as `makeLevels` does, in memory that is limited. If they do not fit, the finest level is left out,
 * then the next one. A level has an eighth of the voxels of the one before, so the passes that stop early read about a seventh of the
 * file together. Voxels equal those of the levels that `makeLevels` gives the whole volume.
 * @param makeSink called for each pass @returns the finest level that was made, from 1
 * @throws StriaError `limit-too-small` if no level fits; as `makeLevels`
 */
export async function makeFittingLevels(
  volume: OpenVolume,
  source: Pick<ByteSource, 'name' | 'modifiedMs'>,
  makeSink: () => LimitedSink,
  { timePoint, beforePiece = async () => {}, backend, choice }: FittingLevelsSettings,
  job: JobOptions = {},
): Promise<{ readonly firstLevel: number }> {
  const access = await randomAccess(volume, job);
  if (!access) throw new StriaError('unsupported', whyNoLevels(volume));
  try {
    const time = oneTimePoint(volume, access, timePoint, beforePiece);
    // The volume's first planes decide how all time points are halved, in every pass.
    const method = await seenMethod(
      pausedVolume(volume, () => beforePiece(0)),
      job,
    );
    const count = levelsToMake(volume.info).length - 1;
    for (let firstLevel = 1; ; firstLevel++) {
      try {
        await makeLevels(time, source, makeSink(), { backend, choice, method, firstLevel }, job);
        return { firstLevel };
      } catch (error) {
        if (firstLevel >= count || toStriaError(error).tag !== 'limit-too-small') throw error;
      }
    }
  } finally {
    access.close();
  }
}

/** The volume, each read of which first awaits `beforeRead`. */
function pausedVolume({ info, fill, voxels }: OpenVolume, beforeRead: () => Promise<void>): Parameters<typeof seenMethod>[0] {
  return {
    info,
    voxels: (options) => pausedPieces(voxels(options), beforeRead),
    ...(fill && {
      async fill(...read) {
        await beforeRead();
        await fill(...read);
      },
    }),
  };
}
