import deinterleaveShader from '../../../shaders/volume/deinterleave.wgsl';
import { type GpuVoxels, rowBytes } from '../../codec/codec.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';

const wordsPerWorkgroup = 2048;

/**
 * Prepares stacking time points whose planes are interleaved. Call the returned function to record it.
 * @param interleaved whole planes of `timePoints` time points
 * @param scope owns the parameters
 */
export function prepareDeinterleave(
  gpu: Gpu,
  scope: GpuScope,
  interleaved: GpuVoxels,
  stacked: GPUBuffer,
  timePoints: number,
): (commands: Commands) => void {
  const [width, height, planes] = interleaved.dims;
  const planeWords = (rowBytes(width, interleaved.elementBytes) / 4) * height;
  const kernel = gpu.kernel({ label: 'compressed.deinterleave', shader: deinterleaveShader });
  const shape = scope.uniform('deinterleave', [planeWords, planes / timePoints, timePoints, 0]);
  const workgroups = Math.ceil((planeWords * planes) / wordsPerWorkgroup);
  return (commands) => {
    commands.dispatch(kernel, [interleaved.buffer, stacked, shape], workgroups);
  };
}
