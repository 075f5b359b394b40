import { StriaError } from '../../../core/shared/errors.ts';

const margin = 24;
const titleHeight = 32;
const legendHeight = 20;

/** A plot or a table with its title. `draw` starts at (0, 0) below the title. */
interface Part {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  draw(context: OffscreenCanvasRenderingContext2D): void;
}

/** All plots and tables in an element, one below the other with titles and legends, as a PNG in the page's colours. */
export async function plotsAsPicture(root: HTMLElement): Promise<Blob> {
  const parts = [...root.querySelectorAll<HTMLElement>('[data-plot]')].flatMap((element) => {
    if (element instanceof HTMLTableElement) return [planePart(element)];
    const canvas = element.querySelector('canvas');
    return canvas ? [plotPart(element, canvas)] : [];
  });
  if (parts.length === 0) throw new StriaError('invalid-input', 'there is no plot to save yet');
  const scale = devicePixelRatio;
  const width = Math.max(...parts.map((part) => part.width)) + 2 * margin;
  const height = parts.reduce((sum, part) => sum + titleHeight + part.height + margin, margin);
  const picture = new OffscreenCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  const context = picture.getContext('2d');
  if (!context) throw new StriaError('out-of-memory', 'the picture could not be created');
  const style = getComputedStyle(root);
  context.scale(scale, scale);
  context.fillStyle = style.getPropertyValue('--background');
  context.fillRect(0, 0, width, height);
  context.translate(margin, margin);
  for (const part of parts) {
    context.fillStyle = style.color;
    context.font = `600 15px ${style.fontFamily}`;
    context.fillText(part.title, 0, 15);
    context.translate(0, titleHeight);
    context.save();
    part.draw(context);
    context.restore();
    context.translate(0, part.height + margin);
  }
  return picture.convertToBlob({ type: 'image/png' });
}

function plotPart(figure: HTMLElement, canvas: HTMLCanvasElement): Part {
  const lines = [...figure.querySelectorAll<HTMLElement>('li[data-line]')];
  const [width, height] = [canvas.width / devicePixelRatio, canvas.height / devicePixelRatio];
  const { color, fontFamily } = getComputedStyle(figure);
  return {
    title: figure.dataset.plot ?? '',
    width,
    height: height + lines.length * legendHeight,
    draw(context) {
      context.drawImage(canvas, 0, 0, width, height);
      context.font = `12px ${fontFamily}`;
      context.lineWidth = 1.5;
      for (const [index, line] of lines.entries()) {
        const baseline = height + (index + 0.7) * legendHeight;
        const swatch = line.querySelector('i');
        const kind = swatch?.dataset.kind;
        context.fillStyle = context.strokeStyle = swatch ? getComputedStyle(swatch).color : color;
        context.setLineDash(kind === 'dash' ? [4, 4] : []);
        context.beginPath();
        if (kind === 'dash') {
          context.moveTo(0, baseline - 4);
          context.lineTo(16, baseline - 4);
        } else {
          context.arc(8, baseline - 4, 4, 0, 2 * Math.PI);
        }
        if (kind === 'dot') context.fill();
        context.stroke();
        context.fillStyle = color;
        context.fillText(line.dataset.line ?? '', 24, baseline);
      }
    },
  };
}

/** A table as the page lays it out: each text at its position, and a hairline below each row. */
function planePart(table: HTMLTableElement): Part {
  const bounds = table.getBoundingClientRect();
  return {
    title: table.dataset.plot ?? '',
    width: bounds.width,
    height: bounds.height,
    draw(context) {
      context.textBaseline = 'middle';
      for (const cell of table.querySelectorAll<HTMLElement>('caption, th, td')) {
        const { left, right, top, bottom } = cell.getBoundingClientRect();
        const style = getComputedStyle(cell);
        const isRight = style.textAlign === 'end' || style.textAlign === 'right';
        context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        context.fillStyle = style.color;
        context.textAlign = isRight ? 'right' : 'left';
        const x =
          (isRight ? right - Number.parseFloat(style.paddingRight) : left + Number.parseFloat(style.paddingLeft)) - bounds.left;
        context.fillText(cell.textContent, x, (top + bottom) / 2 - bounds.top);
        const line = Number.parseFloat(style.borderBottomWidth);
        context.fillStyle = style.borderBottomColor;
        context.fillRect(left - bounds.left, bottom - bounds.top - line, right - left, line);
      }
    },
  };
}
