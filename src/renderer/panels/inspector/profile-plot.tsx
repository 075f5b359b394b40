import { type ReactNode, useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { slabWords } from '../../app/measure/profiles.ts';
import type { LineProfile, ProfileSeries } from '../../app/state/profile-state.ts';
import { formatNumber, lengthUnit, shownLength } from '../../app/words/units.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { type Plot, plainAxis, usePlot } from '../hooks/use-plot.ts';
import styles from './profile-plot.module.css';

const plotHeight = 160;
/** Colours of curves, in order. */
const curveColors = ['--accent', '--warn', '--good', '--bad', '--axis-z', '--axis-x', '--axis-y', '--ink-2'] as const;
/** Dash patterns of the first, second and third curve of the same colour. The first is solid. */
const dashes = [[], [6, 4], [2, 3]];

/** A line of the plot. */
export interface SeriesLine extends ProfileSeries {
  /** Lines with the same key share a scale. */
  readonly scale: string;
  /** The index of the line's colour. `dash` is the index of its dash pattern among the lines of that colour. */
  readonly color: number;
  readonly dash?: number;
  /** Removes the line. The legend shows a button for it. */
  readonly remove?: { readonly label: string; readonly run: () => void };
}

interface PlotProps {
  /** Description of the plot for assistive technology. */
  readonly title: string;
  readonly xs: readonly number[];
  readonly xLabel: string;
  readonly lines: readonly SeriesLine[];
  /** Content below the plot. */
  readonly children: ReactNode;
  readonly testId: string;
}

/** The values along the chosen distance. */
export function ProfilePlot({ profile, info }: { readonly profile: LineProfile; readonly info: VolumeInfo }) {
  const xs = useMemo(() => profile.distances.map((distance) => shownLength(distance, info)), [profile, info]);
  const lines = useMemo(
    () => profile.series.map((one, index): SeriesLine => ({ ...one, scale: String(index), color: index })),
    [profile],
  );
  const unit = lengthUnit(info);
  return (
    <SeriesPlot
      title={profile.slab ? `Profile along the distance, ${slabWords(profile.slab)}` : 'Profile along the distance'}
      xs={xs}
      xLabel={unit === '' ? 'Distance' : `Distance, ${unit}`}
      lines={lines}
      testId="profile"
    >
      <CommandButton id="export-profile" kind="quiet" testId="export-profile" />
    </SeriesPlot>
  );
}

/** The axis belongs to the first line's scale. Other scales have no axis; the legend shows their values at the pointer. */
export function SeriesPlot({ title, xs, xLabel, lines, children, testId }: PlotProps) {
  const make = useCallback(
    (style: CSSStyleDeclaration) => ({
      options: options(style, lines, xLabel),
      data: [[...xs], ...lines.map(({ values }) => [...values])] satisfies uPlot.AlignedData,
    }),
    [xs, xLabel, lines],
  );
  const place = usePlot(make);
  const hasScales = new Set(lines.map(({ scale }) => scale)).size > 1;
  return (
    <figure className={styles.figure} aria-label={`${title}: ${lines.map(summary).join('; ')}`} data-testid={testId}>
      <figcaption className={styles.title}>{title}</figcaption>
      <div ref={place} className={styles.plot} />
      {hasScales && <p className={styles.hint}>The axis belongs to the first line; each layer has its own scale.</p>}
      {children}
    </figure>
  );
}

function summary({ name, values }: ProfileSeries): string {
  const numbers = values.filter((value) => value !== null);
  if (numbers.length === 0) return `${name} has no values there`;
  return `${name} from ${formatNumber(Math.min(...numbers), 5)} to ${formatNumber(Math.max(...numbers), 5)}`;
}

function options(style: CSSStyleDeclaration, lines: readonly SeriesLine[], xLabel: string): Plot['options'] {
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
    hooks: { init: [(plot) => addRemoveButtons(plot, lines)] },
    axes: [
      { ...axis, size: 24 },
      { ...axis, size: 52, scale: lines[0]?.scale ?? 'y' },
    ],
    series: [
      { label: xLabel, value: (_plot, value) => shown(value) },
      ...lines.map(({ name, unit: valueUnit, scale, color, dash = 0 }): uPlot.Series => {
        const stroke = style.getPropertyValue(curveColors[color % curveColors.length] ?? curveColors[0]);
        const label = valueUnit ? `${name}, ${valueUnit}` : name;
        return {
          label,
          scale,
          stroke,
          dash: dashes[dash % dashes.length] ?? [],
          width: 1.5,
          points: { show: false },
          value: (_plot, value) => shown(value),
        };
      }),
    ],
  };
}

/** The legend is uPlot's own. Its first row belongs to the axis. */
function addRemoveButtons({ root }: uPlot, lines: readonly SeriesLine[]): void {
  if (lines.every(({ remove }) => remove === undefined)) return;
  for (const [at, row] of [...root.querySelectorAll('.u-series')].entries()) {
    const cell = document.createElement('td');
    cell.className = styles.remove ?? '';
    row.append(cell);
    const { remove } = lines[at - 1] ?? {};
    if (!remove) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.ariaLabel = remove.label;
    button.textContent = '×';
    button.addEventListener('click', remove.run);
    cell.append(button);
  }
}
