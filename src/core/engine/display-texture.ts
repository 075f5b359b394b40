import fillCode from '../../shaders/resident/texture-fill.wgsl?raw';
import voxelCode from '../../shaders/resident/voxel.wgsl?raw';
import { type GpuVoxels, rowBytes } from '../codecs/codec.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { type Dims3, type Dims4, type ElementType, elementBytes } from '../shared/volume.ts';
import { type BrickGrid, createBrickGrid, prepareBricks } from './brick-grid.ts';
import { elementTypeNumber, floatBits, isFloatType, typeRange, voxelKey } from './voxel-key.ts';

/** One time point as a 3D texture for the ray marcher. The texture stays the same object over all time points. */
export interface DisplayTexture {
  /** r8unorm for 8-bit voxels, r16float for all others; usage TEXTURE_BINDING | COPY_SRC. */
  readonly texture: GPUTexture;
  readonly dims: Dims3;
  readonly bricks: BrickGrid;
  /** Voxels of the resident volume per texel along each axis: over 1 where the device's 3D textures are too small. */
  readonly step: number;
  /** A texel of 0 is this stored value, and a texel of 1 is `high`. */
  readonly low: number;
  readonly high: number;
}

const maxStagingBytes = 2 ** 24;

/**
 * Makes the empty texture for a volume of `dims` voxels; `scope` owns it.
 * @param range finite minimum and maximum
 * @param maxBytes it is made coarser until it is no larger
 */
export function createDisplayTexture(
  gpu: Gpu,
  scope: GpuScope,
  volume: { readonly dims: Dims4; readonly type: ElementType },
  range: readonly [min: number, max: number],
  maxBytes = Number.POSITIVE_INFINITY,
): DisplayTexture {
  const { type } = volume;
  const [x, y, z] = volume.dims;
  const texelBytes = elementBytes(type) === 1 ? 1 : 2;
  let step = Math.ceil(Math.max(x, y, z) / gpu.device.limits.maxTextureDimension3D);
  while (Math.ceil(x / step) * Math.ceil(y / step) * Math.ceil(z / step) * texelBytes > maxBytes) step++;
  const dims: Dims3 = [Math.ceil(x / step), Math.ceil(y / step), Math.ceil(z / step)];
  const bytes = texelBytes === 1;
  const texture = scope.texture('texture', dims[0] * dims[1] * dims[2] * texelBytes, {
    size: [...dims],
    dimension: '3d',
    format: bytes ? 'r8unorm' : 'r16float',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.COPY_SRC,
  });
  const [low, high] = bytes ? typeRange(type) : range;
  return { texture, dims, bricks: createBrickGrid(scope, dims), step, low, high: high > low ? high : low + 1 };
}

/** Whole rows of a volume in GPU memory. */
export interface DisplayBox {
  readonly voxels: GpuVoxels;
  readonly firstRow: number;
  readonly rowCount: number;
  /** Its first plane, counted on from `DisplayPart.volumePlane`'s plane 0. */
  readonly firstPlane: number;
  readonly planeCount: number;
}

/** Planes of a display texture, and the boxes that they are filled from. */
export interface DisplayPart {
  readonly type: ElementType;
  readonly boxes: readonly DisplayBox[];
  /** The plane, as boxes count them, that the texture's plane 0 shows. */
  readonly volumePlane: number;
  /** The texture's planes that are filled. */
  readonly first: number;
  readonly end: number;
}

/** What planes of the texture go through, since shaders cannot write r8unorm. */
export interface DisplayStaging {
  readonly buffer: GPUBuffer;
  readonly rowBytes: number;
  readonly planes: number;
}

export function createDisplayStaging(scope: GpuScope, { texture, dims: [width, height, depth] }: DisplayTexture): DisplayStaging {
  const stagingRowBytes = Math.ceil((width * (texture.format === 'r8unorm' ? 1 : 2)) / 256) * 256;
  const planes = Math.max(1, Math.min(depth, Math.floor(maxStagingBytes / (stagingRowBytes * height))));
  return { buffer: scope.storage('staging', stagingRowBytes * height * planes), rowBytes: stagingRowBytes, planes };
}

/**
 * Prepares the filling of planes and of their bricks, piece by piece; `scope` owns what that takes. Fill all planes in
 * order, then record `recordWidening`.
 * @returns records it; it may be called again and again, and uploads nothing
 */
export function prepareDisplayFill(
  gpu: Gpu,
  scope: GpuScope,
  display: DisplayTexture,
  staging: DisplayStaging,
  { type, boxes, volumePlane, first: partFirst, end: partEnd }: DisplayPart,
): (commands: Commands) => void {
  const [width, height] = display.dims;
  const kernel = gpu.kernel({
    label: 'resident.texture-fill',
    code: `${voxelCode}\n${fillCode}`,
    constants: { element_type: elementTypeNumber(type) },
  });
  const scale = (isFloatType(type) ? 2 : 1) / (display.high - display.low);
  const steps: ((commands: Commands) => void)[] = [];
  for (let first = partFirst; first < partEnd; first += staging.planes) {
    const planes = Math.min(staging.planes, partEnd - first);
    const from = volumePlane + first * display.step;
    const to = volumePlane + (first + planes - 1) * display.step + 1;
    for (const box of boxes) {
      if (box.firstPlane >= to || box.firstPlane + box.planeCount <= from) continue;
      const { buffer, dims, elementBytes: codecBytes } = box.voxels;
      const uniform = scope.uniform('fill', [
        ...[width, height, staging.rowBytes / 4, display.step, first, volumePlane],
        ...[box.firstRow, box.rowCount, box.firstPlane, box.planeCount, rowBytes(dims[0], codecBytes) / 4],
        ...[voxelKey(type, display.low), floatBits(display.low), floatBits(scale)],
      ]);
      steps.push((commands) =>
        commands.dispatch(kernel, [buffer, uniform, staging.buffer], [Math.ceil(staging.rowBytes / 256), height, planes]),
      );
    }
    steps.push((commands) =>
      commands.record((encoder) =>
        encoder.copyBufferToTexture(
          { buffer: staging.buffer, bytesPerRow: staging.rowBytes, rowsPerImage: height },
          { texture: display.texture, origin: [0, 0, first] },
          [width, height, planes],
        ),
      ),
    );
    const staged = { staging: staging.buffer, rowWords: staging.rowBytes / 4, firstPlane: first, planeCount: planes };
    steps.push(prepareBricks(gpu, scope, display.bricks, display.texture, staged));
  }
  return (commands) => {
    commands.stage('texture');
    for (const step of steps) step(commands);
  };
}
