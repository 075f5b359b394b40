import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { LineProfile } from '../../app/state/profile-state.ts';
import { formatNumber, lengthUnit, shownLength } from '../../app/words/units.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { useShownTheme } from '../hooks/use-shown-theme.ts';
import styles from './profile-plot.module.css';

const plotHeight = 160;
const colors = ['--accent', '--warn', '--good', '--bad', '--axis-z', '--ink-2'] as const;

/** The values along the chosen distance. The axis is the open volume's; each layer has its own scale, and its value at the pointer. */
export function ProfilePlot({ profile, info }: { readonly profile: LineProfile; readonly info: VolumeInfo }) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useShownTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read from the page
  useEffect(() => {
    const parent = place.current;
    if (!parent) return undefined;
    const xs = profile.distances.map((distance) => shownLength(distance, info));
    const plot = new uPlot(
      options(parent, profile, lengthUnit(info)),
      [xs, ...profile.series.map(({ values }) => [...values])],
      parent,
    );
    const resize = new ResizeObserver(() => {
      if (parent.clientWidth > 0) plot.setSize({ width: parent.clientWidth, height: plotHeight });
    });
    resize.observe(parent);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [profile, info, theme]);
  return (
    <figure
      className={styles.figure}
      aria-label={`Profile along the distance: ${profile.series.map(summary).join('; ')}`}
      data-testid="profile"
    >
      <div ref={place} className={styles.plot} />
      {profile.series.length > 1 && <p className={styles.hint}>The axis is that of the first; each layer has its own scale.</p>}
      <CommandButton id="export-profile" kind="quiet" testId="export-profile" />
    </figure>
  );
}

function summary({ name, values }: LineProfile['series'][number]): string {
  const numbers = values.filter((value) => value !== null);
  if (numbers.length === 0) return `${name} has no values there`;
  return `${name} from ${formatNumber(Math.min(...numbers), 5)} to ${formatNumber(Math.max(...numbers), 5)}`;
}

function options(parent: HTMLElement, { series }: LineProfile, unit: string): uPlot.Options {
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
      { label: unit === '' ? 'distance' : unit, value: (_plot, value) => shown(value) },
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
