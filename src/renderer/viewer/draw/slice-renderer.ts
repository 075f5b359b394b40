import { labelPlanePlace, labelPlaneType } from '../../../core/draw/label-plane.ts';
import { layerSlabPlane } from '../../../core/draw/layer-slab.ts';
import { OutlinePass } from '../../../core/draw/outline-pass.ts';
import {
  type Blending,
  type SliceLook,
  SlicePass,
  type SlicePlane,
  sliceUniform,
  sliceUniformBytes,
} from '../../../core/draw/slice-pass.ts';
import { UniformCache } from '../../../core/draw/uniform-cache.ts';
import type { Commands } from '../../../core/gpu/commands.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuScope } from '../../../core/gpu/scope.ts';
import type { Dims3, ElementType } from '../../../core/shared/volume.ts';
import type { SliceBox, VolumeSource } from '../../../core/volume/volume-source.ts';
import { colormap } from '../colors/colormaps.ts';
import { grounds } from '../colors/grounds.ts';
import { type PixelRect, pixelRect, rectsAround } from '../model/detail-region.ts';
import { mostMeshes } from '../model/layers.ts';
import type { AxisNumber } from '../model/orientation.ts';
import { layerPlane } from './layer-plane.ts';
import type { ObliqueBricks } from './oblique-detail.ts';
import { OverlayPass } from './overlay-pass.ts';
import { SliceColors } from './slice-colors.ts';
import { areFloatsExact, type BlendedDrawing, isBlended, type LayerDrawing, type SliceDrawing } from './slice-contents.ts';
import { SliceTarget } from './slice-target.ts';

/** More uniforms than one submit needs for all its pictures and their layers. */
const mostUniforms = 256;

/**
 * Draws slices from voxels in GPU memory into any texture. Slice index, time point and crosshair are passed with the draw
 * call; only other changes write a uniform buffer. Free it with `destroy`.
 */
export class SliceRenderer {
  readonly #scope: GpuScope;
  readonly #pass: SlicePass;
  readonly #outlines: OutlinePass;
  readonly #colors: SliceColors;
  readonly #sliceUniforms: UniformCache;
  readonly #overlays: OverlayPass;

  constructor(gpu: Gpu, format: GPUTextureFormat) {
    this.#pass = new SlicePass(gpu, format);
    this.#scope = gpu.scope('slices');
    this.#colors = new SliceColors(gpu, this.#scope);
    this.#outlines = new OutlinePass(gpu, format, this.#scope, mostMeshes);
    this.#sliceUniforms = new UniformCache(gpu.device, this.#scope, sliceUniformBytes, mostUniforms);
    this.#overlays = new OverlayPass(gpu, format, this.#scope, mostUniforms);
  }

  /** Records clearing the target, and drawing the slice, if any, into it, including the necessary decoding. */
  record(commands: Commands, target: GPUTexture, drawing: SliceDrawing | undefined): void {
    const frame = new SliceTarget(commands, target, drawing?.ground ?? grounds['near-black']);
    if (drawing) {
      if (drawing.opacity !== 0) this.#recordVolume(commands, drawing, target, frame);
      else drawing.blended?.destroy();
      for (const layer of drawing.layers ?? []) this.#recordLayer(commands, drawing, layer, target, frame);
      if (drawing.meshes?.length) frame.add((pass) => this.#drawOutlines(pass, drawing, target));
      const { overlay } = drawing;
      if (overlay) frame.add((pass) => this.#overlays.draw(pass, overlay));
    }
    frame.end();
  }

  destroy(): void {
    this.#scope.destroy();
  }

  /** Records drawing the volume itself, or a channel of it. */
  #recordVolume(
    commands: Commands,
    drawing: SliceDrawing,
    { width, height }: Pick<GPUTexture, 'width' | 'height'>,
    frame: SliceTarget,
    blending?: Blending,
  ): void {
    const { volume, axis, map, state } = drawing;
    if (isBlended(drawing)) {
      this.#recordBlended(commands, drawing, { width, height }, frame, blending);
      return;
    }
    drawing.blended?.destroy();
    const draw = (boxes: readonly SliceBox[]) =>
      frame.add((pass) => this.#drawSlice(pass, drawing, boxes, { width, height }, blending), volume.isCompressed);
    if (axis !== undefined) {
      draw(recordBoxes(commands, drawing, axis));
      return;
    }
    const { bricks, opacity = 1 } = drawing;
    // Only an opaque volume hides the coarse voxels below its bricks. Channels are replaced all at once.
    const isOpaque = opacity === 1 && (blending === undefined || blending === 'over');
    const isReplaced = bricks !== undefined && (bricks.isWhole || (isOpaque && !bricks.isOfChannels));
    const showsBricks = isReplaced && bricks.slices.has(state.timePoint);
    if (!showsBricks || !bricks.isWhole) volume.recordPlane(commands, { ...map, width, height }, state.timePoint, draw);
    if (showsBricks) frame.add((pass) => this.#drawBricks(pass, drawing, bricks, { width, height }, blending));
  }

  /** Records drawing the volume on an oblique plane, interpolated across the seams between its boxes. */
  #recordBlended(
    commands: Commands,
    { volume, map, state, opacity, labels, blended }: BlendedDrawing,
    { width, height }: Pick<GPUTexture, 'width' | 'height'>,
    frame: SliceTarget,
    blending: Blending | undefined,
  ): void {
    const { origin, right, down } = map;
    const samples = {
      origin,
      across: [0, 0, 0],
      right,
      down,
      width,
      height,
      slices: [0, 0],
      kind: 'mean',
      smooth: true,
    } as const;
    const boxes = blended.record(commands, volume, state.timePoint, samples);
    const { window, outside, missing } = state;
    const look = { window, smooth: false, isCategorical: false, outside, missing, opacity };
    const colors = this.#colors.of(state, labels);
    this.#drawPlane(frame, volume, { type: 'f32', boxes, place: layerSlabPlane, look, colors, blending });
  }

  /** Draws voxels that were collected in a plane, one for each pixel of the canvas and its margin. */
  #drawPlane(
    frame: SliceTarget,
    { info, numbers }: Pick<VolumeSource, 'info' | 'numbers'>,
    { type, boxes, place, look, colors, blending }: CollectedPlane,
  ): void {
    const [box] = boxes;
    if (!box) return;
    const rows = boxes.reduce((sum, { voxels }) => sum + voxels.dims[1], 0);
    const dims = [box.voxels.dims[0], rows, 1, 1] as const;
    const shown = {
      info: { ...info, type, dims },
      factors: [1, 1, 1],
      dims,
      // In the plane of an image, missing values are NaN.
      numbers: look.isCategorical ? numbers : ([-Infinity, Infinity] as const),
    } as const;
    const uniform = this.#sliceUniforms.get(sliceUniform(shown, place, look));
    frame.add((pass) => this.#pass.draw(pass, { type, boxes, uniform, colors, index: 0, timePoint: 0, blending }));
  }

  #drawSlice(
    pass: GPURenderPassEncoder,
    { volume, axis, index, map, state, slab, detail, opacity, labels }: SliceDrawing,
    boxes: readonly SliceBox[],
    { width, height }: Pick<GPUTexture, 'width' | 'height'>,
    blending: Blending | undefined,
  ): void {
    const { window, smooth, timePoint, outside, missing } = state;
    const { isCategorical } = colormap(state.colormap);
    // A slab's plane holds 32-bit floats.
    const type = slab ? 'f32' : volume.info.type;
    const { info, factors, dims, numbers } = volume;
    const shown = { info: { ...info, type }, factors, dims, numbers };
    const look = { window, smooth, isCategorical, outside, missing, opacity };
    const colors = this.#colors.of(state, labels);
    const drawIn = (of: typeof shown, from: readonly SliceBox[], { begin, end }: PixelRect): void => {
      if (begin[0] >= end[0] || begin[1] >= end[1] || from.length === 0) return;
      pass.setScissorRect(...begin, end[0] - begin[0], end[1] - begin[1]);
      const uniform = this.#sliceUniforms.get(sliceUniform(of, { axis, ...map }, look));
      this.#pass.draw(pass, { type, boxes: from, uniform, colors, index, timePoint, blending });
    };
    const all: PixelRect = { begin: [0, 0], end: [width, height] };
    if (axis === undefined || volume.decimation === 1) {
      drawIn(shown, boxes, all);
      return;
    }
    // The last coarse voxels extend beyond the volume. Where there is detail, the coarse voxels must not show through.
    const [nx, ny, nz] = info.dims;
    const rect = (first: Dims3, end: Dims3): PixelRect => pixelRect({ axis, map, width, height }, first, end);
    const whole = rect([0, 0, 0], [nx, ny, nz]);
    const finer = detail?.boxes.get(timePoint);
    if (!detail || !finer) drawIn(shown, boxes, whole);
    else {
      const { first, size } = detail.region;
      const [fx, fy, fz] = detail.level.factors;
      const place = rect(
        [first[0] * fx, first[1] * fy, first[2] * fz],
        [
          Math.min(nx, (first[0] + size[0]) * fx),
          Math.min(ny, (first[1] + size[1]) * fy),
          Math.min(nz, (first[2] + size[2]) * fz),
        ],
      );
      for (const around of rectsAround(whole, place)) drawIn(shown, boxes, around);
      drawIn({ ...shown, ...detail.level }, [finer], place);
    }
    pass.setScissorRect(0, 0, width, height);
  }

  #drawBricks(
    pass: GPURenderPassEncoder,
    { volume: { info, numbers }, map, state, opacity, labels }: SliceDrawing,
    { slices }: ObliqueBricks,
    { width, height }: Pick<GPUTexture, 'width' | 'height'>,
    blending: Blending | undefined,
  ): void {
    const { window, smooth, timePoint, outside, missing } = state;
    const { isCategorical } = colormap(state.colormap);
    const plane = { axis: undefined, ...map };
    const whole = { info, dims: info.dims, factors: [1, 1, 1], numbers } as const;
    const look = { window, smooth, isCategorical, outside, missing, opacity };
    slices.draw(pass, {
      slice: { plane, index: 0, width, height },
      look: { timePoint, window, isCategorical, numbers },
      uniform: this.#sliceUniforms.get(sliceUniform(whole, plane, look)),
      colors: this.#colors.of(state, labels),
      blending,
    });
  }

  #recordLayer(
    commands: Commands,
    drawing: SliceDrawing,
    layer: LayerDrawing,
    target: Pick<GPUTexture, 'width' | 'height'>,
    frame: SliceTarget,
  ): void {
    const { width, height } = target;
    const { index, slab, lineWidth = 1 } = drawing;
    const { look, labels, timePoint, slab: scratch, labelPlane, plane: channelPlane } = layer;
    const volume = layer.finer ?? layer.volume;
    const { isCategorical } = colormap(look.colormap);
    const { window, smooth, opacity, blending, outline } = look;
    const outside = [look.hidesBelow ? 'hide' : 'clamp', 'clamp'] as const;
    if (channelPlane && !isCategorical) {
      if (!slab) channelPlane.destroy();
      const { colormap: colors, inverted } = look;
      const state = {
        window,
        colormap: colors,
        inverted,
        outside,
        missing: 'hide',
        timePoint,
        smooth: drawing.state.smooth,
      } as const;
      const thick = slab && { ...slab, plane: channelPlane };
      this.#recordVolume(
        commands,
        { ...drawing, state, slab: thick, opacity, labels, blended: scratch },
        target,
        frame,
        blending,
      );
      return;
    }
    const { isThick, slices, ...place } = layerPlane(drawing, layer);
    // Voxels from several boxes are collected in a plane before they are interpolated or outlined.
    const isBlended = volume.isSplit && smooth && !isCategorical && areFloatsExact(window);
    const isOutlined = volume.isSplit && outline && isCategorical;
    if (!isThick && !isBlended) scratch.destroy();
    if (!isOutlined) labelPlane.destroy();
    const plane = { axis: undefined, ...place };
    const common = { window, outside, missing: 'hide', isCategorical, opacity, hidesZero: isCategorical } as const;
    const colors = this.#colors.of(look, labels);
    if (isThick || isBlended) {
      const kind = isThick && slab ? slab.kind : 'mean';
      const boxes = scratch.record(commands, volume, timePoint, { ...plane, width, height, slices, kind, smooth });
      const inPlane = { ...common, smooth: false };
      this.#drawPlane(frame, volume, { type: 'f32', boxes, place: layerSlabPlane, look: inPlane, colors, blending });
      return;
    }
    if (isOutlined) {
      const margin = lineWidth;
      const boxes = labelPlane.record(commands, volume, timePoint, { ...plane, width, height, index, margin });
      const inPlane = { ...common, smooth: false, outline: lineWidth };
      const type = labelPlaneType(volume.info.type);
      this.#drawPlane(frame, volume, { type, boxes, place: labelPlanePlace(margin), look: inPlane, colors, blending });
      return;
    }
    const uniform = this.#sliceUniforms.get(
      sliceUniform(volume, plane, { ...common, smooth, outline: isCategorical && outline ? lineWidth : 0 }),
    );
    const { type } = volume.info;
    // The draw call moves the plane to the slice; decoding needs to know where the slice is.
    const sweep = { step: place.across, first: index, last: index };
    volume.recordPlane(commands, { ...plane, width, height, sweep }, timePoint, (boxes) =>
      frame.add(
        (pass) => this.#pass.draw(pass, { type, boxes, uniform, colors, index, timePoint, blending }),
        volume.isCompressed,
      ),
    );
  }

  #drawOutlines(
    pass: GPURenderPassEncoder,
    { axis, map, index, meshes = [], lineWidth = 1 }: SliceDrawing,
    target: GPUTexture,
  ): void {
    const origin = axis === undefined ? map.origin : (map.origin.with(axis, index + 0.5) as [number, number, number]);
    for (const mesh of meshes) this.#outlines.draw(pass, mesh, { ...map, origin }, target, 1.5 * lineWidth);
  }
}

/** Voxels that were collected in a plane, and how to draw them. */
interface CollectedPlane {
  readonly type: ElementType;
  /** One below another. */
  readonly boxes: readonly SliceBox[];
  readonly place: SlicePlane;
  readonly look: SliceLook;
  readonly colors: GPUTexture;
  readonly blending: Blending | undefined;
}

function recordBoxes(
  commands: Commands,
  { volume, index, state: { timePoint }, slab }: SliceDrawing,
  axis: AxisNumber,
): readonly SliceBox[] {
  if (slab) return slab.plane.record(commands, volume, axis, index, timePoint, slab);
  return volume.recordSlice(commands, axis, index, timePoint);
}
