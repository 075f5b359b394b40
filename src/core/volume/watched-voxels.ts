import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { elementBytes, voxelCount } from '../shared/volume.ts';
import type { ExactVoxels, RegionBox, VoxelPiece } from './volume-source.ts';

export interface Watch extends JobOptions {
  readonly stage: string;
  /** The number of voxels of all boxes that will be read. Default: that of the box that is being read. */
  readonly total?: number | undefined;
}

/** The same voxels. Reading them reports its progress and can be cancelled, piece by piece. */
export function watchedVoxels(voxels: ExactVoxels, { stage, total, signal, onProgress }: Watch): ExactVoxels {
  const { info } = voxels;
  const width = elementBytes(info.type);
  let done = 0;
  const visited = (count: number, all: number) => {
    done += count;
    onProgress?.({ stage, done: done * width, total: all * width });
  };
  const { readAll } = voxels;
  return {
    info,
    ...(readAll && {
      readAll(visit: (piece: VoxelPiece, timePoint: number) => void) {
        throwIfAborted(signal);
        if (total === undefined) done = 0;
        return readAll.call(voxels, (piece, timePoint) => {
          throwIfAborted(signal);
          visit(piece, timePoint);
          visited(piece.size[0] * piece.size[1] * piece.size[2], total ?? voxelCount(info.dims));
        });
      },
    }),
    readBox(box, visit) {
      throwIfAborted(signal);
      if (total === undefined) done = 0;
      const all = total ?? box.size[0] * box.size[1] * box.size[2];
      return voxels.readBox(box, (piece) => {
        throwIfAborted(signal);
        visit(piece);
        visited(voxelsInBox(piece, box), all);
      });
    },
  };
}

/** The number of a piece's voxels that lie in the box for which the piece was read. */
function voxelsInBox(piece: VoxelPiece, box: RegionBox): number {
  const along = (axis: 0 | 1 | 2): number => {
    const end = Math.min(piece.first[axis] + piece.size[axis], box.first[axis] + box.size[axis]);
    return Math.max(0, end - Math.max(piece.first[axis], box.first[axis]));
  };
  return along(0) * along(1) * along(2);
}
