import { useMemo } from 'react';
import type { OpenDocument } from '../../app/state/document-state.ts';
import { type HistogramAxis, partOf } from '../../app/view/histogram-axis.ts';
import styles from './histogram-plot.module.css';

type Histogram = OpenDocument['statistics']['histogram'];

interface Props {
  readonly histogram: Histogram;
  readonly axis: HistogramAxis;
  readonly isLogarithmic: boolean;
}

/** The counts as steps, over the visible part of the axis. */
export function HistogramBars({ histogram, axis, isLogarithmic }: Props) {
  const path = useMemo(() => barsPath(histogram, axis, isLogarithmic), [histogram, axis, isLogarithmic]);
  return (
    <svg className={styles.bars} viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden>
      <path d={path} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

function barsPath({ low, binWidth, counts }: Histogram, axis: HistogramAxis, isLogarithmic: boolean): string {
  const height = isLogarithmic ? logarithmic(counts) : linear(counts);
  // SVG coordinates far outside the viewBox would lose precision.
  const across = (bin: number): string => Math.min(1100, Math.max(-100, 1000 * partOf(axis, low + bin * binWidth))).toFixed(2);
  const steps = counts.map((count, bin) => `V${(100 - 100 * height(count)).toFixed(2)}H${across(bin + 1)}`);
  return `M${across(0)} 100${steps.join('')}V100Z`;
}

/** Keeps a count of 1 visible, and leaves room above the highest bar. */
function logarithmic(counts: readonly number[]): (count: number) => number {
  const [floor, top] = [0.7, 1.3 * Math.max(1, ...counts)];
  return (count) => (count === 0 ? 0 : Math.log(count / floor) / Math.log(top / floor));
}

/** The second-fullest bin sets the scale, since the fullest is often background that dwarfs all others. */
function linear(counts: readonly number[]): (count: number) => number {
  const top = 1.1 * (counts.toSorted((a, b) => b - a)[1] || Math.max(1, ...counts));
  return (count) => Math.min(2, count / top);
}
