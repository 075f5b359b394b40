import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { type HistogramAxis, keyStep, partOf, storedAt } from '../../app/view/histogram-axis.ts';
import { addPoint, besidePoint, movePoint, type OpacityPoint, removePoint } from '../../app/view/opacity-curve.ts';
import { toPhysical } from '../../app/view/window.ts';
import { formatWithin } from '../../app/words/value-words.ts';
import { opacityAt } from '../../viewer/colors/transfer-function.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { classes } from '../controls/classes.ts';
import { useViewerPart } from '../hooks/use-app.ts';
import styles from './opacity-editor.module.css';

/** A point dragged this far above or below the plot, in pixels, is removed. */
const leaveDistance = 28;

interface Props {
  readonly info: VolumeInfo;
  readonly viewer: Viewer;
  readonly axis: HistogramAxis;
}

/**
 * The opacity curve over the histogram. Points can be dragged, added by pressing the line or double-clicking the plot, and
 * removed with Delete or by dragging them off the plot. Written straight to the DOM, since it moves at pointer rate.
 */
export function OpacityEditor({ info, viewer, axis }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const lines = useRef<(SVGPolylineElement | null)[]>([]);
  const points = useRef<(HTMLDivElement | null)[]>([]);
  const dragged = useRef<number>(undefined);
  const count = useViewerPart(viewer, ({ state }) => state.opacity.length);
  const curve = () => viewer.snapshot().state.opacity;

  const show = (): void => {
    const { window, opacity } = viewer.snapshot().state;
    const left = (position: number): number => 100 * partOf(axis, window[0] + position * (window[1] - window[0]));
    // With a negative slope the lowest stored value is at the right.
    const [before, behind] = left(0) <= left(1) ? [0, 100] : [100, 0];
    const further = (end: number, position: number): number => (end === 0 ? Math.min : Math.max)(end, left(position));
    const ends = [
      [further(before, 0), opacityAt(opacity, 0)],
      ...opacity.map(([position, value]) => [left(position), value]),
      [further(behind, 1), opacityAt(opacity, 1)],
    ] as const;
    const path = ends.map(([x = 0, value = 0]) => `${x},${100 * (1 - value)}`).join(' ');
    for (const line of lines.current) line?.setAttribute('points', path);
    for (const [index, [position, value]] of opacity.entries()) {
      const point = points.current[index];
      if (!point) continue;
      point.style.left = `${left(position)}%`;
      point.style.top = `${100 * (1 - value)}%`;
      point.hidden = left(position) < -1 || left(position) > 101;
      const shown = formatWithin(toPhysical(window[0] + position * (window[1] - window[0]), info), [
        toPhysical(axis.left, info),
        toPhysical(axis.right, info),
      ]);
      point.setAttribute('aria-valuenow', String(Math.round(100 * value)));
      point.setAttribute('aria-valuetext', `${Math.round(100 * value)} percent opaque at ${shown}`);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the effect reads belongs to the axis
  useEffect(() => {
    show();
    return viewer.subscribe(show);
  }, [viewer, info, axis, count]);

  const pointAt = ({ clientX, clientY }: { clientX: number; clientY: number }): OpacityPoint => {
    const box = place.current?.getBoundingClientRect();
    if (!box) return [0, 0];
    const { window } = viewer.snapshot().state;
    const value = storedAt(axis, (clientX - box.left) / box.width);
    return [(value - window[0]) / (window[1] - window[0]), 1 - (clientY - box.top) / box.height];
  };
  const isOut = ({ clientY }: PointerEvent): boolean => {
    const box = place.current?.getBoundingClientRect();
    return box !== undefined && (clientY < box.top - leaveDistance || clientY > box.bottom + leaveDistance);
  };
  const add = (at: OpacityPoint): number => {
    const added = addPoint(curve(), at);
    viewer.set({ opacity: added.curve });
    return added.index;
  };
  // Only the line and the points take pointer events. The rest of the editor lets them through, so double clicks are handled on the plot below.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the effect reads belongs to the axis
  useEffect(() => {
    const over = place.current?.parentElement;
    const onDoubleClick = (event: MouseEvent): void => {
      if (event.target instanceof Node && place.current?.contains(event.target)) return;
      add(pointAt(event));
    };
    over?.addEventListener('dblclick', onDoubleClick);
    return () => over?.removeEventListener('dblclick', onDoubleClick);
  }, [viewer, axis]);
  const remove = (index: number): void => {
    viewer.set({ opacity: removePoint(curve(), index) });
    points.current[Math.max(0, index - 1)]?.focus();
  };
  const dragProps = {
    onPointerMove: (event: PointerEvent) => {
      const index = dragged.current;
      if (index === undefined) return;
      viewer.set({ opacity: movePoint(curve(), index, pointAt(event)) });
      points.current[index]?.classList.toggle(styles.leaving ?? '', isOut(event) && count > 2);
    },
    onPointerUp: (event: PointerEvent) => {
      const index = dragged.current;
      dragged.current = undefined;
      if (index === undefined) return;
      points.current[index]?.classList.remove(styles.leaving ?? '');
      if (isOut(event)) remove(index);
      else points.current[index]?.focus();
    },
    onPointerCancel: () => {
      dragged.current = undefined;
    },
  };
  const onKeyDown = (index: number) => (event: KeyboardEvent) => {
    const [position, opacity] = curve()[index] ?? [0, 0];
    const { window } = viewer.snapshot().state;
    const large = event.shiftKey ? 10 : 1;
    // The same step as the window's edges.
    const across = (large * keyStep(axis, info)) / (window[1] - window[0]);
    const up = large * 0.01;
    const moves: Record<string, OpacityPoint> = {
      ArrowLeft: [position - across, opacity],
      ArrowRight: [position + across, opacity],
      ArrowUp: [position, opacity + up],
      ArrowDown: [position, opacity - up],
    };
    const move = moves[event.key];
    if (move) viewer.set({ opacity: movePoint(curve(), index, move) });
    else if (event.key === 'Delete' || event.key === 'Backspace') remove(index);
    else if (event.key === 'Insert' || event.key === 'Enter') add(besidePoint(curve(), index));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={place} className={styles.place} data-testid="opacity-editor">
      <svg className={styles.lines} viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden>
        {[styles.under, styles.line, styles.grip].map((className, index) => (
          <polyline
            key={className}
            ref={(line) => {
              lines.current[index] = line;
            }}
            className={className}
            vectorEffect="non-scaling-stroke"
            {...(className === styles.grip && {
              ...dragProps,
              'data-testid': 'opacity-line',
              onPointerDown: (event) => {
                if (event.button !== 0) return;
                event.currentTarget.setPointerCapture(event.pointerId);
                dragged.current = add(pointAt(event));
              },
            })}
          />
        ))}
      </svg>
      {Array.from({ length: count }, (_, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: points have no identity but their order
          key={index}
          ref={(point) => {
            points.current[index] = point;
          }}
          className={classes(styles.point)}
          role="slider"
          tabIndex={0}
          title="Drag, or use the arrow keys (Shift for larger steps). Press Delete or drag it out to remove it"
          aria-label={`Opacity point ${index + 1} of ${count}`}
          aria-keyshortcuts="Insert Delete"
          aria-valuemin={0}
          aria-valuemax={100}
          // Only the initial value: `show` updates it from then on.
          aria-valuenow={0}
          data-testid={`opacity-point-${index}`}
          {...dragProps}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            dragged.current = index;
          }}
          onContextMenu={(event) => {
            event.preventDefault();
            remove(index);
          }}
          onKeyDown={onKeyDown(index)}
        />
      ))}
    </div>
  );
}
