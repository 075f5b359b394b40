import { type Dims3, elementBytes, type VolumeInfo } from '../shared/volume.ts';

/** The voxels of a box of a volume. */
export function boxOf({ dims, type }: VolumeInfo, voxels: Uint8Array, origin: Dims3, box: Dims3): Uint8Array {
  const width = elementBytes(type);
  const rowBytes = box[0] * width;
  const found = new Uint8Array(rowBytes * box[1] * box[2] * dims[3]);
  let at = 0;
  for (let t = 0; t < dims[3]; t++) {
    for (let z = 0; z < box[2]; z++) {
      for (let y = 0; y < box[1]; y++) {
        const start = (((t * dims[2] + origin[2] + z) * dims[1] + origin[1] + y) * dims[0] + origin[0]) * width;
        found.set(voxels.subarray(start, start + rowBytes), at);
        at += rowBytes;
      }
    }
  }
  return found;
}
