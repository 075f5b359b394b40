import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import type { BenchCase } from '../../../core/bench/harness/result.ts';
import type { BenchTable } from '../../../core/bench/harness/tables.ts';
import { formatNumber } from '../../app/words/units.ts';
import { type Plot, plainAxis, usePlot } from '../hooks/use-plot.ts';
import styles from './lab-page.module.css';
import { type PlotData, type PlotLine, plotData } from './lab-series.ts';

const plotHeight = 260;
/** The number of plot colours in lab-page.module.css. */
const colorCount = 10;

interface Props {
  readonly title: string;
  readonly axis: BenchTable['axis'];
  readonly cases: readonly BenchCase[];
}

/** Median times on a logarithmic axis: a line or a row of dots for each method, and a dashed line for copying the same bytes. */
export function LabPlot({ title, axis, cases }: Props) {
  const data = useMemo(() => plotData(cases, axis.scale), [cases, axis.scale]);
  const make = useCallback(
    (style: CSSStyleDeclaration) => ({
      options: options(style, data, axis),
      data: [[...data.xs], ...data.lines.map(({ values }) => [...values])] satisfies uPlot.AlignedData,
    }),
    [data, axis],
  );
  const place = usePlot(make);
  return (
    <figure className={styles.plot} aria-label={`${title}: median milliseconds by ${axis.label}`} data-plot={title}>
      <div ref={place} className={styles.canvas} />
      <ul className={styles.legend}>
        {data.lines.map((line) => (
          <li key={line.label} data-line={line.label}>
            <i className={styles[swatchOf(line)]} data-kind={swatchOf(line)} style={{ color: colorOf(line) }} />
            {line.label}
          </li>
        ))}
      </ul>
    </figure>
  );
}

function colorOf({ color, isCopy }: PlotLine): string {
  return isCopy ? 'var(--ink-2)' : `var(--plot-${color % colorCount})`;
}

function swatchOf({ isCopy, isHollow }: PlotLine): 'dash' | 'ring' | 'dot' {
  return isCopy ? 'dash' : isHollow ? 'ring' : 'dot';
}

function options(style: CSSStyleDeclaration, { words, lines }: PlotData, axis: BenchTable['axis']): Plot['options'] {
  const color = (value: string) => style.getPropertyValue(value.slice('var('.length, -1));
  const plain = plainAxis(style);
  const common = { ...plain, labelFont: plain.font, labelSize: 18 };
  return {
    height: plotHeight,
    // Room for half of the last tick's label, which is at most 100 000 000.
    padding: [8, 40, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    scales: {
      x: {
        time: false,
        ...(words ? { range: () => [-0.5, words.length - 0.5] as [number, number] } : {}),
        ...(axis.scale === 'log' ? { distr: 3 as const } : {}),
      },
      y: { distr: 3 },
    },
    axes: [
      {
        ...common,
        size: 24,
        label: axis.label,
        ...(words && {
          splits: () => words.map((_, index) => index),
          values: (_plot, splits) => splits.map((split) => words[split] ?? ''),
        }),
        ...(!words && { values: (_plot, splits) => splits.map((split) => numberText(split, axis.scale)) }),
      },
      { ...common, size: 56, label: 'Median, ms', values: (_plot, splits) => splits.map((split) => numberText(split, 'log')) },
    ],
    series: [
      {},
      ...lines.map((line): uPlot.Series => {
        const { isCopy, isHollow } = line;
        const stroke = color(colorOf(line));
        const paths = words && !isCopy ? { paths: () => null } : {};
        return {
          stroke,
          width: 1.5,
          ...(isCopy && { dash: [4, 4] }),
          points: {
            show: !isCopy || lines.length === 1,
            size: words ? 8 : 5,
            fill: isHollow ? color('var(--background)') : stroke,
            width: 1.5,
          },
          spanGaps: true,
          ...paths,
        };
      }),
    ],
  };
}

/** A logarithmic axis has room only for whole powers of ten. */
function numberText(value: number | null, scale: BenchTable['axis']['scale']): string {
  if (value === null) return '';
  return scale !== 'log' || Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6) ? formatNumber(value, 4) : '';
}
