import type { SlabPlane, ThickSlice } from '../../../core/draw/slab-plane.ts';
import { SlicePass, sliceUniform, sliceUniformBytes } from '../../../core/draw/slice-pass.ts';
import type { Commands } from '../../../core/gpu/commands.ts';
import { createBindGroup } from '../../../core/gpu/commands.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuScope } from '../../../core/gpu/scope.ts';
import type { SliceBox, VolumeSource } from '../../../core/volume/volume-source.ts';
import overlayShader from '../../../shaders/viewer/overlay.wgsl';
import { type ColorChoice, colormap, colorsOf } from '../colors/colormaps.ts';
import { grounds } from '../colors/grounds.ts';
import type { AxisNumber } from '../model/orientation.ts';
import type { CanvasToVoxel, Point } from '../model/slice-geometry.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { UniformCache } from './uniform-cache.ts';

/** A picture to draw over the slice, premultiplied and of the target's size, and the crosshair below it. */
export interface SliceOverlay {
  readonly picture: GPUTexture;
  /** The crosshair's voxel along the canvas's right and down axes. */
  readonly voxel: Point;
  /** The canvas pixel of the centre of voxel 0, and the pixels from one voxel to the next. */
  readonly center: Point;
  readonly step: Point;
  /** Half the gap around the crosshair's centre; undefined if there is no crosshair. */
  readonly gap: Point | undefined;
  readonly thickness: number;
}

export interface SliceDrawing {
  readonly volume: VolumeSource;
  /** The axis across the slice, and the slice's index along it. Undefined: the map gives the plane, which has any orientation. */
  readonly axis: AxisNumber | undefined;
  readonly index: number;
  /** Its origin along `axis` is ignored in favour of `index`. */
  readonly map: CanvasToVoxel;
  readonly state: Pick<ViewState, 'window' | 'colormap' | 'inverted' | 'outside' | 'missing' | 'timePoint' | 'smooth'>;
  /** Draws a slab instead of a single slice. */
  readonly slab?: (ThickSlice & { readonly plane: SlabPlane }) | undefined;
  readonly overlay?: SliceOverlay | undefined;
  /** Background beside the slice, premultiplied. Default: near black. */
  readonly ground?: GPUColorDict | undefined;
}

const crosshairColor = [0.32, 0.68, 0.95, 0.75] as const;

/**
 * Draws slices from voxels in GPU memory into any texture. Slice index, time point and crosshair are passed with the draw;
 * only other changes write a uniform buffer. Free it with `destroy`.
 */
export class SliceRenderer {
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #format: GPUTextureFormat;
  readonly #pass: SlicePass;
  readonly #colors: GPUTexture;
  readonly #sliceUniforms: UniformCache;
  readonly #overlayUniforms: UniformCache;
  #overlayPipeline: GPURenderPipeline | undefined;
  #colorsKey = '';

  constructor(gpu: Gpu, format: GPUTextureFormat) {
    this.#gpu = gpu;
    this.#format = format;
    this.#pass = new SlicePass(gpu, format);
    this.#scope = gpu.scope('slices');
    this.#colors = this.#scope.texture('colors', 1024, {
      size: [256, 1],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    this.#sliceUniforms = new UniformCache(gpu.device, this.#scope, sliceUniformBytes);
    this.#overlayUniforms = new UniformCache(gpu.device, this.#scope, overlayBytes);
  }

  /** Records clearing the target and drawing the slice into it, unless undefined, with the decoding that this needs. */
  record(commands: Commands, target: GPUTexture, drawing: SliceDrawing | undefined): void {
    const view = target.createView();
    const clearValue = drawing?.ground ?? grounds['near-black'];
    let loadOp: GPULoadOp = 'clear';
    const render = (draw: (pass: GPURenderPassEncoder) => void): void => {
      commands.render('slice', { colorAttachments: [{ view, clearValue, loadOp, storeOp: 'store' }] }, draw);
      loadOp = 'load';
    };
    if (drawing && drawing.axis === undefined) {
      const plane = { ...drawing.map, width: target.width, height: target.height };
      drawing.volume.recordPlane(commands, plane, drawing.state.timePoint, (boxes) =>
        render((pass) => this.#drawSlice(pass, drawing, boxes)),
      );
      render((pass) => drawing.overlay && this.#drawOverlay(pass, drawing.overlay));
      return;
    }
    const boxes = drawing?.axis === undefined ? [] : recordBoxes(commands, drawing, drawing.axis);
    render((pass) => {
      if (!drawing) return;
      this.#drawSlice(pass, drawing, boxes);
      if (drawing.overlay) this.#drawOverlay(pass, drawing.overlay);
    });
  }

  destroy(): void {
    this.#scope.destroy();
  }

  #drawSlice(
    pass: GPURenderPassEncoder,
    { volume, axis, index, map, state, slab }: SliceDrawing,
    boxes: readonly SliceBox[],
  ): void {
    this.#writeColors(state);
    const { window, smooth, timePoint, outside, missing } = state;
    const { isCategorical } = colormap(state.colormap);
    // A slab's plane holds 32-bit floats.
    const type = slab ? 'f32' : volume.info.type;
    const { info, decimation, dims, numbers } = volume;
    const shown = { info: { ...info, type }, decimation, dims, numbers };
    const look = { window, smooth, isCategorical, outside, missing };
    const uniform = this.#sliceUniforms.get(sliceUniform(shown, { axis, ...map }, look));
    this.#pass.draw(pass, { type, boxes, uniform, colors: this.#colors, index, timePoint });
  }

  #drawOverlay(pass: GPURenderPassEncoder, { picture, voxel, center, step, gap, thickness }: SliceOverlay): void {
    const pipeline = this.#overlay();
    const [r, g, b, a] = crosshairColor;
    const values = [...center, ...step, ...(gap ?? [-1, -1]), 0, 0, r * a, g * a, b * a, a, thickness, 0, 0, 0];
    const uniform = this.#overlayUniforms.get(new Uint32Array(new Float32Array(values).buffer));
    const bindings = [uniform, picture.createView()];
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, createBindGroup(this.#gpu.device, pipeline.label, pipeline.getBindGroupLayout(0), bindings));
    pass.draw(3, 1, 3 * voxel[1], voxel[0]);
  }

  #writeColors(choice: ColorChoice): void {
    const key = `${choice.colormap} ${choice.inverted}`;
    if (key === this.#colorsKey) return;
    this.#colorsKey = key;
    const colors = colorsOf(choice);
    const texels = Uint8Array.from({ length: 1024 }, (_, index) =>
      index % 4 === 3 ? 255 : (colors[Math.floor(index / 4) * 3 + (index % 4)] as number),
    );
    this.#gpu.device.queue.writeTexture({ texture: this.#colors }, texels, { bytesPerRow: 1024 }, [256, 1]);
  }

  #overlay(): GPURenderPipeline {
    if (this.#overlayPipeline) return this.#overlayPipeline;
    const module = this.#gpu.shaderModule('view.overlay', overlayShader);
    const over: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' };
    this.#overlayPipeline = this.#gpu.device.createRenderPipeline({
      label: 'view.overlay',
      layout: 'auto',
      vertex: { module, entryPoint: 'vertex' },
      fragment: { module, entryPoint: 'main', targets: [{ format: this.#format, blend: { color: over, alpha: over } }] },
    });
    return this.#overlayPipeline;
  }
}

function recordBoxes(
  commands: Commands,
  { volume, index, state: { timePoint }, slab }: SliceDrawing,
  axis: AxisNumber,
): readonly SliceBox[] {
  if (slab) return slab.plane.record(commands, volume, axis, index, timePoint, slab);
  return volume.recordSlice(commands, axis, index, timePoint);
}

/** Size of `Overlay` in overlay.wgsl, in bytes. */
const overlayBytes = 64;
