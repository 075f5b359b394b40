import type { Point } from '../model/slice-geometry.ts';
import { type Label, type LabelBox, placeLabels } from './measure-labels.ts';
import { type MeasureShape, pointsInSight } from './measure-shapes.ts';

const colors = { plain: '#f4c95d', chosen: '#ffe9b0', faint: '#f4c95d' } as const;
const shade = 'rgba(0, 0, 0, 0.6)';
const textBox = { size: 11, lineHeight: 14, padding: 4 } as const;
/** On a canvas with an edge shorter than this, in CSS pixels, labels are shortened. */
const smallCanvas = 260;

/** Paints measurements over a slice. @param context a context whose unit is one canvas pixel; its state does not change */
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
  paintAllWords(context, shapes, pixelRatio);
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

/** The text beside a shape. */
interface Words {
  readonly shape: MeasureShape;
  readonly lines: readonly string[];
  readonly label: Label;
}

/** A shape without a visible part has no text. On a small canvas the text is the name and the first value. */
function wordsOf(context: OffscreenCanvasRenderingContext2D, shape: MeasureShape, pixelRatio: number): Words | undefined {
  const { width, height } = context.canvas;
  const isSmall = Math.min(width, height) / pixelRatio < smallCanvas;
  const lines = isSmall ? shape.words.slice(0, 2) : shape.words;
  const points = pointsInSight(shape.lines, width, height).map(([x, y]): Point => [x / pixelRatio, y / pixelRatio]);
  if (lines.length === 0 || points.length === 0) return undefined;
  const label = {
    width: Math.max(...lines.map((line) => context.measureText(line).width)) + 2 * textBox.padding,
    height: lines.length * textBox.lineHeight + textBox.padding,
    points,
  };
  return { shape, lines, label };
}

function paintAllWords(context: OffscreenCanvasRenderingContext2D, shapes: readonly MeasureShape[], pixelRatio: number): void {
  context.font = `400 ${textBox.size}px system-ui, sans-serif`;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  // The label of the selected shape is placed first,
  const inTurn = [...shapes.filter(({ look }) => look === 'chosen'), ...shapes.filter(({ look }) => look !== 'chosen')];
  const all = inTurn.map((shape) => wordsOf(context, shape, pixelRatio)).filter((words) => words !== undefined);
  const { width, height } = context.canvas;
  const boxes = placeLabels(
    all.map(({ label }) => label),
    [width / pixelRatio, height / pixelRatio],
  );
  // and is painted on top.
  for (const [index, words] of [...all.entries()].reverse()) paintWords(context, words, boxes[index] as LabelBox);
}

function paintWords(context: OffscreenCanvasRenderingContext2D, { shape, lines }: Words, box: LabelBox): void {
  context.fillStyle = 'rgba(16, 17, 20, 0.72)';
  context.beginPath();
  context.roundRect(box.x, box.y, box.width, box.height, 3);
  context.fill();
  lines.forEach((line, index) => {
    context.fillStyle = index === 0 && lines.length > 1 ? 'rgba(236, 239, 244, 0.72)' : colors[shape.look];
    context.fillText(line, box.x + textBox.padding, box.y + textBox.padding / 2 + (index + 0.5) * textBox.lineHeight);
  });
}
