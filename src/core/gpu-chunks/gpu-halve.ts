import halveShader from '../../shaders/gpu-chunks/halve.wgsl';
import type { BoxHalving } from '../chunks/backend.ts';
import { type GpuVoxels, type KernelCall, rowBytes } from '../codec/codec.ts';
import type { GatheredCopy } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { type LentBytes, wholeWords } from '../gpu/lent-bytes.ts';
import type { Dims3 } from '../shared/volume.ts';
import { paddedBoxBytes } from './gpu-chunks.ts';
import { packRows, plainBoxBytes, rowKernel } from './gpu-rows.ts';

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
  await gpu.prepareKernels([descriptor, rowKernel]);
  const commands = gpu.commands('halve', call.onTimes).stage('halve');
  const words = (of: Dims3) => rowBytes(of[0], elementBytes) / 4;
  const halved: GpuVoxels[] = [];
  for (const step of [steps, ...further]) {
    const from = halved.at(-1) ?? voxels;
    const dims: Dims3 = [Math.ceil(from.dims[0] / step[0]), Math.ceil(from.dims[1] / step[1]), Math.ceil(from.dims[2] / step[2])];
    const buffer = scope.reused('halved', paddedBoxBytes(dims, elementBytes));
    const shape = scope.uniform('shape', [
      ...[...from.dims, words(from.dims), ...dims, words(dims)],
      ...[...step.map((length) => length - 1), 0],
    ]);
    const workgroups = Math.ceil((words(dims) * dims[1] * dims[2]) / wordsPerWorkgroup);
    commands.dispatch(gpu.kernel(descriptor), [from.buffer, buffer, shape], workgroups);
    halved.push({ buffer, dims, elementBytes });
  }
  let total = 0;
  const copies = halved.map((box): GatheredCopy => {
    const size = wholeWords(plainBoxBytes(box));
    const copy = { buffer: packRows(gpu, commands, box, scope), offset: 0, size, to: total };
    total += size;
    return copy;
  });
  const lent = commands.lend(total, copies);
  await commands.submit();
  const { bytes, release } = lent();
  const results = copies.map(({ to }, index) => bytes.subarray(to, to + plainBoxBytes(halved[index] as GpuVoxels)));
  return { results, release };
}
