import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuScope } from '../../../core/gpu/scope.ts';
import type { ChunkPicture } from '../model/chunk-rectangles.ts';
import type { EdgeLetters } from '../model/orientation.ts';
import type { ViewPicture } from '../model/picture.ts';
import type { ScaleBar } from '../model/scale-bar.ts';
import type { Point } from '../model/slice-geometry.ts';
import { paintChunks } from './chunk-painter.ts';
import { paintMeasures } from './measure-painter.ts';
import type { MeasureShape } from './measure-shapes.ts';

export interface OverlayContent {
  readonly width: number;
  readonly height: number;
  /** Canvas pixels per CSS pixel. */
  readonly pixelRatio: number;
  readonly chunks: ChunkPicture | undefined;
  readonly measures: readonly MeasureShape[];
  /** The line where the oblique slice cuts this one, in canvas pixels. */
  readonly cut?: readonly [Point, Point] | undefined;
  readonly letters: EdgeLetters | undefined;
  /** A scale bar with its length in canvas pixels and its text. */
  readonly scaleBar: ScaleBar | undefined;
  /** Text in the lower left corner. */
  readonly caption?: string | undefined;
}

const ink = 'rgba(236, 239, 244, 0.82)';
const shade = 'rgba(0, 0, 0, 0.65)';
const smallFont = '400 11px system-ui, sans-serif';

/**
 * The chunks, letters and scale bar of a slice. They are painted when they change, and kept as a texture. Free it with
 * `destroy`.
 */
export class SliceOverlayPicture {
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  #texture: GPUTexture | undefined;
  #painted = '';

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
    this.#scope = gpu.scope('overlay');
  }

  /** The texture with the content: premultiplied, and as large as the canvas. */
  texture(content: OverlayContent): GPUTexture {
    // JSON leaves functions out, so chunks are compared by their key.
    const key = JSON.stringify(content);
    if (this.#texture && key === this.#painted) return this.#texture;
    const { width, height } = content;
    if (!this.#texture || this.#texture.width !== width || this.#texture.height !== height) {
      if (this.#texture) this.#scope.free(this.#texture);
      this.#texture = this.#scope.texture('picture', width * height * 4, {
        size: [width, height],
        format: 'rgba8unorm',
        usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
      });
    }
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    if (context) paint(context, content);
    this.#gpu.device.queue.copyExternalImageToTexture({ source: canvas }, { texture: this.#texture, premultipliedAlpha: true }, [
      width,
      height,
    ]);
    this.#painted = key;
    return this.#texture;
  }

  destroy(): void {
    this.#scope.destroy();
  }
}

/** A scale bar for the lower right corner of a picture. Undefined if the picture is too small. */
export function scaleBarPicture(
  scaleBar: ScaleBar,
  pixelRatio: number,
  picture: Pick<ViewPicture, 'width' | 'height'>,
): ViewPicture | undefined {
  if (picture.width < 160 * pixelRatio) return undefined;
  const width = Math.min(picture.width, Math.ceil(200 * pixelRatio));
  const height = Math.min(picture.height, Math.ceil(40 * pixelRatio));
  const context = new OffscreenCanvas(width, height).getContext('2d');
  if (!context) return undefined;
  paint(context, { width, height, pixelRatio, chunks: undefined, measures: [], letters: undefined, scaleBar });
  const { data } = context.getImageData(0, 0, width, height);
  return { width, height, rgba: new Uint8Array(data.buffer) };
}

function paintCut(context: OffscreenCanvasRenderingContext2D, [from, to]: readonly [Point, Point], ratio: number): void {
  context.save();
  context.strokeStyle = 'rgba(226, 156, 255, 0.8)';
  context.lineWidth = Math.max(1, Math.round(ratio));
  context.setLineDash([6 * ratio, 4 * ratio]);
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
  context.restore();
}

function paint(context: OffscreenCanvasRenderingContext2D, content: OverlayContent): void {
  const { pixelRatio: ratio, chunks, letters, scaleBar, caption } = content;
  if (chunks) paintChunks(context, chunks.rectangles(), ratio);
  if (content.cut) paintCut(context, content.cut, ratio);
  paintMeasures(context, content.measures, ratio);
  const [width, height] = [content.width / ratio, content.height / ratio];
  context.scale(ratio, ratio);
  context.font = '600 12px system-ui, sans-serif';
  context.lineJoin = 'round';
  const write = (text: string, x: number, y: number, align: CanvasTextAlign): void => {
    context.textAlign = align;
    context.textBaseline = 'middle';
    context.strokeStyle = shade;
    context.lineWidth = 3;
    context.strokeText(text, x, y);
    context.fillStyle = ink;
    context.fillText(text, x, y);
  };
  if (letters && width > 80 && height > 80) {
    write(letters.left, 10, height / 2, 'left');
    write(letters.right, width - 10, height / 2, 'right');
    write(letters.top, width / 2, 14, 'center');
    write(letters.bottom, width / 2, height - 14, 'center');
  }
  if (scaleBar && width > 160) {
    const length = scaleBar.pixels / ratio;
    const [right, y] = [width - 12, height - 14];
    for (const [color, thickness] of [
      [shade, 3],
      [ink, 1],
    ] as const) {
      context.strokeStyle = color;
      context.lineWidth = thickness;
      context.beginPath();
      context.moveTo(right - length, y - 4.5);
      context.lineTo(right - length, y + 0.5);
      context.lineTo(right, y + 0.5);
      context.lineTo(right, y - 4.5);
      context.stroke();
    }
    context.font = smallFont;
    write(scaleBar.text, right - length / 2, y - 9, 'center');
  }
  if (caption && width > 160) {
    context.font = smallFont;
    write(caption, 12, height - 14, 'left');
  }
}
