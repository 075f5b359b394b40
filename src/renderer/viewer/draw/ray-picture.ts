import { type Camera, Matrix4, type Vector4 } from 'three';
import { type Strip, wholeOf } from '../../../core/draw/ray-pass.ts';
import { createBindGroup } from '../../../core/gpu/commands.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import overShader from '../../../shaders/viewer/over.wgsl';
import { planeInCube } from '../model/cut-plane.ts';
import type { ShownLabels } from '../model/label-look.ts';
import { sceneEdges } from '../model/orientation.ts';
import { type PictureRequest, toStraight, type ViewPicture } from '../model/picture.ts';
import type { LayerIn3d, ShownMesh } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import type { BrickSpace } from './brick-space.ts';
import { RayDrawing } from './ray-drawing.ts';
import { rayViewOf } from './ray-view.ts';
import { readPixels } from './read-texture.ts';
import { sceneCube } from './scene-cube.ts';

/** The maximum number of pixels of a strip, so that pictures are read in small pieces and cancelled quickly. */
export const mostStripPixels = 2 ** 21;

/** A volume as the 3D view shows it. */
export interface RayScene {
  readonly info: VolumeInfo;
  /** The texture, filled with the time point to draw. */
  readonly display: DisplayTexture;
  readonly layers?: readonly LayerIn3d[];
  readonly meshes?: readonly ShownMesh[];
  /** The volume's labels, if anything is known about them. */
  readonly labels?: ShownLabels | undefined;
  /** The volume's bricks, if the display texture holds less than its file. */
  readonly bricks?: BrickSpace | undefined;
  /** The bricks of layers; see `RayMarch`. */
  readonly layerBricks?: ReadonlyMap<string, BrickSpace> | undefined;
  readonly state: ViewState;
  /** The camera, whose matrices must be up to date. */
  readonly camera: Camera;
  /** The camera's position; see `rayViewOf`. */
  readonly eye: Vector4;
  /** The distance between samples in texels. */
  readonly step: number;
  /** The background, premultiplied. */
  readonly ground: GPUColorDict;
}

/**
 * Draws the 3D view's volume as a picture, in strips, without box and letters.
 * @param rows the height of a strip that does not occupy the GPU for long @param check called before each strip
 * @throws StriaError `aborted`, `device-lost`, and whatever `check` throws
 */
export async function rayPicture(
  gpu: Gpu,
  scene: RayScene,
  { width, height, background, signal }: Pick<PictureRequest, 'width' | 'height' | 'background' | 'signal'>,
  rows: number,
  check: () => void = () => {},
): Promise<ViewPicture> {
  const { info, display, layers = [], meshes, labels, bricks, layerBricks, state, camera, eye, step, ground } = scene;
  const { lengths, cube } = sceneCube(info);
  const view = rayViewOf(camera, eye, new Matrix4().copy(cube).invert(), lengths);
  const plane = state.cut && planeInCube(state.cut, sceneEdges(info));
  const stripRows = Math.max(1, Math.min(height, rows, Math.max(8, Math.floor(mostStripPixels / width))));
  const rgba = new Uint8Array(width * height * 4);
  const rays = new RayDrawing(gpu, info, display);
  using scope = gpu.scope('ray-picture');
  try {
    const whole: Strip = wholeOf({ width, height });
    const march = { view, step, plane, meshes, labels, bricks, layerBricks };
    await rays.load(state, layers, { ...march, strip: whole }, signal);
    const pipeline = overPipeline(gpu);
    const target = scope.texture('target', 4 * width * stripRows, {
      size: [width, stripRows],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    for (let from = 0; from < height; from += stripRows) {
      throwIfAborted(signal);
      check();
      const strip: Strip = { width, height, from, count: Math.min(stripRows, height - from) };
      void rays.march(state, layers, { ...march, strip });
      gpu.checkAlive();
      const attachment = { view: target.createView(), clearValue: ground, loadOp: 'clear', storeOp: 'store' } as const;
      const bindings = [rays.picture.createView()];
      const group = createBindGroup(gpu.device, 'view.over', pipeline.getBindGroupLayout(0), bindings);
      const commands = gpu.commands('ray-picture').render('over', { colorAttachments: [attachment] }, (pass) => {
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.setScissorRect(0, 0, width, strip.count);
        pass.draw(3);
      });
      void commands.submit();
      await readPixels(gpu, target, strip.count, rgba.subarray(from * width * 4));
    }
    return { width, height, rgba: toStraight(rgba, false, background !== 'transparent') };
  } finally {
    rays.destroy();
  }
}

function overPipeline(gpu: Gpu): GPURenderPipeline {
  const module = gpu.shaderModule('view.over', overShader);
  const over: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' };
  return gpu.device.createRenderPipeline({
    label: 'view.over',
    layout: 'auto',
    vertex: { module, entryPoint: 'vertex' },
    fragment: { module, entryPoint: 'main', targets: [{ format: 'rgba8unorm', blend: { color: over, alpha: over } }] },
  });
}
