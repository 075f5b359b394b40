import type { JobOptions } from '../../shared/job.ts';
import { elementBytes } from '../../shared/volume.ts';
import type { PixelBox, RowStrip } from '../common/picture.ts';
import { type Blocks, blockRows, putRow } from './tiff-pixels.ts';

/**
 * The pixels of a part of a picture, one array of rows for each channel. Only the blocks that it touches are read, and only the needed
 * rows of uncompressed blocks.
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
 */
export async function readPixelBox(
  blocks: Blocks,
  channels: readonly number[],
  { left, top, width, height }: PixelBox,
  { signal }: JobOptions,
): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const { layout } = blocks;
  const { shape, isPlanar, blockWidth, blockHeight } = layout;
  const target = channels.map(() => new Uint8Array(width * height * elementBytes(shape.type)));
  const readers: readonly (readonly [readonly number[], RowStrip])[] = isPlanar
    ? target.map((rows, index) => [channels.slice(index, index + 1), [rows]])
    : [[channels, target]];
  for (const [wanted, strip] of readers) {
    for (let row = Math.floor(top / blockHeight); row * blockHeight < top + height; row++) {
      const first = Math.max(0, top - row * blockHeight);
      const end = Math.min(blockHeight, top + height - row * blockHeight);
      for (let column = Math.floor(left / blockWidth); column * blockWidth < left + width; column++) {
        const x = column * blockWidth;
        const from = Math.max(left, x);
        const columns = Math.min(left + width, x + blockWidth) - from;
        let y = first;
        for await (const samples of blockRows(blocks, column, row, wanted[0] ?? 0, signal, { first, end })) {
          const at = (row * blockHeight + y - top) * width + from - left;
          putRow(samples, strip, wanted, layout, at, columns, from - x);
          y++;
        }
      }
    }
  }
  return target;
}
