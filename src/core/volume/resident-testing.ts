import type { Gpu } from '../gpu/gpu.ts';
import { type Dims4, type ElementType, elementBytes, typedVoxels, type VolumeInfo, volumeBytes } from '../shared/volume.ts';

/** For tests: a volume's description with isotropic spacing and no orientation. */
export function testInfo(dims: Dims4, type: ElementType): VolumeInfo {
  const affine = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
  return { dims, type, spacing: [1, 1, 1, 1], spatialUnit: 'mm', timeUnit: 's', affine, slope: 1, intercept: 0 };
}

/** For tests: finite voxels of any type from a generator with a fixed seed, some with equal neighbours. */
export function testVoxels(info: VolumeInfo): Uint8Array {
  const bytes = new Uint8Array(volumeBytes(info));
  const width = elementBytes(info.type);
  const voxels = typedVoxels(info.type, bytes);
  let state = 12345;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
  for (let index = 0; index < voxels.length; index++) {
    if (index > 0 && next() % 3 === 0) voxels[index] = voxels[index - 1] as number;
    else if (info.type === 'f32' || info.type === 'f64') voxels[index] = (next() - 2 ** 31) / 1234.5;
    else for (let byte = 0; byte < width; byte++) bytes[index * width + byte] = next() >>> 16;
  }
  return bytes;
}

/** For tests: the same device with small bindings, so that a small volume needs several boxes. */
export function withBindingLimit(gpu: Gpu, bytes: number): Gpu {
  return new Proxy(gpu, {
    get: (target, key) => {
      if (key === 'maxBindingBytes') return bytes;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
