import type { DisplayTexture } from '../../core/engine/display-texture.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import type { GpuScope } from '../../core/gpu/scope.ts';
import bricksCode from '../../shaders/view/bricks.wgsl?raw';

/** The least and greatest texel of each brick of a display texture (x and y of rgba16float). `scope` owns the texture. */
export interface BrickGrid {
  readonly texture: GPUTexture;
  /** Texels of a brick along each axis. */
  readonly size: number;
}

/** Texels that one dispatch reads at most, so that a slow GPU is not held for long. */
const texelsPerDispatch = 2 ** 23;

export function createBrickGrid(scope: GpuScope, display: DisplayTexture): BrickGrid {
  const size = 8 * Math.ceil(Math.max(...display.dims) / 512);
  const counts = display.dims.map((length) => Math.ceil(length / size)) as [number, number, number];
  const texture = scope.texture('bricks', counts[0] * counts[1] * counts[2] * 8, {
    size: counts,
    dimension: '3d',
    format: 'rgba16float',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
  });
  return { texture, size };
}

/** Computes the grid anew: call it when the display texture's content has changed. */
export async function fillBrickGrid(gpu: Gpu, display: DisplayTexture, grid: BrickGrid): Promise<void> {
  const kernel = gpu.kernel({ label: 'view.bricks', code: bricksCode });
  const { width, height, depthOrArrayLayers: layers } = grid.texture;
  const layersAtOnce = Math.max(1, Math.floor(texelsPerDispatch / (width * height * (grid.size + 2) ** 3)));
  using scope = gpu.scope('view');
  const commands = gpu.commands('view.bricks');
  for (let first = 0; first < layers; first += layersAtOnce) {
    const uniform = scope.uniform('bricks', [grid.size, first]);
    const bindings = [display.texture.createView(), uniform, grid.texture.createView()];
    commands.dispatch(kernel, bindings, [width, height, Math.min(layersAtOnce, layers - first)]);
  }
  await commands.submit();
}
