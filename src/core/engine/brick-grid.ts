import bricksCode from '../../shaders/resident/bricks.wgsl?raw';
import widenCode from '../../shaders/resident/bricks-widen.wgsl?raw';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3 } from '../shared/volume.ts';
import { texelKind } from './texel-kind.ts';

/** The least and greatest texel in and around each brick of a display texture: the ray marcher crosses empty ones at once. */
export interface BrickGrid {
  /** rgba16float; x and y of a texel are the brick's range. */
  readonly texture: GPUTexture;
  /** Texels of a brick along each axis: 8, or a multiple of it in a large texture. */
  readonly size: number;
  /** The bricks' own ranges, before they are widened by their neighbours'. */
  readonly ranges: GPUBuffer;
}

/** Planes of a display texture in a staging buffer. */
export interface StagedPlanes {
  readonly staging: GPUBuffer;
  readonly rowWords: number;
  readonly firstPlane: number;
  readonly planeCount: number;
}

/** Makes an empty grid for a texture of `dims` texels; `scope` owns it. */
export function createBrickGrid(scope: GpuScope, dims: Dims3): BrickGrid {
  const size = 8 * Math.ceil(Math.max(...dims) / 512);
  const counts = dims.map((length) => Math.ceil(length / size)) as [number, number, number];
  const count = counts[0] * counts[1] * counts[2];
  const texture = scope.texture('bricks', count * 8, {
    size: counts,
    dimension: '3d',
    format: 'rgba16float',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
  });
  return { texture, size, ranges: scope.storage('brick ranges', count * 8) };
}

/**
 * Prepares what staged planes add to the grid; `scope` owns what that takes. Record it for all planes, in order; then
 * `recordWidening`.
 */
export function prepareBricks(
  gpu: Gpu,
  scope: GpuScope,
  grid: BrickGrid,
  texture: GPUTexture,
  planes: StagedPlanes,
): (commands: Commands) => void {
  const kernel = gpu.kernel({
    label: 'resident.bricks',
    code: bricksCode,
    constants: { texel_kind: texelKind(texture) },
  });
  const { width, height } = grid.texture;
  const { staging, rowWords, firstPlane, planeCount } = planes;
  const uniform = scope.uniform('bricks', [width, height, grid.size, texture.height, rowWords, firstPlane, planeCount]);
  const layers = Math.ceil((firstPlane + planeCount) / grid.size) - Math.floor(firstPlane / grid.size);
  return (commands) => {
    commands.dispatch(kernel, [staging, uniform, grid.ranges], [Math.ceil(width / 64), height, layers]);
  };
}

/** Records the last step: ranges widened by their neighbours', into the texture. */
export function recordWidening(gpu: Gpu, commands: Commands, grid: BrickGrid): void {
  const kernel = gpu.kernel({ label: 'resident.bricks-widen', code: widenCode });
  const { width, height, depthOrArrayLayers } = grid.texture;
  commands.dispatch(kernel, [grid.ranges, grid.texture.createView()], [Math.ceil(width / 64), height, depthOrArrayLayers]);
}
