import type { OpenVolume } from '../io/common/volume-reader.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { elementBytes } from '../shared/volume.ts';
import { checkedLevelBox, type LeveledVoxels, wholeFactors } from './volume-level.ts';

/** A box is refused if more bytes, or more pieces, would have to be read for it. */
const mostBytes = 2 ** 26;
const mostReads = 2 ** 13;
/** Rows that lie nearer to each other than this are read together. */
const nearBytes = 2 ** 14;

/** Boxes of a file without levels whose voxels can be read at any place; undefined for others, such as gzip. */
export function leveledFile(volume: Pick<OpenVolume, 'info' | 'fill'>): LeveledVoxels | undefined {
  const { info } = volume;
  if (!volume.fill) return undefined;
  const fill = volume.fill.bind(volume);
  const width = elementBytes(info.type);
  const [nx, ny, nz] = info.dims;
  const rowLength = nx * width;
  const levels = [{ dims: info.dims, factors: wholeFactors }];
  return {
    levels,
    async read(box, { signal } = {}) {
      checkedLevelBox(levels, box);
      const { first, size, timePoint } = box;
      const [columns, rows, planes] = size;
      const length = columns * width;
      // A run is one read: all rows of a plane if they are near each other, otherwise one row.
      const isPlane = rowLength - length <= nearBytes;
      const runRows = isPlane ? rows : 1;
      const runBytes = (runRows - 1) * rowLength + length;
      const runs = (rows / runRows) * planes;
      if (runs > mostReads || runs * runBytes > mostBytes) {
        throw new StriaError('unsupported', `too much of the file would be read for ${size.join('×')} voxels`);
      }
      const target = new Uint8Array(length * rows * planes);
      for (let run = 0; run < runs; run++) {
        throwIfAborted(signal);
        const row = (run * runRows) % rows;
        const plane = Math.floor((run * runRows) / rows);
        const start = (((timePoint * nz + first[2] + plane) * ny + first[1] + row) * nx + first[0]) * width;
        const bytes = new Uint8Array(runBytes);
        await fill(bytes, start, { signal });
        for (let at = 0; at < runRows; at++) {
          target.set(bytes.subarray(at * rowLength, at * rowLength + length), (run * runRows + at) * length);
        }
      }
      return target;
    },
    close() {},
  };
}
