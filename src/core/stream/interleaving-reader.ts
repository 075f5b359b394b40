import { type ChunkGrid, codecElementBytes } from '../format/chunk-grid.ts';
import type { ElementType } from '../shared/volume.ts';
import { ReusedBytes } from './slabs.ts';
import type { VoxelReader } from './voxel-reader.ts';

/**
 * Reads the planes of a volume in the order of `ChunkGrid.planeAt`. Holds the time points of one chunk, because a file holds one
 * after the other, and may only be readable in order (`checkChunkShape` limits their size).
 * @param reader gives the planes in the order of the source
 */
export function interleaving(reader: VoxelReader, grid: ChunkGrid, type: ElementType): VoxelReader {
  const [width, height, depth] = grid.dims;
  const planeBytes = width * height * codecElementBytes(type);
  const memory = new ReusedBytes();
  /** The first time point that `group` holds. */
  let held: number | undefined;
  let group = memory.take(0);
  /** In bytes, in the order of `planeAt`. */
  let at = 0;
  /** In bytes, in the order of the source. */
  let readTo = 0;
  const skipTo = async (byte: number) => {
    await reader.skip(byte - readTo);
    readTo = byte;
  };
  const hold = async (t: number): Promise<void> => {
    const first = grid.timeBlock(t) * grid.timePointsPerChunk;
    if (first === held) return;
    const { timePoints } = grid.layerBox(grid.timeBlock(t) * grid.counts[2]);
    held = undefined;
    group = memory.take(timePoints * depth * planeBytes);
    await skipTo(first * depth * planeBytes);
    await reader.fill(group);
    readTo += group.byteLength;
    held = first;
  };
  return {
    async skip(byteLength) {
      at += byteLength;
    },
    async fill(target) {
      for (let filled = 0; filled < target.byteLength; ) {
        const { z, t } = grid.placeOfPlane(Math.floor(at / planeBytes));
        await hold(t);
        const inPlane = at % planeBytes;
        const length = Math.min(planeBytes - inPlane, target.byteLength - filled);
        const from = ((t % grid.timePointsPerChunk) * depth + z) * planeBytes + inPlane;
        target.set(group.subarray(from, from + length), filled);
        filled += length;
        at += length;
      }
    },
    async end() {
      await skipTo(grid.dims[3] * depth * planeBytes);
      await reader.end();
    },
    close: () => reader.close(),
  };
}
