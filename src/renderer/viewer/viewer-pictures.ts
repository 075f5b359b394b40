import type { Gpu } from '../../core/gpu/gpu.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { AttachedViews } from './attached-views.ts';
import type { BrickFeed } from './brick-feed.ts';
import type { LayerFeeds } from './layer-feeds.ts';
import { checkPictureSize, type PictureRequest, type ViewPicture } from './model/picture.ts';
import type { ViewName } from './model/viewer-api.ts';
import { VolumeView } from './space/volume-view.ts';
import type { SpaceTextures } from './space-textures.ts';
import type { ViewerContent } from './viewer-content.ts';

/** The parts of the viewer that pictures need. */
export interface PictureStage {
  readonly gpu: Gpu;
  readonly content: ViewerContent;
  readonly views: AttachedViews;
  readonly textures: SpaceTextures;
  readonly bricks: BrickFeed;
  readonly layerBricks: LayerFeeds;
}

/** Pictures of the visible views. */
export class ViewerPictures {
  readonly #stage: PictureStage;

  constructor(stage: PictureStage) {
    this.#stage = stage;
  }

  /** The longest edge of a picture that the device can draw, in pixels. */
  get longestEdge(): number {
    return this.#stage.gpu.device.limits.maxTextureDimension2D;
  }

  /**
   * Draws a visible view as a picture of any size.
   * @throws StriaError `invalid-input` if it is not visible, `limit-too-small`, `aborted`, `device-lost`
   */
  async take(name: ViewName, request: PictureRequest): Promise<ViewPicture> {
    const { content, views, textures, bricks, layerBricks } = this.#stage;
    const { width, height } = request;
    checkPictureSize(width, height, this.longestEdge);
    const view = views.view(name);
    if (!view?.isShown || !content.volume) throw new StriaError('invalid-input', `there is no ${name} view to take a picture of`);
    if (name === '3d') await textures.settled();
    if (name === '3d') await layerBricks.opened();
    if (name === '3d' || name === 'oblique') await bricks.opened();
    return view.picture(request);
  }

  /** A thumbnail of the 3D view, else of a slice, as a PNG data URL; undefined if no view is attached. */
  async thumbnail(width = 160, height = 120): Promise<string | undefined> {
    const source = (['3d', 'z', 'y', 'x'] as const).map((name) => this.#drawNow(name)).find((canvas) => canvas !== undefined);
    const target = document.createElement('canvas');
    Object.assign(target, { width, height });
    const context = target.getContext('2d');
    if (!source || !context || !this.#stage.content.volume) return undefined;
    const scale = Math.min(width / source.width, height / source.height);
    const [across, down] = [scale * source.width, scale * source.height];
    context.drawImage(source, (width - across) / 2, (height - down) / 2, across, down);
    return target.toDataURL('image/png');
  }

  /**
   * Draws a view in the current task, so that its canvas still holds the picture when it is read. Undefined if it is not
   * visible.
   */
  #drawNow(name: ViewName): HTMLCanvasElement | undefined {
    const view = this.#stage.views.view(name);
    if (!view || view.canvas.clientWidth === 0 || view.canvas.clientHeight === 0) return undefined;
    if (view instanceof VolumeView) view.renderStill();
    else view.render();
    return view.canvas;
  }
}
