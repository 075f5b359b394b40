import { elementBytes } from '../../shared/volume.ts';
import type { TiffLayout } from './tiff-layout.ts';

/** Rows are read together up to this many bytes, if blocks may be cut. */
const partBytes = 2 ** 18;

/** The width and height of the unit in which boxes of a picture are read: a tile, or the rows of a strip. */
export function partOf({
  shape,
  compression,
  isTiled,
  isPlanar,
  blockWidth,
  blockHeight,
}: TiffLayout): readonly [columns: number, rows: number] {
  if (isTiled) return [Math.min(blockWidth, shape.width), Math.min(blockHeight, shape.height)];
  const rowBytes = shape.width * elementBytes(shape.type) * (isPlanar ? 1 : shape.channels);
  const fitting = Math.max(1, Math.floor(partBytes / rowBytes));
  const rows = compression === 1 ? fitting : Math.max(1, Math.floor(fitting / blockHeight)) * blockHeight;
  return [shape.width, Math.min(shape.height, rows)];
}
