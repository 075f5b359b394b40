import { amountTexts } from '../../core/shared/amounts.ts';
import { displayText } from '../../core/shared/display-text.ts';

const texts = amountTexts(' ', '\u2009');

/** `134 217 728`: thousands separated by thin spaces. */
export const formatCount = texts.count;
/** `3.09 MB`. Sizes are decimal, as in file managers and papers. */
export const formatBytes = (bytes: number): string => texts.bytes(bytes, 'decimal');
export const formatDuration = texts.duration;
export const formatRate = texts.rate;
export const formatRatio = texts.ratio;

/** Columns of text, each as wide as its widest cell. The first is left-aligned, the others as given. */
export function table(rows: readonly (readonly string[])[], align: readonly ('left' | 'right')[] = []): string {
  const shown = rows.map((row) => row.map(displayText));
  const widths: number[] = [];
  for (const row of shown) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (align[column] === 'right' ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return shown.map(line).join('\n');
}
