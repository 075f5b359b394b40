import { halve } from '../levels/halve.ts';
import { halvedDims } from '../levels/halved-dims.ts';
import { type Dims3, elementBytes, typedVoxels, type VolumeInfo, type VoxelArray } from '../shared/volume.ts';
import type { LeftOutLevel } from './left-out-levels.ts';

/**
 * A whole level that a file leaves out, in order and in pieces. It holds only as many planes of the volume as are halved to one.
 * @param pieces the voxels of the volume in order, in pieces of any size
 */
export async function* halvedPlanes(
  pieces: AsyncIterable<Uint8Array>,
  { dims: [x, y, z], type }: Pick<VolumeInfo, 'dims' | 'type'>,
  { factors, halvings, method }: LeftOutLevel,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const planeBytes = x * y * elementBytes(type);
  const group = new Uint8Array(planeBytes * Math.min(factors[2], z));
  let [plane, filled] = [0, 0];
  for await (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; ) {
      const depth = Math.min(factors[2], z - plane);
      const length = Math.min(depth * planeBytes - filled, piece.byteLength - at);
      group.set(piece.subarray(at, at + length), filled);
      filled += length;
      at += length;
      if (filled < depth * planeBytes) continue;
      let dims: Dims3 = [x, y, depth];
      let voxels: VoxelArray = typedVoxels(type, group.subarray(0, filled));
      for (const steps of halvings) {
        voxels = halve(voxels, type, dims, steps, 1, method);
        dims = halvedDims(dims, steps);
      }
      yield new Uint8Array(voxels.buffer as ArrayBuffer, voxels.byteOffset, voxels.byteLength);
      plane = (plane + depth) % z;
      filled = 0;
    }
  }
}
