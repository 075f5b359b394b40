import halveShader from '../../shaders/gpu-chunks/halve.wgsl';
import type { BoxHalving, HalvedPart, HeldBox, VoxelBox } from '../chunks/backend.ts';
import { type GpuVoxels, type KernelCall, rowBytes } from '../codec/codec.ts';
import type { GatheredCopy } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { type LentBytes, wholeWords } from '../gpu/lent-bytes.ts';
import type { Dims3 } from '../shared/volume.ts';
import { paddedBoxBytes } from './gpu-chunks.ts';
import { packRows, plainBoxBytes, rowKernel } from './gpu-rows.ts';
import { guardedAtOnce } from './guarded.ts';

const wordsPerWorkgroup = 256;

/** Memory for a box that `halveOnGpu` fills. The caller destroys the scope. @throws StriaError `out-of-memory`, `device-lost` */
export async function holdOnGpu(gpu: Gpu, { dims, elementBytes }: Omit<VoxelBox, 'bytes'>) {
  const scope = gpu.scope('held');
  try {
    const buffer = await guardedAtOnce(gpu, async () => scope.reused('box', paddedBoxBytes(dims, elementBytes)));
    return { scope, voxels: { buffer, dims, elementBytes } };
  } catch (error) {
    scope.destroy();
    throw error;
  }
}

/**
 * Halves a box of whole numbers, and its result as often as asked. The results go to other boxes (`into`), or are read back, without
 * row padding.
 */
export async function halveOnGpu(
  gpu: Gpu,
  voxels: GpuVoxels,
  { steps, further = [], method, type, into }: BoxHalving,
  call: KernelCall,
): Promise<Pick<LentBytes, 'release'> & { readonly results: readonly Uint8Array[] }> {
  using scope = call.scope.scope('halve');
  const { elementBytes } = voxels;
  const constants = { bits: 8 * elementBytes, is_signed: Number(type.startsWith('i')), is_mode: Number(method === 'mode') };
  const descriptor = { label: 'engine.halve', shader: halveShader, constants };
  await gpu.prepareKernels(into ? [descriptor] : [descriptor, rowKernel]);
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
  if (into) {
    for (const [index, parts] of into.entries()) {
      const result = halved[index];
      commands.record((encoder) => {
        if (result) for (const part of parts) copyPart(encoder, result, part);
      });
    }
    await commands.submit();
    return { results: [], release() {} };
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

/** Copies whole rows, whose padding is alike in both boxes. */
function copyPart(encoder: GPUCommandEncoder, halved: GpuVoxels, part: HalvedPart): void {
  const { buffer, dims, elementBytes } = (part.to as HeldBox & { readonly voxels: GpuVoxels }).voxels;
  const row = rowBytes(dims[0], elementBytes);
  const height = halved.dims[1];
  // Planes that are as high in both boxes lie one after another.
  const [copies, rows] = height === dims[1] ? [1, part.planes * height] : [part.planes, height];
  for (let at = 0; at < copies; at++) {
    const from = (part.from + at) * height * row;
    const to = ((part.plane + at) * dims[1] + part.row) * row;
    encoder.copyBufferToBuffer(halved.buffer, from, buffer, to, rows * row);
  }
}
