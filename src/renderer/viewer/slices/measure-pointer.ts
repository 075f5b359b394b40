import {
  type Handle,
  handlesOf,
  isMeasurable,
  isMeasuring,
  type Measurement,
  measuresOblique,
  movedBy,
  nextIdentity,
  pointCounts,
  type SliceTool,
} from '../model/measure.ts';
import { stepBetween } from '../model/metric.ts';
import { type Point, positionAt, type Voxel } from '../model/slice-geometry.ts';
import type { ViewHost } from '../model/view-host.ts';
import type { SliceAxis } from '../model/viewer-api.ts';
import { type MeasureSlice, measureShapes, type ShownMeasures, shapeAt } from './measure-shapes.ts';

/** A press becomes a drag after moving more than this many CSS pixels. Releasing a drag also sets a point. */
const dragPixels = 4;

/** A measurement being made. Its last point follows the pointer. */
interface Draft {
  readonly measurement: Measurement;
  /** Where the button was last pressed. */
  readonly pressedAt: Point;
}

/** A measurement being changed. It is kept when the button is released. */
interface Change {
  readonly before: Measurement;
  readonly now: Measurement;
  /** The index of the dragged handle; undefined if the whole measurement is dragged. */
  readonly handle: number | undefined;
  readonly from: Voxel;
}

/** Creates and changes measurements on one slice view with the pointer. Points are set by dragging or by single clicks. */
export class MeasurePointer {
  readonly #axis: SliceAxis | 'oblique';
  readonly #host: Pick<ViewHost, 'board' | 'state'>;
  readonly #redraw: () => void;
  #draft: Draft | undefined;
  #change: Change | undefined;

  constructor(axis: SliceAxis | 'oblique', host: Pick<ViewHost, 'board' | 'state'>, redraw: () => void) {
    this.#axis = axis;
    this.#host = host;
    this.#redraw = redraw;
  }

  /** All measurements as they should be drawn now. */
  shown(): ShownMeasures {
    const { measurements, chosen, words } = this.#host.board;
    const change = this.#change?.now;
    const draft = this.#draft?.measurement;
    const all = measurements.map((measurement) => (measurement.id === change?.id ? change : measurement));
    return { measurements: draft ? [...all, draft] : all, chosen: draft?.id ?? chosen, words };
  }

  /** Handles a press of the button. @returns whether it was used; otherwise it moves the crosshair */
  press(pixel: Point, slice: MeasureSlice): boolean {
    const { board } = this.#host;
    const position = positionAt(slice.map, pixel);
    if (this.#draft) {
      this.#draft = { ...this.#draft, pressedAt: pixel };
      this.#set(position, slice);
      return true;
    }
    const hit = this.#hit(pixel, slice);
    const before = board.measurements.find(({ id }) => id === hit?.id);
    if (hit && before && (board.tool === 'pointer' || hit.handle !== undefined)) {
      this.#change = { before, now: before, handle: hit.handle, from: position };
      board.choose(before.id);
      return true;
    }
    if (!isMeasuring(board.tool) || !this.#measures(board.tool)) {
      if (board.chosen !== undefined) board.choose(undefined);
      return false;
    }
    const { timePoint, oblique } = this.#host.state;
    const identity = nextIdentity(board.tool, board.measurements);
    const place = this.#axis === 'oblique' ? ({ axis: 'z', oblique } as const) : { axis: this.#axis };
    const measurement = { ...identity, kind: board.tool, ...place, timePoint, points: [position, position] };
    this.#draft = { measurement, pressedAt: pixel };
    this.#redraw();
    return true;
  }

  /** Handles a move of the pointer, with the button up or down. */
  move(pixel: Point, slice: MeasureSlice): void {
    const position = positionAt(slice.map, pixel);
    if (this.#draft) this.#draft = { ...this.#draft, measurement: withLast(this.#draft.measurement, position) };
    else if (this.#change) {
      const { before, from } = this.#change;
      const step = stepBetween(from, position);
      // A click that only selects changes nothing.
      this.#change = { ...this.#change, now: step.every((part) => part === 0) ? before : changedBy(this.#change, step) };
    } else return;
    this.#redraw();
  }

  release(pixel: Point, slice: MeasureSlice): void {
    this.move(pixel, slice);
    if (this.#change) {
      const { before, now } = this.#change;
      this.#change = undefined;
      if (now !== before && isMeasurable(now, slice.metric)) this.#host.board.put(now);
      this.#redraw();
      return;
    }
    const from = this.#draft?.pressedAt;
    if (!from || Math.hypot(pixel[0] - from[0], pixel[1] - from[1]) <= dragPixels * slice.pixelRatio) return;
    this.#set(positionAt(slice.map, pixel), slice);
  }

  /** Cancels creating or changing. @returns whether there was anything to cancel */
  cancel(): boolean {
    const wasBusy = this.#draft !== undefined || this.#change !== undefined;
    this.#draft = this.#change = undefined;
    if (wasBusy) this.#redraw();
    return wasBusy;
  }

  /** Must be called when the tool or the measurements have changed. */
  boardChanged(): void {
    if (this.#draft && this.#draft.measurement.kind !== this.#host.board.tool) this.cancel();
  }

  cursorAt(pixel: Point, slice: MeasureSlice): string {
    const { tool } = this.#host.board;
    const hit = this.#draft ? undefined : this.#hit(pixel, slice);
    if (hit?.handle !== undefined) return 'grab';
    if (tool !== 'pointer') return this.#measures(tool) ? 'crosshair' : '';
    return hit ? 'move' : '';
  }

  #measures(tool: SliceTool): boolean {
    return this.#axis !== 'oblique' || measuresOblique(tool);
  }

  /** Sets the draft's last point, then finishes it or starts the next point. */
  #set(position: Voxel, slice: MeasureSlice): void {
    if (!this.#draft) return;
    const { board } = this.#host;
    const measurement = withLast(this.#draft.measurement, position);
    if (measurement.points.length < pointCounts[measurement.kind]) {
      this.#draft = { ...this.#draft, measurement: { ...measurement, points: [...measurement.points, position] } };
    } else {
      this.#draft = undefined;
      if (isMeasurable(measurement, slice.metric)) {
        board.put(measurement);
        board.choose(measurement.id);
      }
    }
    this.#redraw();
  }

  #hit(pixel: Point, slice: MeasureSlice) {
    return shapeAt(measureShapes(slice, this.shown(), this.#host.state), pixel, slice.pixelRatio);
  }
}

/** A dragged handle keeps its distance from the pointer, which need not have hit its middle. */
function changedBy({ before, handle }: Change, step: Voxel): Measurement {
  if (handle === undefined) return movedBy(before, step);
  const {
    position: [x, y, z],
    movedTo,
  } = handlesOf(before)[handle] as Handle;
  return movedTo([x + step[0], y + step[1], z + step[2]]);
}

function withLast(measurement: Measurement, position: Voxel): Measurement {
  return { ...measurement, points: measurement.points.with(-1, position) };
}
