import halveShader from '../../shaders/gpu-chunks/halve.wgsl';
import type { BoxHalving } from '../chunks/backend.ts';
import { type GpuVoxels, type KernelCall, rowBytes } from '../codec/codec.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { LentBytes } from '../gpu/lent-bytes.ts';
import type { Dims3 } from '../shared/volume.ts';
import { paddedBoxBytes } from './gpu-chunks.ts';

const wordsPerWorkgroup = 256;

/** Halves a box of whole numbers, and its result as often as asked. Reads all results back, without row padding. */
export async function halveOnGpu(
  gpu: Gpu,
  voxels: GpuVoxels,
  { steps, further = [], method, type }: BoxHalving,
  call: KernelCall,
): Promise<Pick<LentBytes, 'release'> & { readonly results: readonly Uint8Array[] }> {
  using scope = call.scope.scope('halve');
  const { elementBytes } = voxels;
  const constants = { bits: 8 * elementBytes, is_signed: Number(type.startsWith('i')), is_mode: Number(method === 'mode') };
  const descriptor = { label: 'engine.halve', shader: halveShader, constants };
  await gpu.prepareKernels([descriptor]);
  const commands = gpu.commands('halve', call.onTimes).stage('halve');
  const words = (of: Dims3) => rowBytes(of[0], elementBytes) / 4;
  const halved: { readonly buffer: GPUBuffer; readonly dims: Dims3; readonly at: number; readonly size: number }[] = [];
  let [from, total] = [voxels, 0];
  for (const step of [steps, ...further]) {
    const dims: Dims3 = [Math.ceil(from.dims[0] / step[0]), Math.ceil(from.dims[1] / step[1]), Math.ceil(from.dims[2] / step[2])];
    const size = paddedBoxBytes(dims, elementBytes);
    const buffer = scope.reused('halved', size);
    const shape = scope.uniform('shape', [
      ...[...from.dims, words(from.dims), ...dims, words(dims)],
      ...[...step.map((length) => length - 1), 0],
    ]);
    const workgroups = Math.ceil((words(dims) * dims[1] * dims[2]) / wordsPerWorkgroup);
    commands.dispatch(gpu.kernel(descriptor), [from.buffer, buffer, shape], workgroups);
    halved.push({ buffer, dims, at: total, size });
    from = { buffer, dims, elementBytes };
    total += size;
  }
  const lent = commands.lend(
    total,
    halved.map(({ buffer, at, size }) => ({ buffer, offset: 0, size, to: at })),
  );
  await commands.submit();
  const { bytes, release } = lent();
  const results = halved.map(({ dims, at, size }) => withoutPadding(bytes.subarray(at, at + size), dims, elementBytes));
  return { results, release };
}

/** The same bytes if there is no padding. */
function withoutPadding(bytes: Uint8Array, [x, y, z]: Dims3, elementBytes: GpuVoxels['elementBytes']): Uint8Array {
  const [length, padded] = [x * elementBytes, rowBytes(x, elementBytes)];
  if (length === padded) return bytes;
  const plain = new Uint8Array(length * y * z);
  for (let row = 0; row < y * z; row++) plain.set(bytes.subarray(row * padded, row * padded + length), row * length);
  return plain;
}
