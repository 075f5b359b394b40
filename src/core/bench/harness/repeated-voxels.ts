import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { type Dims3, elementBytes, volumeBytes } from '../../shared/volume.ts';
import type { ScannedVolume } from './context.ts';

/** A GiB: more than any single time point that is worth a benchmark. */
const mostBytes = 2 ** 30;

/**
 * The first time point of a volume, repeated along x, y and z and cut off at `dims`, x fastest.
 * @throws StriaError `unsupported` for 64-bit voxels and for time points above 1 GiB; the reader's errors
 */
export async function repeatedVoxels(volume: ScannedVolume, dims: Dims3, job: JobOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { type, dims: whole } = volume.info;
  const [width, height, depth] = whole;
  const voxelBytes = elementBytes(type);
  if (voxelBytes === 8) throw new StriaError('unsupported', `the suite codecs takes voxels of at most 32 bits, not ${type}`);
  const pointBytes = volumeBytes({ type, dims: [width, height, depth, 1] });
  if (pointBytes > mostBytes)
    throw new StriaError('unsupported', 'the suite codecs takes files with at most 1 GiB in a time point');
  const point = new Uint8Array(pointBytes);
  let filled = 0;
  for await (const piece of volume.voxels(job)) {
    const taken = piece.subarray(0, pointBytes - filled);
    point.set(taken, filled);
    filled += taken.byteLength;
    if (filled === pointBytes) break;
  }
  const rowBytes = dims[0] * voxelBytes;
  const bytes = new Uint8Array(rowBytes * dims[1] * dims[2]);
  for (let z = 0; z < dims[2]; z++) {
    for (let y = 0; y < dims[1]; y++) {
      const from = ((z % depth) * height + (y % height)) * width * voxelBytes;
      const row = point.subarray(from, from + width * voxelBytes);
      const start = (z * dims[1] + y) * rowBytes;
      for (let x = 0; x < rowBytes; x += row.byteLength) bytes.set(row.subarray(0, rowBytes - x), start + x);
    }
  }
  return bytes;
}
