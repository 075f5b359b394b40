import type { OpenVolume } from '../../io/common/volume-reader.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { pausedPieces } from './paused-pieces.ts';
import type { RandomAccess } from './random-access.ts';

/**
 * One time point of a volume with random access, as a volume of its own.
 * @param beforePiece awaited before each piece of `voxels` is read, so that the caller can pause the reading;
 * is given the share that has been read, from 0 to 1
 */
export function oneTimePoint(
  volume: OpenVolume,
  access: RandomAccess,
  timePoint: number,
  beforePiece: (share: number) => Promise<void> = async () => {},
): OpenVolume & Required<Pick<OpenVolume, 'fill'>> {
  const [x, y, z] = volume.info.dims;
  const info: VolumeInfo = { ...volume.info, dims: [x, y, z, 1], channels: undefined, windows: undefined };
  const bytes = volumeBytes(info);
  return {
    info,
    format: volume.format,
    fill: (target, start, job) => access.fill(target, timePoint * bytes + start, job),
    async *voxels({ signal } = {}) {
      let read = 0;
      const pause = async (): Promise<void> => {
        if (read < bytes) await beforePiece(read / bytes);
        throwIfAborted(signal);
      };
      for await (const piece of pausedPieces(access.voxelsAt(timePoint, { signal }), pause)) {
        read += piece.byteLength;
        yield piece;
      }
    },
    source: () => volume.source(),
  };
}
