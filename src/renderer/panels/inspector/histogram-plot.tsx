import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { OpenDocument } from '../../app/state/store.ts';
import { moveEdge, narrowestWindow, shiftWindow, toPhysical, toStored, type Window } from '../../app/view/window.ts';
import { axisTicks } from '../../app/words/axis-ticks.ts';
import { formatWithin } from '../../app/words/value-words.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { useAppState, useViewerPart } from '../hooks/use-app.ts';
import { useShownTheme } from '../hooks/use-shown-theme.ts';
import { ColorStrip } from './color-strip.tsx';
import styles from './histogram-plot.module.css';
import { OpacityEditor } from './opacity-editor.tsx';

const plotHeight = 96;
const axisHeight = 18;

interface Props {
  readonly document: OpenDocument;
  readonly viewer: Viewer;
}

/** What can be dragged on the histogram. */
type Handle = 'low' | 'high' | 'level';

const handleNames: Readonly<Record<Handle, string>> = {
  low: 'Lowest shown value',
  high: 'Highest shown value',
  level: 'Level of the isosurface',
};

/**
 * Counts of values with the window on it: its edges are dragged, and it is dragged as a whole. The level of an isosurface is
 * a line that is dragged, the opacity of compositing a line of points; colours run below. They are drawn straight into the page, since they move at pointer rate.
 */
export function HistogramPlot({ document: { info, statistics }, viewer }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const band = useRef<HTMLDivElement>(null);
  const handles: Readonly<Record<Handle, RefObject<HTMLDivElement | null>>> = {
    low: useRef<HTMLDivElement>(null),
    high: useRef<HTMLDivElement>(null),
    level: useRef<HTMLDivElement>(null),
  };
  const isLogarithmic = useAppState(({ settings }) => settings.logCounts);
  const hasOpacity = useViewerPart(viewer, ({ state }) => state.projection === 'composite');
  const hasLevel = useViewerPart(viewer, ({ state }) => state.projection === 'isosurface');
  const grabbed = useRef<{ readonly value: number; readonly window: Window }>(undefined);
  const theme = useShownTheme();
  const { low, binWidth, counts } = statistics.histogram;
  const span: Window = [low, low + binWidth * counts.length];
  const isInteger = info.type !== 'f32' && info.type !== 'f64';
  const narrowest = narrowestWindow(statistics.min, statistics.max, isInteger);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read from the page
  useEffect(() => {
    const parent = place.current;
    if (!parent) return undefined;
    const color = (name: string) => getComputedStyle(parent).getPropertyValue(name);
    const made = new uPlot(
      {
        width: parent.clientWidth,
        height: plotHeight + axisHeight,
        padding: [4, 0, 0, 0],
        cursor: { show: false },
        legend: { show: false },
        scales: {
          x: { time: false, range: () => [span[0], span[1]] },
          y: isLogarithmic
            ? { distr: 3, range: (_plot, _min, max) => [0.7, max * 1.3] }
            : { range: () => [0, tallestLinear(counts)] },
        },
        series: [
          {},
          {
            ...(uPlot.paths.stepped && { paths: uPlot.paths.stepped({ align: 1 }) }),
            fill: color('--line-strong'),
            stroke: color('--ink-3'),
            width: 1,
            points: { show: false },
          },
        ],
        axes: [
          {
            size: axisHeight,
            gap: 2,
            stroke: color('--ink-3'),
            font: `11px ${getComputedStyle(parent).fontFamily}`,
            grid: { show: false },
            ticks: { show: false },
            splits: ({ width }) => axisTicks(span, info, width).map(({ value }) => toStored(value, info)),
            values: ({ width }) => axisTicks(span, info, width).map(({ text }) => text),
          },
          { show: false },
        ],
      },
      // Empty bins have no logarithm: they lie below the axis.
      [counts.map((_count, index) => low + index * binWidth), counts.map((count) => Math.max(count, 0.5))],
      parent,
    );
    plot.current = made;
    const resize = new ResizeObserver(() => {
      if (parent.clientWidth > 0) made.setSize({ width: parent.clientWidth, height: plotHeight + axisHeight });
      showWindow();
    });
    resize.observe(parent);
    return () => {
      resize.disconnect();
      made.destroy();
    };
  }, [statistics, info, theme, isLogarithmic]);

  const partOf = (value: number): number => Math.min(1, Math.max(0, (value - span[0]) / (span[1] - span[0])));
  const showWindow = (): void => {
    const { window, level } = viewer.snapshot().state;
    const [from, to] = [partOf(window[0]), partOf(window[1])];
    if (band.current) {
      band.current.style.left = `${100 * from}%`;
      band.current.style.right = `${100 * (1 - to)}%`;
    }
    for (const [name, value] of [
      ['low', window[0]],
      ['high', window[1]],
      ['level', level],
    ] as const) {
      const handle = handles[name].current;
      if (!handle) continue;
      handle.style.left = `${100 * partOf(value)}%`;
      handle.setAttribute('aria-valuenow', String(value));
      handle.setAttribute(
        'aria-valuetext',
        formatWithin(toPhysical(value, info), [toPhysical(span[0], info), toPhysical(span[1], info)]),
      );
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it reads belongs to the statistics
  useEffect(() => {
    showWindow();
    return viewer.subscribe(showWindow);
  }, [viewer, statistics, hasLevel]);

  const valueAt = (event: PointerEvent): number => {
    const box = place.current?.getBoundingClientRect();
    const value = box ? span[0] + ((event.clientX - box.left) / box.width) * (span[1] - span[0]) : span[0];
    return isInteger ? Math.round(value) : value;
  };
  const grab = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    grabbed.current = { value: valueAt(event), window: viewer.snapshot().state.window };
  };
  const heldBy = (handle: Handle): number => {
    const { window, level } = viewer.snapshot().state;
    return handle === 'level' ? level : window[handle === 'low' ? 0 : 1];
  };
  const move = (handle: Handle, value: number): void => {
    if (handle === 'level') viewer.set({ level: Math.min(statistics.max, Math.max(statistics.min, value)) });
    else viewer.set({ window: moveEdge(viewer.snapshot().state.window, handle, value, narrowest) });
  };
  const handleProps = (handle: Handle) => ({
    ref: handles[handle],
    className: handle === 'level' ? `${styles.edge} ${styles.level}` : styles.edge,
    role: 'slider',
    tabIndex: 0,
    'aria-label': handleNames[handle],
    'aria-valuemin': span[0],
    'aria-valuemax': span[1],
    // Set again at once from the viewer, and then at pointer rate.
    'aria-valuenow': handle === 'high' ? span[1] : span[0],
    'data-testid': handle === 'level' ? 'level-line' : `window-${handle}`,
    onPointerDown: grab,
    onPointerMove: (event: PointerEvent) => {
      if (event.buttons !== 1) return;
      move(handle, valueAt(event));
    },
    onKeyDown: (event: KeyboardEvent) => {
      const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (steps === undefined) return;
      event.preventDefault();
      move(handle, heldBy(handle) + steps * binWidth);
    },
  });

  return (
    <figure className={styles.figure} aria-label="Histogram of values with the window" data-testid="histogram">
      <div ref={place} className={styles.plot} />
      <div className={styles.over} style={{ height: plotHeight }}>
        <div
          ref={band}
          className={styles.band}
          onPointerDown={grab}
          onPointerMove={(event) => {
            if (event.buttons !== 1 || !grabbed.current) return;
            viewer.set({ window: shiftWindow(grabbed.current.window, valueAt(event) - grabbed.current.value) });
          }}
        />
        <div {...handleProps('low')} />
        <div {...handleProps('high')} />
        {hasLevel && <div {...handleProps('level')} />}
        {hasOpacity && <OpacityEditor info={info} viewer={viewer} span={span} />}
      </div>
      <ColorStrip viewer={viewer} span={span} />
    </figure>
  );
}

/** Of linear counts the second fullest bin fills the plot: the fullest is often a background that dwarfs all others. */
function tallestLinear(counts: readonly number[]): number {
  return 1.1 * (counts.toSorted((a, b) => b - a)[1] || Math.max(1, ...counts));
}
