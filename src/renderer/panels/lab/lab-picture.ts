import { StriaError } from '../../../core/shared/errors.ts';

const margin = 24;
const titleHeight = 32;
const legendHeight = 20;

/** All plots that an element holds, one below the other with their titles and legends, as a PNG in the page's colours. */
export async function plotsAsPicture(root: HTMLElement): Promise<Blob> {
  const figures = [...root.querySelectorAll<HTMLElement>('figure[data-plot]')].flatMap((figure) => {
    const canvas = figure.querySelector('canvas');
    const lines = [...figure.querySelectorAll<HTMLElement>('li[data-line]')];
    return canvas ? [{ title: figure.dataset.plot ?? '', canvas, lines }] : [];
  });
  if (figures.length === 0) throw new StriaError('invalid-input', 'there is no plot yet');
  const scale = devicePixelRatio;
  const heightOf = ({ canvas, lines }: (typeof figures)[number]): number =>
    titleHeight + canvas.height / scale + lines.length * legendHeight + margin;
  const width = Math.max(...figures.map(({ canvas }) => canvas.width / scale)) + 2 * margin;
  const height = figures.reduce((sum, figure) => sum + heightOf(figure), margin);
  const picture = new OffscreenCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  const context = picture.getContext('2d');
  if (!context) throw new StriaError('out-of-memory', 'there is no room for the picture');
  const style = getComputedStyle(root);
  context.scale(scale, scale);
  context.fillStyle = style.getPropertyValue('--background');
  context.fillRect(0, 0, width, height);
  let top = margin;
  for (const figure of figures) {
    const { title, canvas, lines } = figure;
    context.fillStyle = style.color;
    context.font = `600 15px ${style.fontFamily}`;
    context.fillText(title, margin, top + 15);
    context.drawImage(canvas, margin, top + titleHeight, canvas.width / scale, canvas.height / scale);
    context.font = `12px ${style.fontFamily}`;
    for (const [index, line] of lines.entries()) {
      const baseline = top + titleHeight + canvas.height / scale + (index + 0.7) * legendHeight;
      const swatch = line.querySelector('i');
      const kind = swatch?.dataset.kind;
      context.fillStyle = context.strokeStyle = swatch ? getComputedStyle(swatch).color : style.color;
      context.lineWidth = 1.5;
      context.setLineDash(kind === 'dash' ? [4, 4] : []);
      context.beginPath();
      if (kind === 'dash') {
        context.moveTo(margin, baseline - 4);
        context.lineTo(margin + 16, baseline - 4);
      } else {
        context.arc(margin + 8, baseline - 4, 4, 0, 2 * Math.PI);
      }
      if (kind === 'dot') context.fill();
      context.stroke();
      context.fillStyle = style.color;
      context.fillText(line.dataset.line ?? '', margin + 24, baseline);
    }
    top += heightOf(figure);
  }
  return picture.convertToBlob({ type: 'image/png' });
}
