import bricksShader from '../../shaders/volume/bricks.wgsl';
import levelShader from '../../shaders/volume/bricks-level.wgsl';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3 } from '../shared/volume.ts';
import { texelKind } from './texel-kind.ts';

/**
 * The minimum and maximum texel that can influence a sample in each brick of a display texture. The ray marcher skips empty
 * bricks. Filtering reaches one texel beyond a brick's border.
 */
export interface BrickGrid {
  /** rgba16float; x and y of a texel are the brick's range. */
  readonly texture: GPUTexture;
  /** The same for blocks of 4³ bricks. */
  readonly blocks: GPUTexture;
  /** Texels of a brick along each axis: 8, or a multiple of it in a large texture. */
  readonly size: number;
  /** The bricks' ranges before they are written to the textures, and the number of bricks along x, y and z. */
  readonly ranges: GPUBuffer;
  readonly counts: GPUBuffer;
}

/** The number of bricks in a block along each axis. */
const blockBricks = 4;

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
  const texture = (name: string, [x, y, z]: readonly [number, number, number]): GPUTexture =>
    scope.texture(name, x * y * z * 8, {
      size: [x, y, z],
      dimension: '3d',
      format: 'rgba16float',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
    });
  const blockCounts = counts.map((count) => Math.ceil(count / blockBricks)) as [number, number, number];
  return {
    texture: texture('bricks', counts),
    blocks: texture('blocks', blockCounts),
    size,
    ranges: scope.storage('brick ranges', counts[0] * counts[1] * counts[2] * 8),
    counts: scope.uniform('brick counts', counts),
  };
}

/**
 * Prepares adding staged planes to the grid; `scope` owns the resources for that. Call the returned function for all planes, in
 * order; then call `recordLevels`.
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
    shader: bricksShader,
    constants: { texel_kind: texelKind(texture) },
  });
  const { width, height, depthOrArrayLayers: depth } = grid.texture;
  const { staging, rowWords, firstPlane, planeCount } = planes;
  const uniform = scope.uniform('bricks', [width, height, grid.size, texture.height, rowWords, firstPlane, planeCount]);
  // Dispatches only bricks that depend on one of the planes.
  const firstLayer = Math.floor(Math.max(0, firstPlane - 1) / grid.size);
  const layers = Math.min(depth - 1, Math.floor((firstPlane + planeCount) / grid.size)) - firstLayer + 1;
  return (commands) => {
    commands.dispatch(kernel, [staging, uniform, grid.ranges], [Math.ceil(width / 64), height, layers]);
  };
}

/** Records the last step, which writes the ranges into the textures. */
export function recordLevels(gpu: Gpu, commands: Commands, { texture, blocks, ranges, counts }: BrickGrid): void {
  for (const [level, side] of [
    [texture, 1],
    [blocks, blockBricks],
  ] as const) {
    const kernel = gpu.kernel({ label: 'resident.bricks-level', shader: levelShader, constants: { side } });
    const { width, height, depthOrArrayLayers } = level;
    commands.dispatch(kernel, [ranges, counts, level.createView()], [Math.ceil(width / 64), height, depthOrArrayLayers]);
  }
}
