import { type PointerEvent, useEffect, useRef } from 'react';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import type { CameraFrame, Place } from '../viewer/camera-frame.ts';
import { armLength, type CutPlane, cutMiddle, draggedCut, scaled, sum, tiltedCut } from '../viewer/cut-plane.ts';
import { sceneEdges } from '../viewer/orientation.ts';
import type { Viewer } from '../viewer/viewer.ts';
import styles from './cut-handles.module.css';

type Handle = 'move' | 'tilt';

/** What was there when a drag began. */
interface Drag {
  readonly handle: Handle;
  readonly x: number;
  readonly y: number;
  readonly plane: CutPlane;
  readonly at: Place;
  readonly frame: CameraFrame;
}

/**
 * The free plane's handles in the 3D view: a disc that moves it along its normal, and an arrow's tip that tilts it. For
 * pointers alone; the inspector's sliders do the same by keys. They follow the camera without React.
 */
export function CutHandles({ viewer, info }: { readonly viewer: Viewer; readonly info: VolumeInfo }) {
  const place = useRef<HTMLDivElement>(null);
  const disc = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const arm = useRef<SVGLineElement>(null);
  const drag = useRef<Drag | undefined>(undefined);
  const seen = useRef<CameraFrame | undefined>(undefined);
  useEffect(() => {
    const edges = sceneEdges(info);
    return viewer.followCamera((frame) => {
      seen.current = frame;
      const { cut } = viewer.snapshot().state;
      if (!place.current || !disc.current || !tip.current || !arm.current) return;
      place.current.hidden = cut === undefined;
      if (!cut) return;
      // While the arrow is dragged, the disc that it turns about stands still.
      const at = drag.current?.handle === 'tilt' ? drag.current.at : cutMiddle(cut, edges);
      const [x, y] = frame.project(at);
      const [tipX, tipY] = frame.project(sum(at, scaled(cut.normal, armLength)));
      disc.current.style.transform = `translate(${x}px, ${y}px)`;
      tip.current.style.transform = `translate(${tipX}px, ${tipY}px)`;
      for (const [name, value] of Object.entries({ x1: x, y1: y, x2: tipX, y2: tipY }))
        arm.current.setAttribute(name, `${value}`);
    });
  }, [viewer, info]);
  const begin = (handle: Handle) => (event: PointerEvent) => {
    const { cut } = viewer.snapshot().state;
    if (!cut || !seen.current || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const at = cutMiddle(cut, sceneEdges(info));
    drag.current = { handle, x: event.clientX, y: event.clientY, plane: cut, at, frame: seen.current };
  };
  const move = (event: PointerEvent) => {
    if (!drag.current) return;
    const { handle, x, y, plane, at, frame } = drag.current;
    const by = [event.clientX - x, event.clientY - y] as const;
    const cut = handle === 'move' ? draggedCut(plane, at, frame, by, sceneEdges(info)) : tiltedCut(plane, at, frame, by);
    viewer.set({ cut });
  };
  const end = () => {
    drag.current = undefined;
  };
  const handlers = { onPointerMove: move, onPointerUp: end, onPointerCancel: end, onLostPointerCapture: end };
  return (
    <div ref={place} className={styles.handles} aria-hidden hidden>
      <svg className={styles.arm} aria-hidden>
        <line ref={arm} />
      </svg>
      <div
        ref={disc}
        className={styles.disc}
        title="Drag to move the plane"
        onPointerDown={begin('move')}
        {...handlers}
        data-testid="cut-disc"
      />
      <div
        ref={tip}
        className={styles.tip}
        title="Drag to tilt the plane"
        onPointerDown={begin('tilt')}
        {...handlers}
        data-testid="cut-tip"
      />
    </div>
  );
}
