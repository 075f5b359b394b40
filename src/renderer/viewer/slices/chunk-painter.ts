import { wayLook } from '../colors/way-colors.ts';
import type { ChunkRectangle } from '../model/chunk-rectangles.ts';

const fillOpacity = 0.24;
const lineOpacity = 0.6;
/** The minimum size in CSS pixels of chunks with a border, which would fill smaller ones. */
const bordered = 5;
const tag = { width: 15, height: 14, inset: 2, perDigit: 6 } as const;
const stripes = 6;

/**
 * Paints chunks over a slice, each within its own pixels: filled, with a border, and with its text if that fits.
 * @param context a context whose unit is one canvas pixel; its state does not change
 */
export function paintChunks(
  context: OffscreenCanvasRenderingContext2D,
  rectangles: readonly ChunkRectangle[],
  pixelRatio: number,
): void {
  const line = Math.max(1, Math.round(pixelRatio));
  for (const rectangle of rectangles) {
    const { left, top, right, bottom, way } = rectangle;
    const [width, height] = [right - left, bottom - top];
    const { color, isStriped } = wayLook(way);
    context.fillStyle = context.strokeStyle = color;
    context.globalAlpha = fillOpacity;
    context.fillRect(left, top, width, height);
    if (isStriped) paintStripes(context, rectangle, stripes * pixelRatio, line);
    if (Math.min(width, height) >= bordered * pixelRatio) {
      context.globalAlpha = lineOpacity;
      context.lineWidth = line;
      context.strokeRect(left + line / 2, top + line / 2, width - line, height - line);
    }
    context.globalAlpha = 1;
    paintText(context, rectangle, pixelRatio);
  }
}

function paintStripes(
  context: OffscreenCanvasRenderingContext2D,
  { left, top, right, bottom }: ChunkRectangle,
  distance: number,
  line: number,
): void {
  const [from, to] = [Math.max(0, left), Math.min(context.canvas.width, right)];
  const [first, last] = [Math.max(0, top), Math.min(context.canvas.height, bottom)];
  context.save();
  context.beginPath();
  context.rect(from, first, to - from, last - first);
  context.clip();
  context.globalAlpha = 2 * fillOpacity;
  context.lineWidth = line;
  context.beginPath();
  // Stripes lie where x + y is a multiple of the distance, so they continue from chunk to chunk.
  for (let sum = Math.ceil((from + first) / distance) * distance; sum < to + last; sum += distance) {
    context.moveTo(sum - first, first);
    context.lineTo(sum - last, last);
  }
  context.stroke();
  context.restore();
}

/** Paints the text in the upper left corner of the visible part of the chunk, if it fits. */
function paintText(context: OffscreenCanvasRenderingContext2D, rectangle: ChunkRectangle, pixelRatio: number): void {
  const [left, top] = [Math.max(0, rectangle.left), Math.max(0, rectangle.top)];
  const { way, text = String(way + 1) } = rectangle;
  const width = tag.width + (text.length - 1) * tag.perDigit;
  const needed = [width + 2 * tag.inset, tag.height + 2 * tag.inset] as const;
  if (rectangle.right - left < needed[0] * pixelRatio || rectangle.bottom - top < needed[1] * pixelRatio) return;
  const { color, ink } = wayLook(rectangle.way);
  context.save();
  context.translate(left, top);
  context.scale(pixelRatio, pixelRatio);
  context.fillStyle = color;
  context.fillRect(0, 0, width, tag.height);
  context.fillStyle = ink;
  context.font = '600 11px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(text, width / 2, tag.height / 2 + 0.5);
  context.restore();
}
