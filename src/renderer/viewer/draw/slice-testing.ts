import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { SliceDrawing } from './slice-contents.ts';
import type { SliceRenderer } from './slice-renderer.ts';

/** The pixels of a drawing, four bytes each. @param renderer one of format `rgba8unorm` */
export async function drawnPixels(
  gpu: Gpu,
  renderer: SliceRenderer,
  drawing: SliceDrawing,
  [width, height]: readonly [number, number],
): Promise<Uint8Array> {
  using scope = gpu.scope('test');
  const target = scope.texture('target', width * height * 4, {
    size: [width, height],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const buffer = scope.buffer('pixels', width * height * 4, GPUBufferUsage.COPY_SRC);
  const commands = gpu.commands('test');
  renderer.record(commands, target, drawing);
  await commands
    .record((encoder) => encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow: width * 4 }, [width, height]))
    .submit();
  return gpu.read(buffer);
}

/** The largest difference between two bytes at the same index. */
export function largestDifference(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((most, value, at) => Math.max(most, Math.abs(value - (other[at] as number))), 0);
}
