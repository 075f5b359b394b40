import rayMarchShader from '../../shaders/draw/ray-march.wgsl';
import type { Binding, Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { Vector3 } from '../shared/vectors.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { DisplayTexture } from '../volume/display-texture.ts';
import { type OutsideLook, outsideParameters } from './outside.ts';

/** In drafts, samples share their light until their opacities add up to this. In flights, that changes brightness by at most 20 of 255 steps. */
const draftSharedOpacity = 0.02;

/**
 * The opacity up to which samples share their light.
 * @param isDraft whether the frame is drawn while the view moves, with longer steps than at rest
 */
export function sharedOpacity(isDraft: boolean): number {
  return isDraft ? draftSharedOpacity : 0;
}

/** How a ray combines the values along it, in the order of the shader's numbers from 1; see shaders/draw/ray-march.wgsl. */
export const projections = ['mip', 'composite', 'minip', 'mean', 'isosurface', 'attenuated-mip'] as const;
export type Projection = (typeof projections)[number];

type Vector4 = readonly [number, number, number, number];
/** The visible range along an axis, as fractions of the volume, 0…1; `from` is less than `to`. */
export type ClipRange = readonly [from: number, to: number];

/** How rays show a volume. */
export interface RayLook {
  readonly projection: Projection;
  /** Stored values at the window's low and high end; see `ViewState.window`. */
  readonly window: readonly [low: number, high: number];
  /** The isosurface's stored value. */
  readonly level: number;
  /** For the attenuated maximum: the optical depth of the brightest value over the volume's longest edge. */
  readonly attenuation: number;
  /** Whether compositing is lit from the eye, by the gradient. */
  readonly lighting: boolean;
  readonly outside: OutsideLook;
  /** The visible ranges along x, y, z. */
  readonly clip: readonly [ClipRange, ClipRange, ClipRange];
  /**
   * A plane of any orientation: the part of the unit cube where xyz · position + w is at least 0 is shown. Undefined if
   * everything is shown.
   */
  readonly plane?: Vector4 | undefined;
}

/** The properties of the colormap that rays depend on. */
export interface RayColors {
  /** Whether each value has its own colour. */
  readonly isCategorical: boolean;
  /** Whether the lowest colour stays opaque instead of fading into the background. */
  readonly isFloorOpaque: boolean;
}

/** Per-frame parameters that depend on neither pixel nor camera: `Frame` in shaders/draw/march-frame.wgsl. */
export interface RayParameters {
  readonly window: Vector4;
  readonly march: Vector4;
  readonly look: Vector4;
  readonly clipLow: Vector3;
  readonly clipHigh: Vector3;
  readonly clipPlane: Vector4;
  readonly below: Vector4;
  readonly above: Vector4;
}

/** The reference length of the transfer function's opacities, as a fraction of the volume's longest edge. */
export const opacityLength = 1 / 160;
/** The minimum number of samples along the volume's longest edge, at one texel per step. */
export const fewestSteps = 192;

/**
 * @param step distance between samples in texels; less in a small volume
 * @param isDraft see `sharedOpacity`
 */
export function rayParameters(
  display: Pick<DisplayTexture, 'low' | 'high' | 'dims'>,
  { window, level, attenuation, lighting, clip, plane, outside }: Omit<RayLook, 'projection'>,
  { isCategorical, isFloorOpaque }: RayColors,
  step: number,
  isDraft = false,
): RayParameters {
  const { dims } = display;
  const [scale, lowTexel, valueWidth, labelWidth, from] = windowParameters(display, window, isCategorical);
  // Large texels need several samples each; otherwise single samples become visible.
  const texelsPerStep = step * Math.min(1, Math.max(...dims) / fewestSteps);
  // The longest path through the cube, plus the jitter of its start.
  const rounds = Math.ceil(Math.hypot(...dims) / texelsPerStep) + 2;
  const [x, y, z] = clip;
  const [below, above] = outsideParameters(outside);
  return {
    window: [scale, lowTexel, sharedOpacity(isDraft), labelWidth],
    march: [texelsPerStep, rounds, opacityLength, isFloorOpaque ? 1 : 0],
    look: [finite((level - from) / valueWidth), attenuation, lighting ? 1 : 0, from],
    clipLow: [x[0], y[0], z[0]],
    clipHigh: [x[1], y[1], z[1]],
    clipPlane: plane ?? [0, 0, 0, 1],
    below,
    above,
  };
}

/**
 * `scale` and `low` convert a texel to its position in the window, (texel − low) × scale. The others are the window's width in values,
 * the same for labels (0 if values are not labels), and the stored value at the window's low end.
 */
export function windowParameters(
  { low, high }: Pick<DisplayTexture, 'low' | 'high'>,
  window: RayLook['window'],
  isCategorical: boolean,
): readonly [scale: number, low: number, width: number, labelWidth: number, from: number] {
  // Labels are compared as stored numbers, regardless of slope and intercept.
  const [from, to] = isCategorical ? (window.toSorted((a, b) => a - b) as [number, number]) : window;
  const width = to === from ? Number.EPSILON * Math.max(1, Math.abs(to)) : to - from;
  const scale = finite((high - low) / width);
  return [scale, finite((from - low) / (high - low)), width, isCategorical ? width : 0, from];
}

/** Clamps so that the product of two such numbers is a finite 32-bit float. */
function finite(value: number): number {
  return Math.min(1e18, Math.max(-1e18, value));
}

/** The camera of a frame. */
export interface RayView {
  /** Maps x and y of −1…1 (right and up) and a depth of 0…1 to the volume's unit cube. Column by column. */
  readonly toCube: readonly number[];
  /** The eye in the cube; w is 1, or 0 if xyz is the direction to an eye at infinity. */
  readonly eye: Vector4;
  /** Lengths of the cube's edges in the scene. */
  readonly edges: Vector3;
}

/** Rows of a picture that are drawn at once. All numbers are in pixels. */
export interface Strip {
  /** The size of the whole picture. */
  readonly width: number;
  readonly height: number;
  /** The first row, and the number of rows. */
  readonly from: number;
  readonly count: number;
}

/** A strip that covers the whole picture. */
export function wholeOf({ width, height }: Pick<Strip, 'width' | 'height'>): Strip {
  return { width, height, from: 0, count: height };
}

/** A small picture without its last row, so that it counts as unfinished and requests no bricks. @param scale a fraction of the resolution */
export function trialOf({ width, height }: Pick<Strip, 'width' | 'height'>, scale: number): Strip {
  const [columns, rows] = [width, height].map((length) => Math.max(2, Math.round(length * scale))) as [number, number];
  return { width: columns, height: rows, from: 0, count: rows - 1 };
}

/** Bytes of `Frame` in shaders/draw/march-frame.wgsl. */
export const rayFrameBytes = 256;

/** `Frame` of shaders/draw/march-frame.wgsl. */
export function rayFrame(
  { dims, bricks }: { readonly dims: Dims3; readonly bricks: { readonly size: number } },
  view: RayView,
  parameters: RayParameters,
  { width, height, from, count }: Strip,
): Float32Array<ArrayBuffer> {
  const { window, march, look, clipLow, clipHigh, clipPlane, below, above } = parameters;
  const vectors = [view.eye, [...dims, bricks.size], window, march, look, clipPlane];
  const padded = [view.edges, clipLow, clipHigh].map((vector) => [...vector, 0]);
  return new Float32Array([view.toCube, vectors, padded, below, above, [width, height, from, count]].flat(2));
}

/** The inputs of a frame. */
export interface RayInputs {
  readonly projection: Projection;
  readonly display: DisplayTexture;
  /** Contains the result of `rayFrame`. */
  readonly frame: GPUBuffer;
  /** 256 × 2 texels: see `rayTransfer`. */
  readonly transfer: GPUTexture;
}

/** The width and height in pixels of a workgroup of rays. */
export function rayTile({ tuning }: Pick<Gpu, 'tuning'>): readonly [width: number, height: number] {
  const threads = tuning['view.rays'];
  return threads < 256 ? [8, threads / 8] : [16, 16];
}

/** Draws volumes with shaders/draw/ray-march.wgsl into any texture: the content of the 3D view, without its frame and text. */
export class RayPass {
  readonly #gpu: Gpu;
  readonly #sampler: GPUSampler;

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
    this.#sampler = gpu.device.createSampler({ label: 'view.ray-march', magFilter: 'linear', minFilter: 'linear' });
  }

  /**
   * @param target rgba8unorm, usage STORAGE_BINDING; its first `count` rows become the strip's, premultiplied
   * @param strip must be the one in the frame
   */
  record(commands: Commands, { projection, display, frame, transfer }: RayInputs, target: GPUTexture, strip: Strip): void {
    const way = projections.indexOf(projection) + 1;
    const [width, height] = rayTile(this.#gpu);
    const constants = { way, tile_width: width, tile_height: height };
    const kernel = this.#gpu.kernel({ label: 'view.ray-march', shader: rayMarchShader, constants });
    const textures = [transfer, display.bricks.texture, display.bricks.blocks, target].map((each) => each.createView());
    const bindings: Binding[] = [frame, display.texture.createView(), this.#sampler, ...textures];
    commands.dispatch(kernel, bindings, [Math.ceil(strip.width / width), Math.ceil(strip.count / height), 1]);
  }
}
