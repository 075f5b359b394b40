import { useEffect, useMemo, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { LineProfile, ProfileSeries } from '../../app/state/profile-state.ts';
import type { TimeCurve } from '../../app/state/time-curve-state.ts';
import { placeWords } from '../../app/words/counting.ts';
import { formatNumber, lengthUnit, shownLength } from '../../app/words/units.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { useShownTheme } from '../hooks/use-shown-theme.ts';
import styles from './profile-plot.module.css';

const plotHeight = 160;
const colors = ['--accent', '--warn', '--good', '--bad', '--axis-z', '--ink-2'] as const;

interface PlotProps {
  /** What is plotted, for assistive technology. */
  readonly title: string;
  readonly xs: readonly number[];
  readonly xLabel: string;
  readonly series: readonly ProfileSeries[];
  /** Of the command that saves it. */
  readonly exportId: string;
  readonly testId: string;
}

/** The values along the chosen distance. */
export function ProfilePlot({ profile, info }: { readonly profile: LineProfile; readonly info: VolumeInfo }) {
  const xs = useMemo(() => profile.distances.map((distance) => shownLength(distance, info)), [profile, info]);
  const unit = lengthUnit(info);
  return (
    <SeriesPlot
      title="Profile along the distance"
      xs={xs}
      xLabel={unit === '' ? 'distance' : unit}
      series={profile.series}
      exportId="export-profile"
      testId="profile"
    />
  );
}

/** The values at the crosshair over time. */
export function TimeCurvePlot({ curve }: { readonly curve: TimeCurve }) {
  return (
    <SeriesPlot
      title={`Curve over time at ${placeWords(curve.voxel)}`}
      xs={curve.times}
      xLabel={curve.unit ?? 'time point'}
      series={curve.series}
      exportId="export-time-curve"
      testId="time-curve"
    />
  );
}

/** The axis is that of the first series; each other one has its own scale, and its value at the pointer. */
function SeriesPlot({ title, xs, xLabel, series, exportId, testId }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useShownTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read from the page
  useEffect(() => {
    const parent = place.current;
    if (!parent) return undefined;
    const plot = new uPlot(options(parent, series, xLabel), [[...xs], ...series.map(({ values }) => [...values])], parent);
    const resize = new ResizeObserver(() => {
      if (parent.clientWidth > 0) plot.setSize({ width: parent.clientWidth, height: plotHeight });
    });
    resize.observe(parent);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [xs, xLabel, series, theme]);
  return (
    <figure className={styles.figure} aria-label={`${title}: ${series.map(summary).join('; ')}`} data-testid={testId}>
      <figcaption className={styles.title}>{title}</figcaption>
      <div ref={place} className={styles.plot} />
      {series.length > 1 && <p className={styles.hint}>The axis is that of the first; each layer has its own scale.</p>}
      <CommandButton id={exportId} kind="quiet" testId={exportId} />
    </figure>
  );
}

function summary({ name, values }: ProfileSeries): string {
  const numbers = values.filter((value) => value !== null);
  if (numbers.length === 0) return `${name} has no values there`;
  return `${name} from ${formatNumber(Math.min(...numbers), 5)} to ${formatNumber(Math.max(...numbers), 5)}`;
}

function options(parent: HTMLElement, series: readonly ProfileSeries[], xLabel: string): uPlot.Options {
  const style = getComputedStyle(parent);
  const color = (name: string) => style.getPropertyValue(name);
  const font = `11px ${style.fontFamily}`;
  const axis = {
    stroke: color('--ink-2'),
    font,
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    values: (_plot: uPlot, splits: number[]) => splits.map((split) => formatNumber(split, 5)),
  };
  const shown = (value: number | null) => (value === null ? '–' : formatNumber(value, 5));
  return {
    width: parent.clientWidth,
    height: plotHeight,
    padding: [8, 12, 0, 0],
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: false } },
    axes: [
      { ...axis, size: 24 },
      { ...axis, size: 52, scale: 'value-0' },
    ],
    series: [
      { label: xLabel, value: (_plot, value) => shown(value) },
      ...series.map(({ name, unit: valueUnit }, index): uPlot.Series => {
        const stroke = color(colors[index % colors.length] ?? colors[0]);
        const label = valueUnit ? `${name}, ${valueUnit}` : name;
        return {
          label,
          scale: `value-${index}`,
          stroke,
          width: 1.5,
          points: { show: false },
          value: (_plot, value) => shown(value),
        };
      }),
    ],
  };
}
