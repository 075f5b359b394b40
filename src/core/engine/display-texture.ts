import fillCode from '../../shaders/resident/texture-fill.wgsl?raw';
import voxelCode from '../../shaders/resident/voxel.wgsl?raw';
import { rowBytes } from '../codecs/codec.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { type Dims3, type Dims4, type ElementType, elementBytes } from '../shared/volume.ts';
import { type BrickGrid, createBrickGrid, recordBricks, recordWidening } from './brick-grid.ts';
import type { PlacedBox } from './resident-layout.ts';
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

/** Makes the empty texture for a volume of `dims` voxels; `scope` owns it. @param range finite minimum and maximum */
export function createDisplayTexture(
  gpu: Gpu,
  scope: GpuScope,
  volume: { readonly dims: Dims4; readonly type: ElementType },
  range: readonly [min: number, max: number],
): DisplayTexture {
  const { type } = volume;
  const [x, y, z] = volume.dims;
  const step = Math.ceil(Math.max(x, y, z) / gpu.device.limits.maxTextureDimension3D);
  const dims: Dims3 = [Math.ceil(x / step), Math.ceil(y / step), Math.ceil(z / step)];
  const bytes = elementBytes(type) === 1;
  const texture = scope.texture('texture', dims[0] * dims[1] * dims[2] * (bytes ? 1 : 2), {
    size: [...dims],
    dimension: '3d',
    format: bytes ? 'r8unorm' : 'r16float',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.COPY_SRC,
  });
  const [low, high] = bytes ? typeRange(type) : range;
  return { texture, dims, bricks: createBrickGrid(scope, dims), step, low, high: high > low ? high : low + 1 };
}

/** Fills the texture and its bricks with a time point, in pieces through a small staging buffer. Resolves when the GPU is done. */
export async function fillDisplayTexture(
  gpu: Gpu,
  display: DisplayTexture,
  volume: { readonly dims: Dims4; readonly type: ElementType; readonly boxes: readonly PlacedBox[] },
  timePoint: number,
): Promise<void> {
  const { type } = volume;
  const [width, height, depth] = display.dims;
  const stagingRowBytes = Math.ceil((width * (elementBytes(type) === 1 ? 1 : 2)) / 256) * 256;
  const planesPerPiece = Math.max(1, Math.min(depth, Math.floor(maxStagingBytes / (stagingRowBytes * height))));
  const kernel = gpu.kernel({
    label: 'resident.texture-fill',
    code: `${voxelCode}\n${fillCode}`,
    constants: { element_type: elementTypeNumber(type) },
  });
  using scope = gpu.scope('display');
  const staging = scope.storage('staging', stagingRowBytes * height * planesPerPiece);
  const commands = gpu.commands('display.fill');
  const volumePlane = timePoint * volume.dims[2];
  const scale = (isFloatType(type) ? 2 : 1) / (display.high - display.low);
  for (let first = 0; first < depth; first += planesPerPiece) {
    const planes = Math.min(planesPerPiece, depth - first);
    const from = volumePlane + first * display.step;
    const to = volumePlane + (first + planes - 1) * display.step + 1;
    for (const box of volume.boxes) {
      if (box.firstPlane >= to || box.firstPlane + box.planeCount <= from) continue;
      const { buffer, dims, elementBytes: codecBytes } = box.voxels;
      const uniform = scope.uniform('fill', [
        ...[width, height, stagingRowBytes / 4, display.step, first, volumePlane],
        ...[box.firstRow, box.rowCount, box.firstPlane, box.planeCount, rowBytes(dims[0], codecBytes) / 4],
        ...[voxelKey(type, display.low), floatBits(display.low), floatBits(scale)],
      ]);
      commands.dispatch(kernel, [buffer, uniform, staging], [Math.ceil(stagingRowBytes / 256), height, planes]);
    }
    commands.record((encoder) =>
      encoder.copyBufferToTexture(
        { buffer: staging, bytesPerRow: stagingRowBytes, rowsPerImage: height },
        { texture: display.texture, origin: [0, 0, first] },
        [width, height, planes],
      ),
    );
    const staged = { staging, rowWords: stagingRowBytes / 4, firstPlane: first, planeCount: planes };
    recordBricks(gpu, commands, scope, display.bricks, display.texture, staged);
  }
  recordWidening(gpu, commands, display.bricks);
  await commands.submit();
}
