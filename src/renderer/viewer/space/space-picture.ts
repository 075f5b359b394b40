import type { FramePacing } from '../../../core/draw/frame-pacing.ts';
import { wholeOf } from '../../../core/draw/ray-pass.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { pictureGrounds } from '../colors/grounds.ts';
import { RayDrawing } from '../draw/ray-drawing.ts';
import { rayPicture } from '../draw/ray-picture.ts';
import type { OrbitCamera } from '../model/orbit-camera.ts';
import type { PictureRequest, ViewPicture } from '../model/picture.ts';
import type { ViewHost } from '../model/view-host.ts';
import type { SpaceCanvas } from './space-canvas.ts';
import { stripRows } from './still-picture.ts';
import { drawScale, volumePicture } from './volume-picture.ts';
import type { SceneContent, VolumeScene } from './volume-scene.ts';

/** The 3D view that a picture is taken of. */
export interface PicturedView {
  readonly gpu: Gpu;
  readonly host: ViewHost;
  readonly canvas: SpaceCanvas;
  readonly orbit: OrbitCamera;
  readonly pacing: FramePacing;
  readonly scene: VolumeScene;
  readonly bricks: SceneContent['bricks'];
  readonly layerBricks: SceneContent['layerBricks'];
  /** The distance between samples in texels. */
  readonly step: number;
  /** @throws StriaError `aborted` if the view no longer shows the volume */
  checkShown(): void;
}

/** What draws annotated pictures. */
export interface PictureDrawing {
  newRays(gpu: Gpu, shown: VolumeScene['shown']): RayDrawing;
  readonly volumePicture: typeof volumePicture;
}

const pictureDrawing: PictureDrawing = {
  newRays: (gpu, { info, display }) => new RayDrawing(gpu, info, display),
  volumePicture,
};

/**
 * Draws the 3D view as a picture of any size, at full quality. It is drawn in strips, and the canvas stays live meanwhile.
 * @param drawing only tests set it
 * @throws StriaError `aborted`, `device-lost`
 */
export async function spacePicture(view: PicturedView, request: PictureRequest, drawing = pictureDrawing): Promise<ViewPicture> {
  const { gpu, host, canvas, orbit, pacing, scene, bricks, layerBricks, step, checkShown } = view;
  const { background } = request;
  const { camera, eye, halfHeight } = orbit.posed(request.width / request.height, request.turn);
  const state = { ...host.state, ...request.state };
  const [layers, meshes] = [host.layersIn3d(state), host.meshesIn(state)];
  const content = { layers, meshes, labels: host.labels, bricks, layerBricks };
  const rows = stripRows(pacing, request.width, step);
  if (!request.isAnnotated) {
    const ground = background === 'screen' ? host.ground : pictureGrounds[background];
    const rays = { ...scene.shown, ...content, state, camera, eye, step, ground };
    return rayPicture(gpu, rays, request, rows, checkShown);
  }
  const seen = { camera, eye, textPart: canvas.textPart };
  // The canvas stays live. If they shared a drawing, its frames would decide between strips whether the next one uses bricks.
  const rays = drawing.newRays(gpu, scene.shown);
  try {
    await scene.load(rays, state, content, seen, step, wholeOf(request), request.signal);
    const picture = await drawing.volumePicture(canvas.renderer, scene, request, {
      rows,
      draw: (strip, render) => {
        checkShown();
        scene.restWidth = request.width;
        scene.isDraft = false;
        void scene.update(state, content, seen, step, host.hasOblique, strip, rays);
        canvas.setGround(background);
        render(camera);
        canvas.setGround('screen');
      },
    });
    gpu.checkAlive();
    const info = host.volume?.info;
    if (info) drawScale(picture, request.pixelRatio, info, request.height / 2 / halfHeight);
    return picture;
  } finally {
    rays.destroy();
  }
}
