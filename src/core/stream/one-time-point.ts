import type { OpenVolume } from '../io/common/volume-reader.ts';
import { throwIfAborted } from '../shared/job.ts';
import { type VolumeInfo, volumeBytes } from '../shared/volume.ts';

/** A piece holds whole voxels of any type. */
const pieceBytes = 2 ** 22;

/**
 * One time point of a volume with random access, as a volume of its own.
 * @param beforePiece awaited before each piece of `voxels` is read, so that the caller can pause the reading;
 * is given the share that has been read, from 0 to 1
 */
export function oneTimePoint(
  volume: OpenVolume & Required<Pick<OpenVolume, 'fill'>>,
  timePoint: number,
  beforePiece: (share: number) => Promise<void> = async () => {},
): OpenVolume & Required<Pick<OpenVolume, 'fill'>> {
  const [x, y, z] = volume.info.dims;
  const info: VolumeInfo = { ...volume.info, dims: [x, y, z, 1], channels: undefined, windows: undefined };
  const bytes = volumeBytes(info);
  const fill: NonNullable<OpenVolume['fill']> = (target, start, job) => volume.fill(target, timePoint * bytes + start, job);
  return {
    info,
    format: volume.format,
    fill,
    async *voxels({ signal } = {}) {
      for (let start = 0; start < bytes; start += pieceBytes) {
        await beforePiece(start / bytes);
        throwIfAborted(signal);
        const piece = new Uint8Array(Math.min(pieceBytes, bytes - start));
        await fill(piece, start, { signal });
        yield piece;
      }
    },
    source: () => volume.source(),
  };
}
