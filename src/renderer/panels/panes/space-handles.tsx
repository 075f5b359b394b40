import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { CameraFrame, ScenePoint } from '../../viewer/model/camera-frame.ts';
import type { NormalAngles } from '../../viewer/model/cut-plane.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { classes } from '../controls/classes.ts';
import styles from './space-handles.module.css';

/** How far keys move a handle right and up, in the handle's own steps. Infinity moves it to its limit. */
export type KeyStep = readonly [right: number, up: number];

/** A handle in the 3D view, moved by the pointer and by keys. */
export interface SpaceHandle {
  readonly id: string;
  readonly look: 'disc' | 'tip' | 'face';
  /** The voxel axis that gives the handle its colour. Default: the colour of its set. */
  readonly axis?: 'x' | 'y' | 'z';
  readonly label: string;
  readonly hint: string;
  readonly least: number;
  readonly most: number;
  value(state: ViewState): number;
  /** The value as text for screen readers. */
  words(state: ViewState): string;
  /** @param anchor see `HandleSet` */
  place(state: ViewState, anchor: ScenePoint): ScenePoint;
  /** Whether the handle is on the far side. */
  isFaint?(state: ViewState, frame: CameraFrame): boolean;
  /** Whether the anchor stays in place while this handle is dragged. */
  readonly turns?: boolean;
  /** The change that a drag makes. @param state, anchor, frame their values at the start of the drag @param by pixels dragged since then */
  drag(state: ViewState, anchor: ScenePoint, frame: CameraFrame, by: readonly [x: number, y: number]): Partial<ViewState>;
  step(state: ViewState, step: KeyStep): Partial<ViewState>;
}

/** Handles of one thing, such as a plane. */
export interface HandleSet {
  readonly label: string;
  readonly tone: 'cut' | 'oblique' | 'clip' | 'x' | 'y' | 'z' | 'layer';
  readonly handles: readonly SpaceHandle[];
  isShown(state: ViewState): boolean;
  /** The origin of the handles' positions, and the centre of rotation. */
  anchor(state: ViewState): ScenePoint;
  /** Thin lines that connect the handles. */
  lines(state: ViewState, anchor: ScenePoint): readonly (readonly [ScenePoint, ScenePoint])[];
}

interface Drag {
  readonly handle: SpaceHandle;
  /** The pointer's last position, and how far it has dragged the handle. */
  x: number;
  y: number;
  by: readonly [x: number, y: number];
  readonly state: ViewState;
  readonly anchor: ScenePoint;
  readonly frame: CameraFrame;
}

const keySteps: Readonly<Record<string, KeyStep>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
  PageUp: [0, 10],
  PageDown: [0, -10],
  Home: [0, Number.NEGATIVE_INFINITY],
  End: [0, Number.POSITIVE_INFINITY],
};

/** While Shift is held, a handle moves by this fraction of the pointer's movement. */
export const finePart = 0.1;

export function angleWords({ around, up }: NormalAngles): string {
  return `turned ${Math.round(around)} degrees, tilted ${Math.round(up)} degrees`;
}

/** Props of every set of handles. */
export interface HandlesProps {
  readonly viewer: Viewer;
  readonly info: VolumeInfo;
  /** Prefix of the handles' test ids. */
  readonly prefix: string;
}

interface Props extends Omit<HandlesProps, 'info'> {
  /** Must be the identical object while unchanged. */
  readonly set: HandleSet;
}

/** A set of handles over the 3D view. They follow the camera and the state without React. */
export function SpaceHandles({ viewer, set, prefix }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const drag = useRef<Drag | undefined>(undefined);
  const seen = useRef<CameraFrame | undefined>(undefined);
  useEffect(
    () =>
      viewer.loop.followCamera((frame) => {
        seen.current = frame;
        if (place.current) show(place.current, set, viewer.snapshot().state, frame, drag.current);
      }),
    [viewer, set],
  );
  const begin = (handle: SpaceHandle) => (event: PointerEvent) => {
    const { state } = viewer.snapshot();
    if (!seen.current || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const [x, y] = [event.clientX, event.clientY];
    drag.current = { handle, x, y, by: [0, 0], state, anchor: set.anchor(state), frame: seen.current };
  };
  const move = (event: PointerEvent) => {
    if (!drag.current) return;
    const { handle, x, y, by, state, anchor, frame } = drag.current;
    const part = event.shiftKey ? finePart : 1;
    const next = [by[0] + part * (event.clientX - x), by[1] + part * (event.clientY - y)] as const;
    Object.assign(drag.current, { x: event.clientX, y: event.clientY, by: next });
    viewer.set(handle.drag(state, anchor, frame, next));
  };
  const end = () => {
    drag.current = undefined;
  };
  const step = (handle: SpaceHandle) => (event: KeyboardEvent) => {
    const by = keySteps[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const times = event.shiftKey && event.key.startsWith('Arrow') ? 10 : 1;
    viewer.set(handle.step(viewer.snapshot().state, [by[0] * times, by[1] * times]));
  };
  const { state } = viewer.snapshot();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls
    <div ref={place} className={styles.handles} role="group" aria-label={set.label} data-tone={set.tone} hidden>
      <svg className={styles.lines} aria-hidden>
        <path />
      </svg>
      {set.handles.map((handle) => (
        <div
          key={handle.id}
          className={classes(styles.handle, styles[handle.look])}
          data-axis={handle.axis}
          role="slider"
          tabIndex={0}
          title={handle.hint}
          aria-label={handle.label}
          aria-valuemin={handle.least}
          aria-valuemax={handle.most}
          aria-valuenow={handle.value(state)}
          onPointerDown={begin(handle)}
          onPointerMove={move}
          onPointerUp={end}
          onPointerCancel={end}
          onLostPointerCapture={end}
          onKeyDown={step(handle)}
          data-testid={`${prefix}${handle.id}`}
        />
      ))}
    </div>
  );
}

function show(place: HTMLElement, set: HandleSet, state: ViewState, frame: CameraFrame, drag: Drag | undefined): void {
  place.hidden = !set.isShown(state);
  if (place.hidden) return;
  const anchor = drag?.handle.turns ? drag.anchor : set.anchor(state);
  const [svg, ...elements] = place.children;
  const point = (at: ScenePoint): string =>
    frame
      .project(at)
      .map((pixels) => pixels.toFixed(1))
      .join(' ');
  const lines = set.lines(state, anchor).filter((ends) => ends.every(frame.isAhead));
  svg?.firstElementChild?.setAttribute('d', lines.map(([from, to]) => `M${point(from)}L${point(to)}`).join(''));
  set.handles.forEach((handle, index) => {
    const element = elements[index] as HTMLElement;
    const at = handle.place(state, anchor);
    const [x, y] = frame.project(at);
    element.hidden = !frame.isAhead(at);
    element.style.transform = `translate(${x}px, ${y}px)`;
    const isFaint = handle.isFaint?.(state, frame) === true;
    element.toggleAttribute('data-faint', isFaint);
    element.setAttribute('aria-valuenow', String(handle.value(state)));
    element.setAttribute('aria-valuetext', handle.words(state));
  });
}
