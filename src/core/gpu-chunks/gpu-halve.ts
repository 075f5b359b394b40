import halveShader from '../../shaders/gpu-chunks/halve.wgsl';
import type { HalvingWish } from '../chunks/backend.ts';
import { type GpuVoxels, type KernelCall, rowBytes } from '../codec/codec.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { Dims3 } from '../shared/volume.ts';
import { paddedBoxBytes } from './gpu-chunks.ts';
import { downloadBox } from './gpu-transfer.ts';

const wordsPerWorkgroup = 256;

/** Halves a box of whole numbers, and reads the result back, without row padding. */
export async function halveOnGpu(
  gpu: Gpu,
  voxels: GpuVoxels,
  { steps, method, type }: HalvingWish,
  call: KernelCall,
): Promise<Uint8Array<ArrayBuffer>> {
  using scope = call.scope.scope('halve');
  const { dims, elementBytes } = voxels;
  const to: Dims3 = [Math.ceil(dims[0] / steps[0]), Math.ceil(dims[1] / steps[1]), Math.ceil(dims[2] / steps[2])];
  const words = (of: Dims3) => rowBytes(of[0], elementBytes) / 4;
  const halved = { buffer: scope.reused('halved', paddedBoxBytes(to, elementBytes)), dims: to, elementBytes };
  const constants = { bits: 8 * elementBytes, is_signed: Number(type.startsWith('i')), is_mode: Number(method === 'mode') };
  const descriptor = { label: 'engine.halve', shader: halveShader, constants };
  await gpu.prepareKernels([descriptor]);
  const shape = scope.uniform('shape', [...dims, words(dims), ...to, words(to), ...steps.map((step) => step - 1), 0]);
  const commands = gpu.commands('halve', call.onTimes);
  const workgroups = Math.ceil((words(to) * to[1] * to[2]) / wordsPerWorkgroup);
  commands.stage('halve').dispatch(gpu.kernel(descriptor), [voxels.buffer, halved.buffer, shape], workgroups);
  await commands.submit();
  const bytes = new Uint8Array(to[0] * to[1] * to[2] * elementBytes);
  await downloadBox(gpu, halved, bytes);
  return bytes;
}
