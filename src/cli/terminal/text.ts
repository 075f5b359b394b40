import { displayText } from '../../core/shared/display-text.ts';

/** `134 217 728`: thousands apart by thin spaces. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

/** `3.08 MB`, three digits. Sizes are decimal, as file managers and the figures in papers are. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return unit === 0 ? `${value} B` : `${threeDigits(value)} ${units[unit]}`;
}

/** `12.3 ms`, `4.56 s`, `3 min 20 s`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${threeDigits(ms)} ms`;
  if (ms < 99_950) return `${threeDigits(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `1.24 GB/s` from bytes per second. */
export function formatRate(bytesPerSecond: number): string {
  return Number.isFinite(bytesPerSecond) ? `${formatBytes(Math.round(bytesPerSecond))}/s` : '–';
}

/** `41.3 ×`. */
export function formatRatio(ratio: number): string {
  return Number.isFinite(ratio) ? `${threeDigits(ratio)} ×` : '–';
}

/** Columns of text, each as wide as its widest cell; the first to the left, the others as told. */
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

function threeDigits(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}
