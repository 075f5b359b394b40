import { inContext } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { LeastRecent } from '../../shared/least-recent.ts';
import { typedVoxels } from '../../shared/volume.ts';
import type { StreamedLevels } from '../../shared/volume-level.ts';
import { planAxes } from '../common/array-axes.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { griddedLevels } from '../common/gridded-levels.ts';
import type { PictureParts, PictureReader, PictureShape } from '../common/picture.ts';
import type { VoxelGrid } from '../common/voxel-grid.ts';

/** As in `stackVolume`: the samples of a pixel vary slowest. */
const axes = ['c', 't', 'z', 'y', 'x'] as const;
/** Opened pictures are kept up to this many bytes. */
const openBytes = 2 ** 26;

/**
 * Boxes of a stack: only the parts of the pictures that a box touches are read.
 * @param shape of each picture
 * @param pictures those of the first time point, then those of the next one
 * @param depth how many pictures a time point has
 * @param nameOf the picture's name in messages; undefined if there is only one
 */
export function stackBoxes(
  { width, height, channels, type }: PictureShape,
  pictures: readonly PictureParts[],
  depth: number,
  nameOf: (index: number) => string | undefined,
  limitBytes: number | undefined,
): StreamedLevels {
  const { size, isPlanar } = pictures[0] as PictureParts;
  const [columns, rows] = size;
  const samples = isPlanar ? 1 : channels;
  const opened = new LeastRecent<number, PictureReader>();

  const open = async (index: number, { signal }: JobOptions): Promise<PictureReader> => {
    const known = opened.get(index);
    if (known) return known;
    const reader = await (pictures[index] as PictureParts).open({ signal, limitBytes });
    opened.set(index, reader, reader.tableBytes);
    for (const [oldest] of opened.oldest()) {
      if (opened.bytes <= openBytes) break;
      opened.delete(oldest);
    }
    return reader;
  };

  const grid: VoxelGrid = {
    shape: [channels, pictures.length / depth, depth, height, width],
    chunks: [samples, 1, 1, rows, columns],
    type,
    async read([sample = 0, t = 0, z = 0, row = 0, column = 0], job) {
      const index = t * depth + z;
      const [left, top] = [column * columns, row * rows];
      const box = { left, top, width: Math.min(columns, width - left), height: Math.min(rows, height - top) };
      const wanted = samples === 1 ? [sample] : Array.from({ length: channels }, (_, number) => number);
      const stride = [samples === 1 ? 0 : box.width * box.height, 0, 0, box.width, 1];
      try {
        const reader = await open(index, job);
        return { data: typedVoxels(type, joinBytes(await reader.read(wanted, box, job))), stride };
      } catch (error) {
        const name = nameOf(index);
        throw name === undefined ? error : inContext(name, error);
      }
    },
  };
  return griddedLevels([{ grid, plan: planAxes(axes, grid.shape) }], {}, () => opened.clear());
}
