import type { BrickKey } from '../../../core/bricks/brick.ts';
import { BrickSlices } from '../../../core/bricks/brick-slices.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import type { DetailFault } from '../model/detail-faults.ts';
import type { CanvasToVoxel } from '../model/slice-geometry.ts';
import type { BrickSpace } from './brick-space.ts';

/** An oblique slice, and its place on a canvas. */
export interface ObliqueSlice {
  readonly map: CanvasToVoxel;
  readonly width: number;
  readonly height: number;
  /** The indices along t of the slices that are drawn over each other: one, or one for each channel. */
  readonly timePoints: readonly number[];
}

/** The bricks with the finer voxels of an oblique slice. */
export interface ObliqueBricks {
  readonly slices: BrickSlices;
  /** Whether all bricks of the slice, with all its channels, are loaded. Missing ones are replaced by coarser ones, or by nothing. */
  readonly isWhole: boolean;
  /** Whether it is drawn of several channels. */
  readonly isOfChannels: boolean;
}

/** The fraction of the slots for decoded bricks that the slice may use; the rest is for the 3D view. */
const mostOfSlots = 0.75;
/** If no brick arrives for this many milliseconds, a picture is drawn from the bricks that are there. */
const stuckMs = 15_000;

/**
 * Draws an oblique slice at screen resolution from the bricks of a volume that the GPU holds only at a lower resolution. A slice never
 * waits for bricks: until they arrive, the voxels in GPU memory are drawn.
 */
export class ObliqueDetail {
  readonly #gpu: Gpu;
  readonly #format: GPUTextureFormat;
  readonly #onFault: (fault: DetailFault | undefined) => void;
  #space: BrickSpace | undefined;
  #slices: BrickSlices | undefined;
  #isDestroyed = false;

  /** @param onFault called with the reason if bricks of the slice cannot be read, and with undefined once all can */
  constructor(gpu: Gpu, format: GPUTextureFormat, onFault: (fault: DetailFault | undefined) => void) {
    this.#gpu = gpu;
    this.#format = format;
    this.#onFault = onFault;
  }

  /** The bricks that a slice has now. Requests missing ones. @param space the caller's; undefined if there are no bricks */
  drawing(space: BrickSpace | undefined, slice: ObliqueSlice): ObliqueBricks | undefined {
    return this.#drawing(space, slice, (open) => open.decode());
  }

  #drawing(
    space: BrickSpace | undefined,
    { map, width, height, timePoints }: ObliqueSlice,
    decode: (space: BrickSpace) => void,
  ): ObliqueBricks | undefined {
    // A picture may still be waiting when its view is closed.
    const open = space?.isClosed || this.#isDestroyed ? undefined : space;
    if (open !== this.#space) {
      this.#free();
      this.#space = open;
      this.#slices = open && new BrickSlices(this.#gpu, open.bricks, this.#format);
    }
    if (!open || !this.#slices) return undefined;
    const slice = { plane: { axis: undefined, ...map }, index: 0, width, height };
    const most = Math.floor(mostOfSlots * open.bricks.atlas.slotCount);
    const keys = this.#slices.want(slice, timePoints, 'oblique', most);
    decode(open);
    this.#report(open, keys);
    const isWhole = keys.every((key) => open.bricks.has(key));
    return { slices: this.#slices, isWhole, isOfChannels: timePoints.length > 1 };
  }

  /** Loads the bricks of a slice, for pictures. Resolves once all readable ones are loaded. @throws StriaError `aborted` */
  async load(space: BrickSpace | undefined, slice: ObliqueSlice, signal: AbortSignal | undefined): Promise<void> {
    const before = space?.bricks.use.decoded;
    try {
      await this.#load(space, slice, signal);
    } finally {
      if (space?.bricks.use.decoded !== before) space?.changed();
    }
  }

  async #load(space: BrickSpace | undefined, slice: ObliqueSlice, signal: AbortSignal | undefined): Promise<void> {
    let [decoded, since] = [-1, performance.now()];
    while (!this.#gpu.isLost) {
      throwIfAborted(signal);
      // While a picture waits, do not redraw the canvas, whose frames would request other bricks.
      const drawing = this.#drawing(space, slice, ({ bricks }) => bricks.update());
      if (!drawing || !space || drawing.isWhole || space.bricks.isSettled) return;
      const now = space.bricks.use.decoded;
      if (now !== decoded) [decoded, since] = [now, performance.now()];
      else if (performance.now() - since > stuckMs) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new StriaError('device-lost', 'the GPU was lost');
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#free();
  }

  #free(): void {
    if (this.#space && !this.#space.isClosed) this.#space.bricks.want([], 'oblique');
    this.#slices?.destroy();
    this.#slices = undefined;
    this.#space = undefined;
  }

  #report({ bricks }: BrickSpace, keys: readonly BrickKey[]): void {
    for (const key of keys) {
      const fault = bricks.faultOf(key);
      if (!fault) continue;
      this.#onFault({ message: fault.message, isTooMuch: fault.tag === 'unsupported' });
      return;
    }
    this.#onFault(undefined);
  }
}
