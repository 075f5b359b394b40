import fillShader from '../../shaders/volume/texture-fill.wgsl';
import { type GpuVoxels, rowBytes } from '../codec/codec.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { type Dims3, type Dims4, type ElementType, elementBytes, type VolumeInfo } from '../shared/volume.ts';
import { type BrickGrid, createBrickGrid, prepareBricks } from './brick-grid.ts';
import { type DisplayFormat, texelBytes, texelKind } from './texel-kind.ts';
import { rangeStart } from './value-scale.ts';
import { elementTypeNumber, floatBits, isFloatType, typeRange, voxelKey } from './voxel-key.ts';

/** One time point as a 3D texture for the ray marcher. The texture object is the same for all time points. */
export interface DisplayTexture {
  /**
   * 8-bit voxels: r8unorm, exact. Integers within a range of 65,536 values, which includes all 16-bit types: rg8unorm, exact.
   * Others: r32float if the device can filter it and it takes at most 256 MiB, otherwise r16float, with 11 bits of precision.
   * Usage TEXTURE_BINDING | COPY_SRC.
   */
  readonly texture: GPUTexture;
  readonly dims: Dims3;
  readonly bricks: BrickGrid;
  /** Voxels of the resident volume per texel along each axis: over 1 if the device's 3D textures are too small. */
  readonly step: number;
  /**
   * A texel of 0 stands for this stored value, and a texel of 1 for `high`. A texel's value is red + green / 256; for floats it is
   * far below 0 where data is missing.
   */
  readonly low: number;
  readonly high: number;
}

const maxStagingBytes = 2 ** 24;
/** Larger textures use r16float: half the memory, and fast to sample on every device. */
const maxFloatBytes = 2 ** 28;

/**
 * Creates the empty texture for a volume of `dims` voxels; `scope` owns it.
 * @param range finite minimum and maximum of the stored values
 * @param maxBytes the texture is made coarser until it fits
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
  const texelsAt = (step: number): number => Math.ceil(x / step) * Math.ceil(y / step) * Math.ceil(z / step);
  const finest = Math.ceil(Math.max(x, y, z) / gpu.device.limits.maxTextureDimension3D);
  const format = formatOf(gpu, type, range, texelsAt(finest) * texelBytes.r32float <= Math.min(maxBytes, maxFloatBytes));
  let step = finest;
  while (texelsAt(step) * texelBytes[format] > maxBytes) step++;
  const dims: Dims3 = [Math.ceil(x / step), Math.ceil(y / step), Math.ceil(z / step)];
  const texture = scope.texture('texture', texelsAt(step) * texelBytes[format], {
    size: [...dims],
    dimension: '3d',
    format,
    usage:
      GPUTextureUsage.TEXTURE_BINDING |
      GPUTextureUsage.COPY_SRC |
      (isStored(gpu, format) ? GPUTextureUsage.STORAGE_BINDING : GPUTextureUsage.COPY_DST),
  });
  const [low, high] = format === 'r8unorm' ? typeRange(type) : range;
  const top =
    format === 'rg8unorm' ? low + pairTop / pairsPerValue(range) : high > low ? high : low + Math.max(1, 1e-6 * Math.abs(low));
  return { texture, dims, bricks: createBrickGrid(scope, dims), step, low, high: top };
}

/** An upper bound of the bytes of a volume's texture, before anything is known about its values. */
export function displayBytes({ dims: [x, y, z], type }: Pick<VolumeInfo, 'dims' | 'type'>): number {
  return x * y * z * Math.min(texelBytes.r32float, elementBytes(type));
}

/** Whether kernels write the texture themselves. */
function isStored(gpu: Gpu, format: GPUTextureFormat): boolean {
  return format === 'r8unorm' && gpu.canStoreBytes;
}

function formatOf(gpu: Gpu, type: ElementType, [min, max]: readonly [number, number], hasRoom: boolean): DisplayFormat {
  if (elementBytes(type) === 1) return 'r8unorm';
  if (!isFloatType(type) && max - min <= pairEnd) return 'rg8unorm';
  return hasRoom && gpu.device.features.has('float32-filterable') ? 'r32float' : 'r16float';
}

/** The largest pair of bytes, and the pair whose red + green / 256 is 1. */
const pairEnd = 0xffff;
const pairTop = 0xff00;

/** The number of pairs from one value to the next. Values spread over all pairs: exact, and as fine as possible when filtered. */
function pairsPerValue([min, max]: readonly [number, number]): number {
  return Math.floor(pairEnd / Math.max(1, max - min));
}

/** Whole rows of a volume in GPU memory. */
export interface DisplayBox {
  readonly voxels: GpuVoxels;
  readonly firstRow: number;
  readonly rowCount: number;
  /** The box's first plane, in the numbering of `DisplayPart.volumePlane`. */
  readonly firstPlane: number;
  readonly planeCount: number;
}

/** Planes of a display texture, and the boxes from which they are filled. */
export interface DisplayPart {
  readonly type: ElementType;
  /** See `VolumeSource.numbers`. */
  readonly numbers: readonly [lowest: number, highest: number];
  readonly boxes: readonly DisplayBox[];
  /** The plane, numbered as in boxes, that the texture's plane 0 shows. */
  readonly volumePlane: number;
  /** The range of the texture's planes to fill. */
  readonly first: number;
  readonly end: number;
}

/** A buffer for texels: from it they are copied to the texture, unless kernels can write that, and the ranges of bricks are found in it. */
export interface DisplayStaging {
  readonly buffer: GPUBuffer;
  readonly rowBytes: number;
  readonly planes: number;
}

export function createDisplayStaging(scope: GpuScope, { texture, dims: [width, height, depth] }: DisplayTexture): DisplayStaging {
  const stagingRowBytes = Math.ceil((width * texelBytes[texture.format as DisplayFormat]) / 256) * 256;
  const planes = Math.max(1, Math.min(depth, Math.floor(maxStagingBytes / (stagingRowBytes * height))));
  return { buffer: scope.storage('staging', stagingRowBytes * height * planes), rowBytes: stagingRowBytes, planes };
}

/**
 * Prepares filling planes and their bricks, piece by piece; `scope` owns the resources for that. Fill all planes in order, then call
 * `recordLevels`.
 * @returns a function that records the filling; it can be called repeatedly and uploads nothing
 */
export function prepareDisplayFill(
  gpu: Gpu,
  scope: GpuScope,
  display: DisplayTexture,
  staging: DisplayStaging,
  { type, numbers, boxes, volumePlane, first: partFirst, end: partEnd }: DisplayPart,
): (commands: Commands) => void {
  const [width, height] = display.dims;
  const stored = isStored(gpu, display.texture.format);
  const kernel = gpu.kernel({
    label: 'resident.texture-fill',
    shader: fillShader,
    variant: { stored },
    constants: { element_type: elementTypeNumber(type), texel_kind: texelKind(display.texture) },
  });
  const { power, key, scaledBits } = rangeStart(type, [display.low, display.high]);
  const scale = 1 / (2 ** power * (display.high - display.low));
  const target = stored ? [display.texture.createView()] : [];
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
        ...[key, ...numbers.map((value) => voxelKey(type, value)), scaledBits, floatBits(scale), power >>> 0],
      ]);
      steps.push((commands) =>
        commands.dispatch(
          kernel,
          [buffer, uniform, staging.buffer, ...target],
          [Math.ceil(staging.rowBytes / 256), height, planes],
        ),
      );
    }
    const copy = (commands: Commands) =>
      commands.record((encoder) =>
        encoder.copyBufferToTexture(
          { buffer: staging.buffer, bytesPerRow: staging.rowBytes, rowsPerImage: height },
          { texture: display.texture, origin: [0, 0, first] },
          [width, height, planes],
        ),
      );
    if (!stored) steps.push(copy);
    const staged = { staging: staging.buffer, rowWords: staging.rowBytes / 4, firstPlane: first, planeCount: planes };
    steps.push(prepareBricks(gpu, scope, display.bricks, display.texture, staged));
  }
  return (commands) => {
    commands.stage('texture');
    for (const step of steps) step(commands);
  };
}
