import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import { inRealOrder } from '../../../core/shared/real-order.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { OpenDocument } from '../../app/state/document-state.ts';
import { axisLength, type HistogramAxis, isIntegerType, keyStep, partOf, storedAt } from '../../app/view/histogram-axis.ts';
import { moveEdge, narrowestWindow, shiftWindow, toPhysical, type Window } from '../../app/view/window.ts';
import { formatWithin } from '../../app/words/value-words.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { classes } from '../controls/classes.ts';
import { useViewerPart } from '../hooks/use-app.ts';
import styles from './histogram-plot.module.css';

interface Props {
  readonly info: VolumeInfo;
  readonly statistics: OpenDocument['statistics'];
  readonly viewer: Viewer;
  readonly axis: HistogramAxis;
  /** Pans a zoomed axis so that it shows this value. */
  readonly reveal: (stored: number) => void;
}

/** The draggable handles: the window's edges and the level of an isosurface. */
type Handle = 'low' | 'high' | 'level';

const handleNames: Readonly<Record<Handle, string>> = {
  low: 'Lowest shown value',
  high: 'Highest shown value',
  level: 'Level of the isosurface',
};

/** A handle that is being dragged. */
interface Grab {
  /** The position on the axis where the pointer grabbed the handle, and the handle's value then. */
  readonly part: number;
  readonly value: number;
  readonly window: Window;
}

/** The window as a band between two handles, and the isosurface level as a third. Written straight to the DOM, since they move at pointer rate. */
export function HistogramHandles({ info, statistics, viewer, axis, reveal }: Props) {
  const band = useRef<HTMLDivElement>(null);
  const handles: Readonly<Record<Handle, RefObject<HTMLDivElement | null>>> = {
    low: useRef<HTMLDivElement>(null),
    high: useRef<HTMLDivElement>(null),
    level: useRef<HTMLDivElement>(null),
  };
  const hasLevel = useViewerPart(viewer, ({ state }) => state.projection === 'isosurface');
  const grabbed = useRef<Grab>(undefined);
  const isInteger = isIntegerType(info.type);
  const narrowest = Math.min(narrowestWindow(...statistics.numbers, isInteger), isInteger ? Infinity : axisLength(axis) / 1000);
  const ends = [toPhysical(axis.left, info), toPhysical(axis.right, info)] as const;

  const heldBy = (handle: Handle): number => {
    const { window, level } = viewer.snapshot().state;
    return handle === 'level' ? level : window[handle === 'low' ? 0 : 1];
  };
  const show = (): void => {
    const { window } = viewer.snapshot().state;
    const [from, to] = window.map((edge) => clamped(partOf(axis, edge))).toSorted((a, b) => a - b) as [number, number];
    if (band.current) {
      band.current.style.left = `${100 * from}%`;
      band.current.style.right = `${100 * (1 - to)}%`;
    }
    for (const name of ['low', 'high', 'level'] as const) {
      const handle = handles[name].current;
      if (!handle) continue;
      const part = partOf(axis, heldBy(name));
      handle.style.left = `${100 * clamped(part)}%`;
      handle.toggleAttribute('data-beyond', isBeyond(part));
      const physical = toPhysical(heldBy(name), info);
      handle.setAttribute('aria-valuenow', String(physical));
      handle.setAttribute('aria-valuetext', formatWithin(physical, ends));
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: everything else that the effect reads belongs to the axis
  useEffect(() => {
    show();
    return viewer.subscribe(show);
  }, [viewer, info, statistics, axis, hasLevel]);

  const partAt = ({ clientX }: PointerEvent): number => {
    const box = band.current?.parentElement?.getBoundingClientRect();
    return box ? (clientX - box.left) / box.width : 0;
  };
  /** The value under the pointer while dragging, rounded for integer types. */
  const draggedTo = (event: PointerEvent, { part, value }: Grab): number => {
    const moved = storedAt(axis, partOf(axis, value) + partAt(event) - part);
    return isInteger ? Math.round(moved) : moved;
  };
  const move = (handle: Handle, value: number): void => {
    if (handle === 'level') viewer.set({ level: Math.min(statistics.numbers[1], Math.max(statistics.numbers[0], value)) });
    else viewer.set({ window: moveEdge(viewer.snapshot().state.window, handle, value, narrowest) });
  };
  const handleProps = (handle: Handle) => ({
    ref: handles[handle],
    className: classes(styles.edge, handle === 'level' && styles.level),
    role: 'slider',
    tabIndex: 0,
    title: 'Drag, or use the arrow keys (Shift for larger steps). + and − zoom, 0 shows the whole axis',
    'aria-label': handleNames[handle],
    'aria-valuemin': Math.min(...ends),
    'aria-valuemax': Math.max(...ends),
    // Only the initial value: `show` updates it from then on.
    'aria-valuenow': handle === 'high' ? ends[1] : ends[0],
    'data-testid': handle === 'level' ? 'level-line' : `window-${handle}`,
    onPointerDown: (event: PointerEvent) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      const part = partAt(event);
      // A handle at the edge represents a value outside the axis, so its drag starts at the pointer.
      const value = isBeyond(partOf(axis, heldBy(handle))) ? storedAt(axis, part) : heldBy(handle);
      grabbed.current = { part, value, window: viewer.snapshot().state.window };
    },
    onPointerMove: (event: PointerEvent) => {
      if (event.buttons === 1 && grabbed.current) move(handle, draggedTo(event, grabbed.current));
    },
    onKeyDown: (event: KeyboardEvent) => {
      const large = event.shiftKey ? 10 : 1;
      const steps = { ArrowLeft: -large, ArrowDown: -large, ArrowRight: large, ArrowUp: large, PageDown: -10, PageUp: 10 }[
        event.key
      ];
      const [min, max] = inRealOrder(statistics.numbers, info);
      const end = { Home: min, End: max }[event.key];
      if (steps === undefined && end === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      move(handle, end ?? heldBy(handle) + (steps ?? 0) * keyStep(axis, info));
      reveal(heldBy(handle));
    },
  });

  return (
    <>
      <div
        ref={band}
        className={styles.band}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const { window } = viewer.snapshot().state;
          grabbed.current = { part: partAt(event), value: window[0], window };
        }}
        onPointerMove={(event) => {
          if (event.buttons !== 1 || !grabbed.current) return;
          viewer.set({ window: shiftWindow(grabbed.current.window, draggedTo(event, grabbed.current) - grabbed.current.value) });
        }}
      />
      <div {...handleProps('low')} />
      <div {...handleProps('high')} />
      {hasLevel && <div {...handleProps('level')} />}
    </>
  );
}

function clamped(part: number): number {
  return Math.min(1, Math.max(0, part));
}

function isBeyond(part: number): boolean {
  return part < -0.001 || part > 1.001;
}
