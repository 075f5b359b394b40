import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { LineProfile, ProfileSeries } from '../../app/state/profile-state.ts';
import type { TimeCurve } from '../../app/state/time-curve-state.ts';
import { placeWords } from '../../app/words/counting.ts';
import { formatNumber, lengthUnit, shownLength } from '../../app/words/units.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { type Plot, plainAxis, usePlot } from '../hooks/use-plot.ts';
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
      xLabel={unit === '' ? 'Distance' : `Distance, ${unit}`}
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
      xLabel={curve.unit === undefined ? 'Time point' : `Time, ${curve.unit}`}
      series={curve.series}
      exportId="export-time-curve"
      testId="time-curve"
    />
  );
}

/** The axis is that of the first series; each other one has its own scale, and its value at the pointer. */
function SeriesPlot({ title, xs, xLabel, series, exportId, testId }: PlotProps) {
  const make = useCallback(
    (style: CSSStyleDeclaration) => ({
      options: options(style, series, xLabel),
      data: [[...xs], ...series.map(({ values }) => [...values])] satisfies uPlot.AlignedData,
    }),
    [xs, xLabel, series],
  );
  const place = usePlot(make);
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

function options(style: CSSStyleDeclaration, series: readonly ProfileSeries[], xLabel: string): Plot['options'] {
  const axis = {
    ...plainAxis(style),
    values: (_plot: uPlot, splits: number[]) => splits.map((split) => formatNumber(split, 5)),
  };
  const shown = (value: number | null) => (value === null ? '–' : formatNumber(value, 5));
  return {
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
        const stroke = style.getPropertyValue(colors[index % colors.length] ?? colors[0]);
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
