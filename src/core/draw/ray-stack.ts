import rayStackShader from '../../shaders/draw/ray-stack.wgsl';
import type { Binding, Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { KernelDescriptor } from '../gpu/kernel.ts';
import type { DisplayTexture } from '../volume/display-texture.ts';
import { KernelsBeside } from './kernels-beside.ts';
import { outsideParameters } from './outside.ts';
import {
  fewestSteps,
  opacityLength,
  projections,
  type RayLook,
  type RayView,
  rayTile,
  type Strip,
  sharedOpacity,
  windowParameters,
} from './ray-pass.ts';
import { rayTransferSize } from './ray-transfer.ts';
import { type Blending, blendings } from './slice-pass.ts';

/** The grid and the values of a volume that rays cross: those of a display texture, or of bricks. */
export interface RayGrid extends Pick<DisplayTexture, 'dims' | 'low' | 'high'> {
  readonly texture: Pick<GPUTexture, 'format'>;
  readonly bricks: Pick<DisplayTexture['bricks'], 'size'>;
}

/** One of several volumes that rays cross. */
export interface RayVolume extends Pick<RayLook, 'window' | 'outside'> {
  readonly display: RayGrid;
  /** Maps the unit cube of the open volume to that of the texture. A 4×4 matrix, column by column. */
  readonly toUnit: readonly number[];
  /** The end of the voxels in the texture's cube along x, y, z: 1, or less if the last texels are only partly filled. */
  readonly extent: readonly [number, number, number];
  /** The isosurface's position in the window, 0…1. */
  readonly level: number;
  /** 0…1. */
  readonly opacity: number;
  readonly blending: Blending;
  readonly smooth: boolean;
  /** Whether values are labels, which are drawn as surfaces. */
  readonly isCategorical: boolean;
  readonly isFloorOpaque: boolean;
  /**
   * For a layer that is drawn from bricks: its voxels, with a range that holds all labels, and the values at texel 0 and 1 of the texture
   * of bricks. `display` is then drawn where bricks are missing.
   */
  readonly bricks?: { readonly grid: RayGrid; readonly texels: Pick<RayGrid, 'low' | 'high'> } | undefined;
}

/** The label numbers that have a texel each. */
export interface LabelSpan {
  readonly first: number;
  /** 0 if there are too many; labels then share the 256 colours of the palette. */
  readonly count: number;
}

/** The maximum number of labels with a texel each. */
export const mostLabels = 2 ** 16;

/** All label numbers that a display texture can hold. */
export function labelSpan({ texture, low, high }: Pick<RayGrid, 'texture' | 'low' | 'high'>): LabelSpan {
  // The value of an rg8unorm texel may exceed 1.
  const top = texture.format === 'rg8unorm' ? 0xffff / 0xff00 : 1;
  const count = Math.floor((high - low) * top + 1e-6) + 1;
  return { first: low, count: Number.isInteger(low) && count <= mostLabels ? count : 0 };
}

/** The number of a volume's rows in the texture that holds the transfer functions of all volumes. */
export function rayStackRows(volume: Pick<RayVolume, 'display' | 'isCategorical' | 'bricks'>): number {
  const [width, imageRows] = rayTransferSize;
  return volume.isCategorical ? Math.max(1, Math.ceil(labelSpan(gridOf(volume)).count / width)) : imageRows;
}

/** The grid of a volume's finest voxels. */
export function gridOf({ display, bricks }: Pick<RayVolume, 'display' | 'bricks'>): RayGrid {
  return bricks?.grid ?? display;
}

/** Settings that all volumes share. */
export type RayStackLook = Pick<RayLook, 'projection' | 'attenuation' | 'lighting' | 'clip' | 'plane'>;

/** The position of an absent clip plane, in unit cubes. */
const unlimited = 1e6;
const headFloats = 44;
const volumeFloats = 48;

/** Bytes of `Stack` in shaders/draw/stack-frame.wgsl. */
export function rayStackBytes(volumes: number): number {
  return 4 * (headFloats + volumes * volumeFloats);
}

/** The box inside the clip planes, in the unit cube. A side without a clip plane is unbounded, so layers may extend beyond the open volume. */
export function clipLimits(clip: RayLook['clip']): { readonly low: readonly number[]; readonly high: readonly number[] } {
  const low = clip.map(([start]) => (start > 0 ? start : -unlimited));
  return { low, high: clip.map(([, end]) => (end < 1 ? end : unlimited)) };
}

/**
 * `Stack` of shaders/draw/stack-frame.wgsl.
 * @param volumes from the bottom up
 * @param view in the unit cube of the open volume
 * @param step distance between samples in texels of the finest volume on a ray; less in a small volume
 * @param isDraft see `sharedOpacity`
 */
export function rayStackFrame(
  volumes: readonly RayVolume[],
  { toCube, eye, edges }: RayView,
  { attenuation, lighting, clip, plane }: RayStackLook,
  step: number,
  { width, height, from, count }: Strip,
  isDraft = false,
): Float32Array<ArrayBuffer> {
  const { low, high } = clipLimits(clip);
  let row = 0;
  const parameters = volumes.map((volume) => {
    const { first, count: labels } = volume.isCategorical ? labelSpan(gridOf(volume)) : { first: 0, count: 0 };
    const { toUnit, bricks } = volume;
    const table = [row, first, labels, bricks ? texelsPerStep(toUnit, bricks.grid.dims, edges, step) : 0];
    row += rayStackRows(volume);
    return [...volumeParameters(volume, edges, step), table];
  });
  return new Float32Array(
    [
      [toCube, eye, plane ?? [0, 0, 0, 1], [...edges, 0], [...low, 0], [...high, 0]],
      [
        [width, height, from, count],
        [opacityLength, attenuation, lighting ? 1 : 0, sharedOpacity(isDraft)],
      ],
      ...parameters,
    ].flat(2),
  );
}

function volumeParameters(volume: RayVolume, edges: RayView['edges'], step: number): readonly (readonly number[])[] {
  const { display, toUnit, extent, opacity, blending, smooth, isCategorical } = volume;
  const { dims, bricks } = display;
  const [scale, low, , width, from] = windowParameters(display, volume.window, isCategorical);
  const inBricks = volume.bricks ? windowParameters(volume.bricks.texels, volume.window, isCategorical).slice(0, 2) : [0, 0];
  const [below, above] = outsideParameters(volume.outside);
  return [
    toUnit,
    [...dims, bricks.size],
    [...extent, finestTexel(toUnit, dims, edges)],
    [scale, low, smooth ? 0 : 1, width],
    [volume.level, opacity, blendings.indexOf(blending), from],
    [texelsPerStep(toUnit, dims, edges, step), volume.isFloorOpaque ? 1 : 0, ...inBricks],
    below,
    above,
  ];
}

/** Large texels need several samples each, as in `rayParameters`. */
function texelsPerStep(toUnit: readonly number[], dims: RayGrid['dims'], edges: RayView['edges'], step: number): number {
  return step * Math.min(1, 1 / finestTexel(toUnit, dims, edges) / fewestSteps);
}

/** The smallest distance between planes of texels, in the scene. */
export function finestTexel(toUnit: readonly number[], dims: RayGrid['dims'], edges: RayView['edges']): number {
  const distances = dims.map((length, row) => {
    const perLength = [0, 1, 2].map((column) => (toUnit[4 * column + row] as number) / (edges[column] as number));
    return 1 / (length * Math.hypot(...perLength));
  });
  return Math.min(...distances);
}

/** The bricks of layers: see `BrickLayers`. */
export interface LayerBrickInputs {
  /** The texture of bricks of each volume that has some, by the volume's number. */
  readonly atlases: readonly (GPUTexture | undefined)[];
  /** Whether the device can filter all of these textures. */
  readonly areFiltered: boolean;
  /** The bindings that all layers share. */
  readonly bindings: readonly Binding[];
}

/** The inputs of a frame. */
export interface RayStackInputs {
  readonly projection: RayLook['projection'];
  readonly displays: readonly DisplayTexture[];
  /** Contains the result of `rayStackFrame`. */
  readonly frame: GPUBuffer;
  /** 256 texels wide. Each volume has `rayStackRows` rows: those of `rayTransfer`, or the colours of labels by number. */
  readonly transfer: GPUTexture;
  /** The meshes that rays hit, from `MeshPass.record`. */
  readonly surfaces?: GPUTextureView | undefined;
  /** Undefined if no layer is drawn from bricks. */
  readonly layerBricks?: LayerBrickInputs | undefined;
  /** Whether the values of each volume are labels, from the bottom up. A kernel for both takes longer to compile; it is used if undefined. */
  readonly areLabels?: readonly boolean[] | undefined;
}

/** Draws several volumes, each at its own place, with shaders/draw/ray-stack.wgsl into any texture. */
export class RayStackPass {
  readonly #gpu: Gpu;
  readonly #sampler: GPUSampler;
  readonly #kernels: KernelsBeside;

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
    this.#kernels = new KernelsBeside(gpu);
    this.#sampler = gpu.device.createSampler({ label: 'view.ray-stack', magFilter: 'linear', minFilter: 'linear' });
  }

  /** Compiles the kernel of `record`: see `KernelsBeside`. @param variant `stackVariant` of its inputs */
  compile(projection: RayLook['projection'], variant: StackVariant): Promise<void> | undefined {
    return this.#kernels.compile(this.#kernelOf(projection, variant));
  }

  /** Whether the kernel of `record` has been compiled. */
  has(projection: RayLook['projection'], variant: StackVariant): boolean {
    return this.#kernels.has(this.#kernelOf(projection, variant));
  }

  /** @param target as for `RayPass.record` */
  record(
    commands: Commands,
    { projection, displays, frame, transfer, surfaces, layerBricks, areLabels }: RayStackInputs,
    target: GPUTexture,
    strip: Strip,
  ): void {
    const [width, height] = rayTile(this.#gpu);
    const variant = stackVariant(displays.length, { hasMeshes: surfaces !== undefined, layerBricks, areLabels });
    const kernel = this.#kernels.kernel(this.#kernelOf(projection, variant));
    const textures = stackBindings(displays, surfaces, layerBricks);
    const bindings = [frame, this.#sampler, transfer.createView(), target.createView(), ...textures];
    commands.dispatch(kernel, bindings, [Math.ceil(strip.width / width), Math.ceil(strip.count / height), 1]);
  }

  #kernelOf(projection: RayLook['projection'], variant: StackVariant): KernelDescriptor {
    const [width, height] = rayTile(this.#gpu);
    const constants = { way: projections.indexOf(projection) + 1, tile_width: width, tile_height: height };
    return { label: 'view.ray-stack', shader: rayStackShader, variant, constants };
  }
}

export type StackVariant = NonNullable<KernelDescriptor['variant']>;

/**
 * The variant of shaders/draw/ray-stack.wgsl for a number of volumes.
 * @param isPaged whether the voxels of the first one lie in bricks
 * @param hasHalves whether pixels are 16-bit floats instead of bytes
 * @param areLabels see `RayStackInputs`
 */
export function stackVariant(
  volumes: number,
  {
    hasMeshes,
    isPaged = false,
    hasHalves = false,
    layerBricks,
    areLabels,
  }: {
    readonly hasMeshes: boolean;
    readonly isPaged?: boolean;
    readonly hasHalves?: boolean;
    readonly layerBricks?: Pick<LayerBrickInputs, 'atlases' | 'areFiltered'> | undefined;
    readonly areLabels?: readonly boolean[] | undefined;
  },
): StackVariant {
  /** The bits of the volumes that may be labels, or may be images. */
  const thatMayBe = (labels: boolean): number =>
    Array.from({ length: volumes }, (_, at) => ((areLabels?.[at] ?? labels) === labels ? 2 ** at : 0)).reduce((a, b) => a + b, 0);
  const isVarying = isPaged || layerBricks !== undefined;
  const ofVolumes = Array.from({ length: volumes }, (_, at) => {
    const hasBricks = layerBricks?.atlases[at] !== undefined;
    const hasBlocks = !hasBricks && !(isPaged && at === 0);
    return Object.entries({ volumes: true, has_bricks: hasBricks, has_blocks: hasBlocks, steps: isVarying }).map(
      ([name, holds]) => [`${name}_${at + 1}`, holds] as const,
    );
  });
  // Bricks of the open volume have nine bindings, in place of the three textures of a volume.
  const shift = isPaged ? 6 : 0;
  return {
    ...{ volume_count: volumes, binding_shift: shift, meshes: hasMeshes, paged: isPaged, varying: isVarying },
    ...{ layer_bricks: layerBricks !== undefined, filters_layers: layerBricks?.areFiltered === true },
    ...{ layers_binding: 4 + 3 * volumes + shift + Number(hasMeshes), images: thatMayBe(false), labels: thatMayBe(true) },
    ...{ picture_binding: isPaged ? 7 : 3, halves: hasHalves },
    ...Object.fromEntries(ofVolumes.flat()),
  };
}

/**
 * The bindings of shaders/draw/ray-stack.wgsl that depend on the volumes.
 * @param displays of the volumes that are not paged
 */
export function stackBindings(
  displays: readonly DisplayTexture[],
  surfaces: GPUTextureView | undefined,
  layerBricks: LayerBrickInputs | undefined,
  isPaged = false,
): Binding[] {
  const atlases = layerBricks?.atlases.slice(isPaged ? 1 : 0) ?? [];
  const textures = displays.flatMap(({ texture, bricks }, at) => [texture, bricks.texture, atlases[at] ?? bricks.blocks]);
  return [
    ...textures.map((each) => each.createView()),
    ...(surfaces ? [surfaces] : []),
    ...(layerBricks ? layerBricks.bindings : []),
  ];
}
