import type { Camera } from 'three';
import type { Strip } from '../../../core/draw/ray-pass.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { mostStripPixels } from '../draw/ray-picture.ts';
import { unitsPerLength } from '../model/orientation.ts';
import { drawOver, type PictureRequest, toStraight, type ViewPicture } from '../model/picture.ts';
import { scaleBar } from '../model/scale-bar.ts';
import { scaleBarPicture } from '../slices/slice-overlay.ts';
import type { RestingRenderer } from './resting-renderer.ts';
import { TiledFrame } from './tiled-frame.ts';
import type { VolumeScene } from './volume-scene.ts';

interface StripDrawing {
  /** The number of rows of a strip that does not occupy the GPU for long. */
  readonly rows: number;
  /** Prepares the scene for a strip and renders it. */
  draw(strip: Strip, render: (camera: Camera) => void): void;
}

/** Draws a volume's scene as a picture in strips, with box and letters. @throws StriaError `aborted`, and whatever `draw` throws */
export async function volumePicture(
  renderer: RestingRenderer,
  volume: VolumeScene,
  { width, height, background, signal }: PictureRequest,
  { rows: soonDrawn, draw }: StripDrawing,
): Promise<ViewPicture> {
  const rgba = new Uint8Array(width * height * 4);
  const frame = new TiledFrame(renderer);
  const rows = Math.min(height, soonDrawn, Math.max(8, Math.floor(mostStripPixels / width)));
  try {
    for (let from = 0; from < height; from += rows) {
      throwIfAborted(signal);
      const strip = { width, height, from, count: Math.min(rows, height - from) };
      draw(strip, (camera) => frame.drawStrip(volume.scene, camera, strip));
      rgba.set(await frame.read(strip), from * width * 4);
    }
    return { width, height, rgba: toStraight(rgba, false, background !== 'transparent') };
  } finally {
    frame.dispose();
  }
}

/** Draws the scale bar that the page shows over the canvas. @param pixelsPerLength pixels per scene unit at the camera's target */
export function drawScale(picture: ViewPicture, pixelRatio: number, info: VolumeInfo, pixelsPerLength: number): void {
  const most = Math.min(120 * pixelRatio, 0.3 * picture.width);
  const bar = scaleBar(pixelsPerLength / unitsPerLength(info), most, info.spatialUnit);
  const drawn = bar && scaleBarPicture(bar, pixelRatio, picture);
  if (drawn) drawOver(picture, drawn, picture.width - drawn.width, picture.height - drawn.height);
}
