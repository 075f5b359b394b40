import rowsShader from '../../shaders/gpu-chunks/rows.wgsl';
import { type GpuVoxels, rowBytes } from '../codec/codec.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { KernelDescriptor } from '../gpu/kernel.ts';
import { wholeWords } from '../gpu/lent-bytes.ts';
import type { GpuScope } from '../gpu/scope.ts';

const wordsPerWorkgroup = 256;
/** Of `padRows` and `packRows`. */
export const rowKernel: KernelDescriptor = { label: 'engine.rows', shader: rowsShader };

type BoxShape = Pick<GpuVoxels, 'dims' | 'elementBytes'>;

/** Byte length of a box's voxels without padding, as a file holds them. */
export function plainBoxBytes({ dims, elementBytes }: BoxShape): number {
  return dims[0] * dims[1] * dims[2] * elementBytes;
}

/** Whether `GpuVoxels` holds a box differently from a file: its rows are padded. */
export function hasPaddedRows({ dims, elementBytes }: BoxShape): boolean {
  return rowBytes(dims[0], elementBytes) !== dims[0] * elementBytes;
}

/**
 * Records the copy of a box's voxels from `plain`, which holds them as a file does, to the padded rows of `voxels`, by
 * shaders/gpu-chunks/rows.wgsl.
 */
export function padRows(gpu: Gpu, commands: Commands, plain: GPUBuffer, voxels: GpuVoxels, scope: GpuScope): void {
  const [length, padded, count] = rowsOf(voxels);
  const rows = scope.uniform('rows', [count, length, length, padded]);
  const workgroups = Math.ceil((padded * count) / 4 / wordsPerWorkgroup);
  commands.stage('rows').dispatch(gpu.kernel(rowKernel), [plain, voxels.buffer, rows], workgroups);
}

/** Records the reverse of `padRows`, unless no row is padded. @returns a buffer that starts with the plain voxels, up to whole words */
export function packRows(gpu: Gpu, commands: Commands, voxels: GpuVoxels, scope: GpuScope): GPUBuffer {
  if (!hasPaddedRows(voxels)) return voxels.buffer;
  const [length, padded, count] = rowsOf(voxels);
  const plain = scope.reused('plain', plainBoxBytes(voxels));
  const rows = scope.uniform('rows', [count, length, padded, length]);
  const workgroups = Math.ceil(wholeWords(plainBoxBytes(voxels)) / 4 / wordsPerWorkgroup);
  commands.stage('rows').dispatch(gpu.kernel(rowKernel), [voxels.buffer, plain, rows], workgroups);
  return plain;
}

/** Bytes of a row without and with padding, and how many there are. */
function rowsOf({ dims, elementBytes }: GpuVoxels): readonly [length: number, padded: number, count: number] {
  return [dims[0] * elementBytes, rowBytes(dims[0], elementBytes), dims[1] * dims[2]];
}
