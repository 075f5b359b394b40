import type { BrickKey } from '../../../core/bricks/brick.ts';
import { BrickSlices } from '../../../core/bricks/brick-slices.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import type { DetailFault } from '../model/detail-faults.ts';
import type { CanvasToVoxel } from '../model/slice-geometry.ts';
import type { BrickSpace } from './brick-space.ts';

/** An oblique slice on a canvas of some pixels. */
export interface ObliqueSlice {
  readonly map: CanvasToVoxel;
  readonly width: number;
  readonly height: number;
  readonly timePoint: number;
}

/** The finer voxels of an oblique slice: bricks. */
export interface ObliqueBricks {
  readonly slices: BrickSlices;
  /** Whether all bricks of the slice are there. Otherwise coarser ones are drawn in their place, or nothing. */
  readonly isWhole: boolean;
}

/** The part of the decoded bricks that the slice may take; the rest is for the 3D view. */
const mostOfSlots = 0.75;
/** If nothing arrives for so long, a picture is drawn with what is there. */
const stuckMs = 15_000;

/**
 * An oblique slice at the resolution of the screen, from the bricks of a volume of which the GPU holds only a lower one. A slice never waits
 * for them: until they have arrived, the volume's own voxels are drawn.
 */
export class ObliqueDetail {
  readonly #gpu: Gpu;
  readonly #format: GPUTextureFormat;
  readonly #onFault: (fault: DetailFault | undefined) => void;
  #space: BrickSpace | undefined;
  #slices: BrickSlices | undefined;
  #isDestroyed = false;

  /** @param onFault bricks of the slice cannot be read, and why; undefined: all can */
  constructor(gpu: Gpu, format: GPUTextureFormat, onFault: (fault: DetailFault | undefined) => void) {
    this.#gpu = gpu;
    this.#format = format;
    this.#onFault = onFault;
  }

  /** What there is for a slice now. Requests what is missing. @param space belongs to the caller; undefined if there are no bricks */
  drawing(space: BrickSpace | undefined, slice: ObliqueSlice): ObliqueBricks | undefined {
    return this.#drawing(space, slice, (open) => open.decode());
  }

  #drawing(
    space: BrickSpace | undefined,
    { map, width, height, timePoint }: ObliqueSlice,
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
    const keys = this.#slices.want(slice, timePoint, 'oblique', most);
    decode(open);
    this.#report(open, keys);
    return { slices: this.#slices, isWhole: keys.every((key) => open.bricks.has(key)) };
  }

  /** Loads the bricks of a slice, for pictures. Resolves once all are there that can be read. @throws StriaError `aborted` */
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
      // While a picture waits, the canvas is left alone: its frames would ask for other bricks.
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
      this.#onFault({ message: fault.message, isTooMuch: false });
      return;
    }
    this.#onFault(undefined);
  }
}
