import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { OpenDocument } from '../../app/state/document-state.ts';
import {
  type HistogramAxis,
  isIntegerType,
  isZoomed,
  panAxis,
  partOf,
  revealOn,
  wholeAxis,
  zoomAxis,
} from '../../app/view/histogram-axis.ts';
import { toStored } from '../../app/view/window.ts';
import { axisTicks } from '../../app/words/axis-ticks.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { Button } from '../controls/button.tsx';
import { CommandButton } from '../controls/command-button.tsx';
import { useAppState, useViewerPart } from '../hooks/use-app.ts';
import { ColorStrip } from './color-strip.tsx';
import { HistogramBars } from './histogram-bars.tsx';
import { HistogramHandles } from './histogram-handles.tsx';
import styles from './histogram-plot.module.css';
import { OpacityEditor } from './opacity-editor.tsx';

interface Props {
  readonly document: OpenDocument;
  readonly viewer: Viewer;
}

/** Wheel distance in pixels that zooms the axis by a factor of e, and the factor of one key press. */
const wheelPixels = 300;
const keyFactor = 1.5;

/**
 * Histogram with draggable window edges, isosurface level and opacity line, above the colormap.
 * The axis fits the values. The wheel zooms the axis, as do the keys +, − and 0 while a handle has the focus.
 */
export function HistogramPlot({ document: { info, statistics }, viewer }: Props) {
  const over = useRef<HTMLDivElement>(null);
  const projection = useViewerPart(viewer, ({ state }) => state.projection);
  const hasOpacity = projection === 'composite';
  const isLogarithmic = useAppState(({ settings }) => settings.logCounts);
  const whole = useMemo(() => wholeAxis(info, statistics), [info, statistics]);
  const [zoomed, setZoomed] = useState<{ readonly axis: HistogramAxis; readonly of: HistogramAxis }>();
  const axis = zoomed?.of === whole ? zoomed.axis : whole;
  const isCloser = isZoomed(axis, whole);
  const change = (next: (axis: HistogramAxis) => HistogramAxis): void =>
    setZoomed((before) => ({ of: whole, axis: next(before?.of === whole ? before.axis : whole) }));

  // React's wheel listeners are passive and cannot keep the page from scrolling.
  // biome-ignore lint/correctness/useExhaustiveDependencies: everything else that the effect calls belongs to the axes
  useEffect(() => {
    const place = over.current;
    if (!place) return undefined;
    const onWheel = (event: WheelEvent): void => {
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : 1;
      const isAcross = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const isIdle = isAcross || event.deltaY > 0;
      // While the whole axis is shown, zooming out and panning do nothing, so the page scrolls.
      if (!isCloser && isIdle) return;
      event.preventDefault();
      const { left, width } = place.getBoundingClientRect();
      if (isAcross) change((now) => panAxis(now, whole, ((event.deltaX || event.deltaY) * unit) / width));
      else {
        const factor = Math.exp((-event.deltaY * unit) / wheelPixels);
        change((now) => zoomAxis(now, whole, info, (event.clientX - left) / width, factor));
      }
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      const factor = { '+': keyFactor, '=': keyFactor, '-': 1 / keyFactor, 0: 0 }[event.key];
      if (factor === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      change((now) => (factor === 0 ? whole : zoomAxis(now, whole, info, focusedPart(place), factor)));
    };
    const ending = new AbortController();
    place.addEventListener('wheel', onWheel, { passive: false, signal: ending.signal });
    place.addEventListener('keydown', onKeyDown, { signal: ending.signal });
    return () => ending.abort();
  }, [whole, isCloser]);

  return (
    <figure className={styles.figure} aria-label="Histogram of values with the window" data-testid="histogram">
      <div ref={over} className={styles.over}>
        <HistogramBars histogram={statistics.histogram} axis={axis} isLogarithmic={isLogarithmic} />
        <HistogramHandles
          info={info}
          statistics={statistics}
          viewer={viewer}
          axis={axis}
          reveal={(stored) => change((now) => revealOn(now, whole, stored))}
        />
        {hasOpacity && <OpacityEditor info={info} viewer={viewer} axis={axis} />}
      </div>
      <AxisNumbers info={info} axis={axis} pan={isCloser ? (parts) => change((now) => panAxis(now, whole, parts)) : undefined} />
      <ColorStrip viewer={viewer} axis={axis} />
      <div className={styles.hint}>
        {isCloser ? (
          <Button onPress={() => setZoomed(undefined)} testId="histogram-whole">
            Show whole axis
          </Button>
        ) : (
          <span>{hintOf(projection)}</span>
        )}
        {hasOpacity && <CommandButton id="reset-opacity" kind="quiet" testId="opacity-reset" />}
      </div>
    </figure>
  );
}

/** A hint at how to use the histogram. Every projection has one, so that nothing below moves when the projection changes. */
function hintOf(projection: ViewState['projection']): string {
  if (projection === 'composite') return 'Click the line to add a point. Delete removes it.';
  if (projection === 'isosurface') return 'Drag the line to set the level. The wheel zooms the axis.';
  return 'Drag the edges to set the window. The wheel zooms the axis.';
}

/** Position of the focused handle on the axis. Zooming by keys keeps it in place. */
function focusedPart(over: HTMLElement): number {
  const handle = over.ownerDocument.activeElement;
  if (!handle || handle === over || !over.contains(handle)) return 0.5;
  const [box, place] = [over.getBoundingClientRect(), handle.getBoundingClientRect()];
  return Math.min(1, Math.max(0, (place.left + place.width / 2 - box.left) / box.width));
}

interface NumbersProps {
  readonly info: VolumeInfo;
  readonly axis: HistogramAxis;
  /** Undefined while the whole axis is shown. */
  readonly pan: ((parts: number) => void) | undefined;
}

/** Round physical values below the plot. Dragging them pans a zoomed axis. */
function AxisNumbers({ info, axis, pan }: NumbersProps) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(288);
  useEffect(() => {
    const resize = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width || 288));
    if (place.current) resize.observe(place.current);
    return () => resize.disconnect();
  }, []);
  // Integer values need no ticks between integers.
  const isWhole = isIntegerType(info.type) && Number.isInteger(info.slope) && Number.isInteger(info.intercept);
  return (
    <div
      ref={place}
      className={styles.numbers}
      data-movable={pan !== undefined || undefined}
      data-testid="histogram-numbers"
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event: PointerEvent) => {
        if (event.buttons === 1) pan?.(-event.movementX / width);
      }}
    >
      {axisTicks([axis.left, axis.right], info, width, isWhole ? 1 : 0).map(({ value, text }) => (
        <span key={text} style={{ left: `${100 * partOf(axis, toStored(value, info))}%` }}>
          {text}
        </span>
      ))}
    </div>
  );
}
