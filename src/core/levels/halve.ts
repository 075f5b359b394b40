import moduleBytes from '../../assembly/halve/index.ts?assembly';
import type { HalvingMethod } from '../shared/halving.ts';
import { type Dims3, type ElementType, elementBytes, elementTypes, typedVoxels, type VoxelArray } from '../shared/volume.ts';
import { lazyModule } from '../shared/wasm-module.ts';
import { halveByReference } from './halve-reference.ts';
import { halvedDims } from './halved-dims.ts';

const halver = lazyModule<'halve'>(moduleBytes);

/** Fit into the caches. */
const defaultBytesAtOnce = 2 ** 22;

/**
 * Halves volumes along some axes. docs/FORMAT.md, 'Levels', defines every bit of the result. At the end of an odd length, a voxel
 * combines only the existing ones.
 * @param dims of each volume
 * @param steps 2 along an axis that is halved, otherwise 1
 * @param count the number of consecutive volumes
 * @param bytesAtOnce voxels that are copied into WebAssembly memory at a time, if rows allow it
 */
export function halve(
  from: VoxelArray,
  type: ElementType,
  dims: Dims3,
  steps: Dims3,
  count: number,
  method: HalvingMethod,
  bytesAtOnce = defaultBytesAtOnce,
): VoxelArray {
  // The module has no modes of floats.
  const module = method === 'mode' && type.startsWith('f') ? undefined : halver();
  if (!module) return halveByReference(from, type, dims, steps, count, method);
  const [nx, ny, nz] = dims;
  const to = halvedDims(dims, steps);
  const bytes = new Uint8Array(from.buffer, from.byteOffset, from.byteLength);
  const halved = new Uint8Array(to[0] * to[1] * to[2] * count * elementBytes(type));
  const rowBytes = nx * elementBytes(type);
  const rowsAtOnce = Math.max(steps[1] * steps[2], Math.floor(bytesAtOnce / rowBytes));
  // Whole planes, or rows of as few planes as make one.
  const depth = Math.max(steps[2], steps[2] * Math.floor(rowsAtOnce / (ny * steps[2])));
  const height = depth > steps[2] ? ny : Math.min(ny, steps[1] * Math.floor(rowsAtOnce / (steps[1] * steps[2])));
  let filled = 0;
  for (let volume = 0; volume < count; volume++) {
    for (let z = 0; z < nz; z += depth) {
      for (let y = 0; y < ny; y += height) {
        const shape: Dims3 = [nx, Math.min(height, ny - y), Math.min(depth, nz - z)];
        const planeBytes = shape[1] * rowBytes;
        const [x2, y2, z2] = halvedDims(shape, steps);
        const length = x2 * y2 * z2 * elementBytes(type);
        const { memory, at } = module.room(planeBytes * shape[2], length);
        const [source, target] = at as [number, number];
        for (let plane = 0; plane < shape[2]; plane++) {
          const start = ((volume * nz + z + plane) * ny + y) * rowBytes;
          memory.set(bytes.subarray(start, start + planeBytes), source + plane * planeBytes);
        }
        module.call('halve', ...halvingParameters(type, method), source, rowBytes, planeBytes, ...shape, ...steps, target);
        halved.set(memory.subarray(target, target + length), filled);
        filled += length;
      }
    }
  }
  return typedVoxels(type, halved);
}

/** How src/assembly/halve takes a type and a method. */
export function halvingParameters(type: ElementType, method: HalvingMethod): [type: number, isMode: number] {
  return [elementTypes.indexOf(type), Number(method === 'mode')];
}
