import { SlabPlane } from '../../../core/draw/slab-plane.ts';
import type { Commands } from '../../../core/gpu/commands.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { metresOf, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import type { ShownLabels } from '../model/label-look.ts';
import type { PictureRequest, ViewPicture } from '../model/picture.ts';
import { placeSlice, type SliceCamera } from '../model/slice-geometry.ts';
import type { ShownLayer, ShownMesh } from '../model/view-host.ts';
import type { SliceAxis, ViewState } from '../model/viewer-api.ts';
import { LayerSlabs } from './layer-slabs.ts';
import { readTexture } from './read-texture.ts';
import { sliceDrawing, slicePlacement } from './slice-drawing.ts';
import type { SliceRenderer } from './slice-renderer.ts';

/** Scratch memory of a picture. */
export interface PictureScratch {
  readonly plane: SlabPlane;
  readonly slabs: LayerSlabs;
}

/** Draws a picture into a texture and reads it. @throws StriaError `device-lost` */
export async function texturePicture(
  gpu: Gpu,
  format: GPUTextureFormat,
  { width, height, background }: Pick<PictureRequest, 'width' | 'height' | 'background'>,
  record: (commands: Commands, target: GPUTexture, scratch: PictureScratch) => void,
): Promise<ViewPicture> {
  using scope = gpu.scope('picture');
  const target = scope.texture('target', width * height * 4, {
    size: [width, height],
    format,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const plane = new SlabPlane(gpu);
  const slabs = new LayerSlabs(gpu);
  try {
    const commands = gpu.commands('picture');
    record(commands, target, { plane, slabs });
    await commands.submit();
  } finally {
    plane.destroy();
    slabs.destroy();
  }
  return readTexture(gpu, target, background !== 'transparent');
}

/** The resolution for the metadata of a picture's file; undefined if unknown. */
export function pixelsPerMetre(pixelsPerUnit: number | undefined, info: VolumeInfo | undefined): number | undefined {
  return pixelsPerUnit && pixelsPerUnit / metresOf[info?.spatialUnit ?? 'unknown'];
}

/** A slice to draw without a canvas. */
export interface SliceScene {
  readonly volume: VolumeSource;
  readonly axis: SliceAxis;
  readonly state: ViewState;
  readonly camera: SliceCamera;
  /** The layers to draw, the lowest first. */
  readonly layers: readonly ShownLayer[];
  /** Meshes whose outlines are drawn. */
  readonly meshes?: readonly ShownMesh[];
  /** The volume's labels, if anything is known about them. */
  readonly labels?: ShownLabels | undefined;
  /** The background, premultiplied. */
  readonly ground: GPUColorDict;
}

/** Draws a slice as a picture, without crosshair, letters and scale bar. @param renderer one of format `rgba8unorm` */
export async function slicePicture(
  gpu: Gpu,
  renderer: SliceRenderer,
  { volume, axis, state, camera, layers, meshes = [], labels, ground }: SliceScene,
  request: Pick<PictureRequest, 'width' | 'height' | 'pixelRatio' | 'background'>,
): Promise<ViewPicture> {
  const { pixelRatio } = request;
  const placement = slicePlacement(volume.info, axis, state, camera, request, pixelRatio);
  const picture = await texturePicture(gpu, 'rgba8unorm', request, (commands, target, { plane, slabs }) => {
    const shown = { volume, layersIn: () => layers };
    const look = { pixelRatio, state, layers: slabs.drawings(shown, state), meshes, labels, plane, ground };
    renderer.record(commands, target, sliceDrawing(volume, axis, placement, look));
  });
  return { ...picture, pixelsPerMetre: pixelsPerMetre(placeSlice(placement).pixelsPerUnit, volume.info) };
}
