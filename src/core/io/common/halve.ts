import { type Dims3, type ElementType, elementBytes, typedVoxels, type VoxelArray } from '../../shared/volume.ts';

/** How up to eight voxels become one: by their mean, or for labels by the most frequent one. */
export type HalvingMethod = 'mean' | 'mode';

/**
 * Halves volumes along some axes. At the end of an odd length, a voxel combines only the existing ones. Means of integers are rounded,
 * halves away from zero. Among equally frequent labels, the first one (x fastest, then y, z) is used.
 * @param dims of each volume
 * @param steps 2 along an axis that is halved, otherwise 1
 * @param count the number of consecutive volumes
 */
export function halve(
  from: VoxelArray,
  type: ElementType,
  dims: Dims3,
  steps: Dims3,
  count: number,
  method: HalvingMethod,
): VoxelArray {
  const [nx, ny, nz] = dims;
  const [sx, sy, sz] = steps;
  const [mx, my, mz] = [Math.ceil(nx / sx), Math.ceil(ny / sy), Math.ceil(nz / sz)];
  const to = typedVoxels(type, new Uint8Array(mx * my * mz * count * elementBytes(type)));
  const round = type === 'f32' || type === 'f64' ? (value: number) => value : roundHalfAway;
  const near = new Array<number>(8);
  let at = 0;
  for (let volume = 0; volume < count; volume++) {
    for (let z = 0; z < mz; z++) {
      const endZ = Math.min(z * sz + sz, nz);
      for (let y = 0; y < my; y++) {
        const endY = Math.min(y * sy + sy, ny);
        for (let x = 0; x < mx; x++) {
          const endX = Math.min(x * sx + sx, nx);
          let found = 0;
          let sum = 0;
          for (let fromZ = z * sz; fromZ < endZ; fromZ++) {
            for (let fromY = y * sy; fromY < endY; fromY++) {
              const row = ((volume * nz + fromZ) * ny + fromY) * nx;
              for (let fromX = x * sx; fromX < endX; fromX++) {
                const value = from[row + fromX] as number;
                near[found++] = value;
                sum += value;
              }
            }
          }
          to[at++] = method === 'mean' ? round(sum / found) : mostFrequent(near, found);
        }
      }
    }
  }
  return to;
}

function roundHalfAway(value: number): number {
  return value < 0 ? -Math.floor(0.5 - value) : Math.floor(value + 0.5);
}

function mostFrequent(values: readonly number[], length: number): number {
  let best = values[0] as number;
  let bestCount = 0;
  for (let at = 0; at < length - bestCount; at++) {
    let count = 0;
    for (let other = at; other < length; other++) if (values[other] === values[at]) count++;
    if (count > bestCount) {
      best = values[at] as number;
      bestCount = count;
    }
  }
  return best;
}
