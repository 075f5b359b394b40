import type { Point } from '../model/slice-geometry.ts';
import type { MeasureShape } from './measure-shapes.ts';

const colors = { plain: '#f4c95d', chosen: '#ffe9b0', faint: '#f4c95d' } as const;
const shade = 'rgba(0, 0, 0, 0.6)';
const label = { size: 11, lineHeight: 14, padding: 4, away: 10 } as const;

/** Paints measurements over a slice. @param context with a pixel of the canvas as its unit; it is left so */
export function paintMeasures(
  context: OffscreenCanvasRenderingContext2D,
  shapes: readonly MeasureShape[],
  pixelRatio: number,
): void {
  context.save();
  context.scale(pixelRatio, pixelRatio);
  context.lineJoin = context.lineCap = 'round';
  const scaled = ([x, y]: Point): Point => [x / pixelRatio, y / pixelRatio];
  for (const { lines, handles, look } of shapes) {
    context.globalAlpha = look === 'faint' ? 0.35 : 1;
    for (const [color, width] of [
      [shade, 3.5],
      [colors[look], look === 'chosen' ? 2 : 1.5],
    ] as const) {
      context.strokeStyle = color;
      context.lineWidth = width;
      for (const line of lines) strokeLine(context, line.map(scaled));
    }
    for (const [x, y] of handles.map(scaled)) {
      context.beginPath();
      context.arc(x, y, look === 'chosen' ? 4.5 : 3, 0, 2 * Math.PI);
      context.fillStyle = look === 'chosen' ? '#17181c' : colors[look];
      context.fill();
      context.lineWidth = 1.5;
      context.strokeStyle = look === 'chosen' ? colors.chosen : shade;
      context.stroke();
    }
  }
  context.globalAlpha = 1;
  for (const shape of shapes) paintWords(context, shape, shape.lines.flat().map(scaled), pixelRatio);
  context.restore();
}

function strokeLine(context: OffscreenCanvasRenderingContext2D, line: readonly Point[]): void {
  context.beginPath();
  for (const [index, [x, y]] of line.entries()) {
    if (index === 0) context.moveTo(x, y);
    else context.lineTo(x, y);
  }
  context.stroke();
}

/** To the right of the shape, or where there is room. */
function paintWords(
  context: OffscreenCanvasRenderingContext2D,
  { words, look }: MeasureShape,
  points: readonly Point[],
  pixelRatio: number,
): void {
  if (words.length === 0 || points.length === 0) return;
  const [canvasWidth, canvasHeight] = [context.canvas.width / pixelRatio, context.canvas.height / pixelRatio];
  context.font = `400 ${label.size}px system-ui, sans-serif`;
  const width = Math.max(...words.map((line) => context.measureText(line).width)) + 2 * label.padding;
  const height = words.length * label.lineHeight + label.padding;
  const [right, y] = points.reduce((most, point) => (point[0] > most[0] ? point : most));
  const left = Math.min(...points.map(([x]) => x));
  const isRoomRight = right + label.away + width <= canvasWidth;
  const x = Math.max(0, Math.min(isRoomRight ? right + label.away : left - label.away - width, canvasWidth - width));
  const top = Math.max(0, Math.min(y - height / 2, canvasHeight - height));
  context.fillStyle = 'rgba(16, 17, 20, 0.72)';
  context.beginPath();
  context.roundRect(x, top, width, height, 3);
  context.fill();
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  words.forEach((line, index) => {
    context.fillStyle = index === 0 && words.length > 1 ? 'rgba(236, 239, 244, 0.72)' : colors[look];
    context.fillText(line, x + label.padding, top + label.padding / 2 + (index + 0.5) * label.lineHeight);
  });
}
