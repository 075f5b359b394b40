import { fingerprint } from '../../format/fingerprint.ts';
import type { OpenVolume } from '../../io/common/volume-reader.ts';
import type { JobOptions } from '../../shared/job.ts';
import { type VolumeInfo, volumeBytes } from '../../shared/volume.ts';

const pieceBytes = 2 ** 16;
/** A piece begins with a whole voxel of any type. */
const alignment = 8;

/**
 * Identifies the voxels of a volume by at most 1 MiB of them, so that it is quick over a network: `fingerprint` of their bytes as
 * `OpenVolume.voxels` gives them, in pieces of 64 KiB. @returns 16 hexadecimal digits @throws StriaError of `fill`
 */
export function voxelsPrint(info: VolumeInfo, fill: NonNullable<OpenVolume['fill']>, job: JobOptions): Promise<string> {
  const size = volumeBytes(info);
  const read = async (offset: number, length: number) => {
    const start = offset - (offset % alignment);
    const bytes = new Uint8Array(Math.min(length, size - start));
    await fill(bytes, start, { signal: job.signal });
    return bytes;
  };
  return fingerprint({ size, read }, { signal: job.signal }, pieceBytes);
}
