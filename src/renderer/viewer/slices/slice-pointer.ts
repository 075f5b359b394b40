import type { Point } from '../model/slice-geometry.ts';

export interface SlicePointerActions {
  /** Called when the pointer is over a canvas pixel, or has left (undefined). */
  hover(pixel: Point | undefined): void;
  /** Called when the left button is pressed. @returns true if the rest of the gesture goes to `drag` instead of `pick` */
  press(pixel: Point): boolean;
  drag(pixel: Point): void;
  release(pixel: Point): void;
  /** Called when the system takes the pointer away before the button is released. */
  cancel(): void;
  pick(pixel: Point): void;
  pan(by: Point): void;
  /** Whether the left button also adjusts the window. */
  isWindowing(): boolean;
  /** Adjusts window width (x) and level (y), in fractions of the canvas's size. */
  adjustWindow(by: Point): void;
  zoom(pixel: Point, factor: number): void;
  /** Moves by a number of slices. */
  step(slices: number): void;
}

/** Wheel distance per slice in pixels. A notch of a wheel is about 100; a touchpad sends many small steps. */
const pixelsPerSlice = 100;

/**
 * Listens to the pointer. Left button: crosshair, or whatever `press` starts. Middle button, or left with Shift: pan. Right
 * button: window and level. Wheel: slices, or zoom with Ctrl or a pinch.
 * @returns a function that stops listening
 */
export function listenToSlicePointer(canvas: HTMLCanvasElement, actions: SlicePointerActions): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  // A finger moves the crosshair instead of scrolling the page.
  canvas.style.touchAction = 'none';
  let wheelRest = 0;
  let last: Point | undefined;
  let isTaken = false;

  const pixelOf = (event: MouseEvent): Point => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return [((event.clientX - left) * canvas.width) / width, ((event.clientY - top) * canvas.height) / height];
  };
  const drag = (event: PointerEvent): void => {
    const pixel = pixelOf(event);
    const by: Point = last ? [pixel[0] - last[0], pixel[1] - last[1]] : [0, 0];
    last = pixel;
    if (isTaken) actions.drag(pixel);
    else if (event.buttons & 4 || (event.buttons & 1 && event.shiftKey)) actions.pan(by);
    else if (event.buttons & 2 || (event.buttons & 1 && actions.isWindowing()))
      actions.adjustWindow([by[0] / canvas.width, by[1] / canvas.height]);
    else if (event.buttons & 1) actions.pick(pixel);
    actions.hover(pixel);
  };

  canvas.addEventListener(
    'pointerdown',
    (event) => {
      canvas.setPointerCapture(event.pointerId);
      last = pixelOf(event);
      // The middle button would start the browser's autoscroll.
      if (event.button === 1) event.preventDefault();
      if (event.button === 0 && event.buttons === 1 && !event.shiftKey) isTaken = actions.press(last);
      if (!isTaken) drag(event);
    },
    { signal },
  );
  canvas.addEventListener('pointermove', drag, { signal });
  canvas.addEventListener(
    'pointerup',
    (event) => {
      if (isTaken && !(event.buttons & 1)) {
        isTaken = false;
        actions.release(pixelOf(event));
      }
    },
    { signal },
  );
  canvas.addEventListener(
    'pointercancel',
    () => {
      // Its event has no position.
      if (isTaken) actions.cancel();
      isTaken = false;
    },
    { signal },
  );
  canvas.addEventListener('pointerleave', () => actions.hover(undefined), { signal });
  canvas.addEventListener('contextmenu', (event) => event.preventDefault(), { signal });
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 400 : 1;
      const distance = event.deltaY * unit;
      if (event.ctrlKey || event.metaKey) {
        actions.zoom(pixelOf(event), Math.exp(-distance / 300));
        return;
      }
      wheelRest += distance / pixelsPerSlice;
      const slices = Math.trunc(wheelRest);
      wheelRest -= slices;
      if (slices !== 0) actions.step(-slices);
      actions.hover(pixelOf(event));
    },
    { signal, passive: false },
  );
  return () => ending.abort();
}
