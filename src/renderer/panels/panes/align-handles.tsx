import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import { alignables, chosenAlignable } from '../../app/state/alignable.ts';
import { type AlignRing, alignRing, angleBetween, draggedInSlice, turnedInSlice } from '../../viewer/model/align-ring.ts';
import { safeSpacing } from '../../viewer/model/orientation.ts';
import type { Point } from '../../viewer/model/slice-geometry.ts';
import type { SliceName } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './align-handles.module.css';
import { finePart } from './space-handles.tsx';

interface Props {
  readonly viewer: Viewer;
  readonly view: SliceName;
}

/** Handles of the chosen layer in a slice, while they are switched on. Dragging inside the ring moves the layer; dragging the ring turns it. */
export function AlignHandles({ viewer, view }: Props) {
  const id = useAppState((state) => (state.layers.aligning ? chosenAlignable(state)?.look.id : undefined));
  return id === undefined ? null : <Ring key={id} viewer={viewer} view={view} id={id} />;
}

interface Drag {
  readonly kind: 'move' | 'turn';
  readonly ring: AlignRing;
  /** The layer's motion at the start of the drag, and the drag since then. */
  readonly motion: AlignedMotion;
  at: Point;
  moved: Point;
  degrees: number;
}

type AlignedMotion = Parameters<typeof draggedInSlice>[0];

const arrows: Readonly<Record<string, Point>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

function Ring({ viewer, view, id }: Props & { readonly id: string }) {
  const app = useApp();
  const name = useAppState(({ layers }) => layers.stack.layers.find((look) => look.id === id)?.name ?? '');
  const place = useRef<HTMLDivElement>(null);
  const drag = useRef<Drag | undefined>(undefined);
  /** Angle of the mark on the ring, in degrees. */
  const mark = useRef(0);

  const now = () => {
    const found = alignables(app.store.getState()).find(({ look }) => look.id === id);
    const screen = viewer.views.onScreen(view);
    if (!found || !screen) return undefined;
    const { base, layer, look } = found;
    return { base, motion: look.motion, ring: alignRing(base, layer, look.motion, screen) };
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: `now` always reads the current state
  useEffect(() => {
    const show = () => {
      const found = now();
      const element = place.current;
      if (!element) return;
      element.hidden = !found;
      if (!found) return;
      const [x, y] = found.ring.center;
      element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      element.style.setProperty('--radius', `${found.ring.radius}px`);
      element.style.setProperty('--turned', `${mark.current}deg`);
    };
    show();
    return viewer.loop.onDrawn(show);
  }, [viewer, view, id]);

  // The canvas lies below the handles. Pass it the events that they do not use.
  useEffect(() => {
    const element = place.current;
    const canvasOf = () => element?.parentElement?.parentElement?.querySelector('canvas');
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      canvasOf()?.dispatchEvent(new WheelEvent('wheel', event));
    };
    const onPointer = (event: globalThis.PointerEvent) => {
      const isOwn = event.type === 'pointerdown' ? event.button === 0 : drag.current !== undefined;
      if (!isOwn) canvasOf()?.dispatchEvent(new PointerEvent(event.type, event));
    };
    const onMenu = (event: MouseEvent) => event.preventDefault();
    element?.addEventListener('wheel', onWheel, { passive: false });
    element?.addEventListener('pointerdown', onPointer);
    element?.addEventListener('pointermove', onPointer);
    element?.addEventListener('pointerleave', onPointer);
    element?.addEventListener('contextmenu', onMenu);
    return () => {
      element?.removeEventListener('wheel', onWheel);
      element?.removeEventListener('pointerdown', onPointer);
      element?.removeEventListener('pointermove', onPointer);
      element?.removeEventListener('pointerleave', onPointer);
      element?.removeEventListener('contextmenu', onMenu);
    };
  }, []);

  const pointOf = (event: PointerEvent): Point => {
    const { left, top } = place.current?.parentElement?.getBoundingClientRect() ?? { left: 0, top: 0 };
    return [event.clientX - left, event.clientY - top];
  };
  const begin = (kind: Drag['kind']) => (event: PointerEvent) => {
    const found = now();
    if (!found || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { kind, ring: found.ring, motion: found.motion, at: pointOf(event), moved: [0, 0], degrees: 0 };
  };
  const move = (event: PointerEvent) => {
    const held = drag.current;
    if (!held) return;
    const at = pointOf(event);
    const part = event.shiftKey ? finePart : 1;
    if (held.kind === 'move') {
      held.moved = [held.moved[0] + part * (at[0] - held.at[0]), held.moved[1] + part * (at[1] - held.at[1])];
    } else {
      const by = part * angleBetween(held.ring, held.at, at);
      held.degrees += by;
      mark.current += by;
    }
    held.at = at;
    const { ring, motion } = held;
    const next = held.kind === 'move' ? draggedInSlice(motion, ring, held.moved) : turnedInSlice(motion, ring, held.degrees);
    app.layers.change(id, { motion: next });
  };
  const end = () => {
    drag.current = undefined;
  };
  const step = (kind: Drag['kind']) => (event: KeyboardEvent) => {
    const arrow = arrows[event.key];
    const found = now();
    if (!arrow || !found || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const times = event.shiftKey ? 10 : 1;
    const { ring, motion, base } = found;
    if (kind === 'turn') {
      const by = times * (arrow[0] + arrow[1]);
      mark.current += by;
      app.layers.change(id, { motion: turnedInSlice(motion, ring, by) });
      return;
    }
    const pixels = (times * Math.min(...safeSpacing(base))) / Math.hypot(...ring.right);
    app.layers.change(id, { motion: draggedInSlice(motion, ring, [pixels * arrow[0], pixels * arrow[1]]) });
  };
  const handlers = (kind: Drag['kind']) => ({
    onPointerDown: begin(kind),
    onPointerMove: move,
    onPointerUp: end,
    onPointerCancel: end,
    onLostPointerCapture: end,
    onKeyDown: step(kind),
  });
  return (
    <div className={styles.area}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls */}
      <div ref={place} className={styles.handles} role="group" aria-label={`Alignment of ${name}`} hidden>
        <div
          className={styles.ring}
          role="application"
          aria-label={`Turn ${name}: drag, or arrow keys`}
          title="Drag to turn the layer; Shift is finer"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: an application is interactive: its keys turn the layer
          tabIndex={0}
          {...handlers('turn')}
          data-testid={`align-turn-${view}`}
        >
          <span className={styles.mark} />
        </div>
        <div
          className={styles.inside}
          role="application"
          aria-label={`Move ${name}: drag, or arrow keys`}
          title="Drag to move the layer; Shift is finer"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: an application is interactive: its keys move the layer
          tabIndex={0}
          {...handlers('move')}
          data-testid={`align-move-${view}`}
        />
      </div>
    </div>
  );
}
