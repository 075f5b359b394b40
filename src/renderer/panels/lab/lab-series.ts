import { type BenchCase, medianMs } from '../../../core/bench/harness/result.ts';
import type { BenchTable } from '../../../core/bench/harness/tables.ts';

/** A table's cases as lines of a plot: positions on the x axis, and a time or a gap for each line and position. */
export interface PlotData {
  /** Labels of a categorical axis, at positions 0, 1, 2 … */
  readonly words: readonly string[] | undefined;
  readonly xs: readonly number[];
  readonly lines: readonly PlotLine[];
}

export interface PlotLine {
  readonly label: string;
  /** Index of the method. Its encoder and decoder share a colour. */
  readonly color: number;
  /** A decoder's dots are rings. */
  readonly isHollow: boolean;
  /** Copying the same bytes, the practical limit for any GPU method. */
  readonly isCopy: boolean;
  readonly values: readonly (number | null)[];
}

export function plotData(cases: readonly BenchCase[], scale: BenchTable['axis']['scale']): PlotData {
  const places = [...new Set(cases.map(({ x }) => x))];
  if (scale !== 'words') places.sort((a, b) => Number(a) - Number(b));
  const hasOperations = new Set(cases.map(({ operation }) => operation)).size > 1;
  const methods = [...new Set(cases.map(({ method }) => method))];
  const lines = new Map<string, Omit<PlotLine, 'values'> & { readonly values: (number | null)[] }>();
  const copies = places.map((): number | null => null);
  for (const found of cases) {
    const label = hasOperations ? `${found.method}, ${found.operation}` : found.method;
    const isHollow = hasOperations && found.operation === 'decode';
    const color = methods.indexOf(found.method);
    const line = lines.get(label) ?? { label, color, isHollow, isCopy: false, values: places.map(() => null) };
    const place = places.indexOf(found.x);
    // A time below the clock's resolution is 0, which has no logarithm.
    const median = medianMs(found);
    line.values[place] = median > 0 ? median : null;
    lines.set(label, line);
    // Cases without timestamps have a copy timed by the wall clock. The faster of the two copies is the bound.
    if (found.copyMs) copies[place] = Math.min(copies[place] ?? found.copyMs, found.copyMs);
  }
  return {
    words: scale === 'words' ? places.map(String) : undefined,
    xs: scale === 'words' ? places.map((_, place) => place) : places.map(Number),
    lines: [
      ...lines.values(),
      { label: 'copying the raw bytes', color: methods.length, isHollow: false, isCopy: true, values: copies },
    ],
  };
}
