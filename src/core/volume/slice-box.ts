import { rowBytes } from '../codec/codec.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { type ElementType, elementBytes } from '../shared/volume.ts';
import type { LevelBox } from '../shared/volume-level.ts';
import { placeUniform, type SliceBox } from './volume-source.ts';

/**
 * Uploads voxels to draw slices from them at any time point. `scope` owns the buffer.
 * @param bytes as from `LeveledVoxels.read`
 */
export function sliceBoxOf(
  gpu: Gpu,
  scope: GpuScope,
  type: ElementType,
  { first, size }: Pick<LevelBox, 'first' | 'size'>,
  bytes: Uint8Array<ArrayBuffer>,
): SliceBox {
  const width = codecElementBytes(type);
  const length = size[0] * elementBytes(type);
  const elementsX = length / width;
  const padded = rowBytes(elementsX, width);
  const rows = size[1] * size[2];
  let words = bytes;
  if (padded !== length) {
    words = new Uint8Array(padded * rows);
    for (let row = 0; row < rows; row++) words.set(bytes.subarray(row * length, (row + 1) * length), row * padded);
  }
  const buffer = scope.storage('voxels', padded * rows);
  gpu.device.queue.writeBuffer(buffer, 0, words);
  const place = placeUniform(scope, { first, size, planesPerTimePoint: 0, rowWords: padded / 4 });
  return { voxels: { buffer, dims: [elementsX, size[1], size[2]], elementBytes: width }, place };
}
