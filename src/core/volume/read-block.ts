import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { elementBytes, typedVoxels, type VoxelArray } from '../shared/volume.ts';
import type { ExactVoxels, RegionBox } from './volume-source.ts';

export interface BlockOptions extends Pick<JobOptions, 'signal'> {
  /** The memory for the voxels, of exactly their size and aligned to them. Default: new memory. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Reads the voxels of a box into one array, row by row and without padding.
 * @throws StriaError `aborted`; errors of `readBox`
 */
export async function readBlock(volume: ExactVoxels, box: RegionBox, { signal, bytes }: BlockOptions = {}): Promise<VoxelArray> {
  const { first, size } = box;
  const { type } = volume.info;
  const block = typedVoxels(type, bytes ?? new Uint8Array(size[0] * size[1] * size[2] * elementBytes(type)));
  await volume.readBox(box, (piece) => {
    throwIfAborted(signal);
    const begin = Math.max(first[0], piece.first[0]);
    const end = Math.min(first[0] + size[0], piece.first[0] + piece.size[0]);
    for (let z = 0; z < piece.size[2]; z++) {
      for (let y = 0; y < piece.size[1]; y++) {
        const [row, plane] = [piece.first[1] + y - first[1], piece.first[2] + z - first[2]];
        if (row < 0 || row >= size[1] || plane < 0 || plane >= size[2] || begin >= end) continue;
        const from = (z * piece.size[1] + y) * piece.rowLength - piece.first[0];
        const to = (plane * size[1] + row) * size[0] - first[0];
        block.set(piece.values.subarray(from + begin, from + end) as never, to + begin);
      }
    }
  });
  return block;
}
