import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { OpenDocument } from '../app/store.ts';
import { formatNumber } from '../app/units.ts';
import { moveEdge, narrowestWindow, roundValues, shiftWindow, toPhysical, toStored, type Window } from '../app/window.ts';
import type { Viewer } from '../viewer/viewer.ts';
import styles from './histogram-plot.module.css';
import { useShownTheme } from './use-shown-theme.ts';

const plotHeight = 96;
const axisHeight = 18;

interface Props {
  readonly document: OpenDocument;
  readonly viewer: Viewer;
}

/**
 * Counts of values, logarithmic, with the window on it: its edges are dragged, and it is dragged as a whole. The window is
 * drawn straight into the page, since it moves at pointer rate.
 */
export function HistogramPlot({ document: { info, statistics }, viewer }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const band = useRef<HTMLDivElement>(null);
  const edges = { low: useRef<HTMLDivElement>(null), high: useRef<HTMLDivElement>(null) };
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
          y: { distr: 3, range: (_plot, _min, max) => [0.7, max * 1.3] },
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
            splits: () => roundValues(span, info).map((value) => toStored(value, info)),
            values: (_plot, splits) => splits.map((stored) => formatNumber(toPhysical(stored, info), 4)),
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
  }, [statistics, info, theme]);

  const partOf = (value: number): number => Math.min(1, Math.max(0, (value - span[0]) / (span[1] - span[0])));
  const showWindow = (): void => {
    const { window } = viewer.snapshot().state;
    const [from, to] = [partOf(window[0]), partOf(window[1])];
    if (band.current) {
      band.current.style.left = `${100 * from}%`;
      band.current.style.right = `${100 * (1 - to)}%`;
    }
    for (const [edge, value] of [
      ['low', window[0]],
      ['high', window[1]],
    ] as const) {
      const handle = edges[edge].current;
      if (!handle) continue;
      handle.style.left = `${100 * partOf(value)}%`;
      handle.setAttribute('aria-valuenow', String(value));
      handle.setAttribute('aria-valuetext', formatNumber(toPhysical(value, info), 5));
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it reads belongs to the statistics
  useEffect(() => {
    showWindow();
    return viewer.subscribe(showWindow);
  }, [viewer, statistics]);

  const valueAt = (event: PointerEvent): number => {
    const box = place.current?.getBoundingClientRect();
    const value = box ? span[0] + ((event.clientX - box.left) / box.width) * (span[1] - span[0]) : span[0];
    return isInteger ? Math.round(value) : value;
  };
  const grab = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    grabbed.current = { value: valueAt(event), window: viewer.snapshot().state.window };
  };
  const edgeProps = (edge: 'low' | 'high') => ({
    ref: edges[edge],
    className: styles.edge,
    role: 'slider',
    tabIndex: 0,
    'aria-label': edge === 'low' ? 'Lowest shown value' : 'Highest shown value',
    'aria-valuemin': span[0],
    'aria-valuemax': span[1],
    // Set again at once from the viewer, and then at pointer rate.
    'aria-valuenow': edge === 'low' ? span[0] : span[1],
    'data-testid': `window-${edge}`,
    onPointerDown: grab,
    onPointerMove: (event: PointerEvent) => {
      if (event.buttons !== 1) return;
      viewer.set({ window: moveEdge(viewer.snapshot().state.window, edge, valueAt(event), narrowest) });
    },
    onKeyDown: (event: KeyboardEvent) => {
      const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (steps === undefined) return;
      event.preventDefault();
      const { window } = viewer.snapshot().state;
      const value = window[edge === 'low' ? 0 : 1] + steps * binWidth;
      viewer.set({ window: moveEdge(window, edge, value, narrowest) });
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
        <div {...edgeProps('low')} />
        <div {...edgeProps('high')} />
      </div>
    </figure>
  );
}
