import type { BrickFeedback } from '../../../core/bricks/brick-feedback.ts';
import { BrickLayers } from '../../../core/bricks/brick-layers.ts';
import { BrickView, type ViewedFrame } from '../../../core/bricks/brick-view.ts';
import { type BrickLayer, hasFinerLevels } from '../../../core/bricks/layer-uniform.ts';
import { detailOf } from '../../../core/bricks/paged-uniform.ts';
import { Stall } from '../../../core/bricks/stall.ts';
import { type RayView, type Strip, wholeOf } from '../../../core/draw/ray-pass.ts';
import type { LayerBrickInputs, RayVolume } from '../../../core/draw/ray-stack.ts';
import type { Commands } from '../../../core/gpu/commands.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import type { Dims3 } from '../../../core/shared/volume.ts';
import type { LayerIn3d } from '../model/view-host.ts';
import type { BrickSpace } from './brick-space.ts';
import { ProbeTarget, stuckMs } from './probe-target.ts';
import { layerEdges } from './ray-volumes.ts';

/** The bricks that a layer is drawn from. */
export interface LayerBricks {
  readonly space: BrickSpace;
  /** The index along t in the layer. */
  readonly timePoint: number;
}

/** A volume of a frame that is drawn from bricks. */
export interface BrickedVolume extends LayerBricks {
  readonly volume: RayVolume;
  readonly layer: LayerIn3d;
}

/** What a frame shows, and how sharply. */
export interface LayerFrame {
  readonly view: RayView;
  /** See `DrawnBricks`. */
  readonly restWidth: number;
  /** The size of the open volume in voxels. */
  readonly dims: Dims3;
  readonly strip: Strip;
}

/** The requests of a layer. */
interface Demand {
  readonly space: BrickSpace;
  readonly timePoint: number;
  readonly view: BrickView;
}

/** Whether a layer can be drawn from these bricks: rays read them only from their texture. */
export function drawsFromBricks({ look, display }: LayerIn3d, space: BrickSpace): boolean {
  const { bricks, numbers, isClosed } = space;
  return !isClosed && hasFinerLevels(bricks.source, display.texture) && bricks.hasTexels(look.window, numbers);
}

/**
 * Draws layers from the bricks of their `BrickSpace`, and requests those that a frame lacks. No frame waits for bricks: a layer's own
 * texture, which has a lower resolution, is drawn where they are missing.
 */
export class BrickLayersDrawing {
  readonly #gpu: Gpu;
  readonly #name: string;
  readonly #probe: ProbeTarget;
  readonly #layers: BrickLayers;
  /** By the layer's id. */
  readonly #demands = new Map<string, Demand>();
  /** The layers of the frame that has begun. */
  #drawn: readonly { readonly id: string; readonly demand: Demand }[] = [];
  /** The inputs of the frame that has begun, of which strips are left. */
  #inputs: LayerBrickInputs | undefined;
  /** Whether the strip that is being recorded draws layers. */
  #isAsked = false;
  /** A key of the camera of the last frame. */
  #seen = '';
  #isDestroyed = false;

  /** @param name distinguishes the requests of several drawings */
  constructor(gpu: Gpu, name: string) {
    this.#gpu = gpu;
    this.#name = name;
    this.#layers = new BrickLayers(gpu);
    this.#probe = new ProbeTarget(gpu);
  }

  /** Whether the last frame drew layers from bricks. */
  get isUsed(): boolean {
    return this.#drawn.length > 0;
  }

  /**
   * The inputs of a strip; undefined if no layer is drawn from bricks.
   * @param volumes all volumes that rays cross; those that are not drawn from bricks are undefined
   */
  inputs(commands: Commands, volumes: readonly (BrickedVolume | undefined)[], frame: LayerFrame): LayerBrickInputs | undefined {
    const bricked = volumes.filter((volume) => volume !== undefined);
    if (bricked.length === 0) return undefined;
    this.#isAsked = true;
    // Layers may be shown or hidden between two strips. The rest of that frame, which is never shown, begins anew.
    const isSame =
      bricked.length === this.#drawn.length &&
      bricked.every(({ layer, space }, at) => {
        const drawn = this.#drawn[at];
        return drawn?.id === layer.look.id && drawn.demand.space === space;
      });
    if (frame.strip.from === 0 || !isSame) this.#inputs = undefined;
    if (this.#inputs) this.#layers.refresh(commands);
    else this.#inputs = this.#begin(commands, volumes, frame);
    return this.#inputs;
  }

  #begin(
    commands: Commands,
    volumes: readonly (BrickedVolume | undefined)[],
    { view, restWidth, dims }: LayerFrame,
  ): LayerBrickInputs {
    const seen = JSON.stringify([view, restWidth]);
    const hasMoved = seen !== this.#seen;
    this.#seen = seen;
    const drawn: { readonly id: string; readonly demand: Demand }[] = [];
    const layers = volumes.map((bricked): BrickLayer | undefined => {
      if (!bricked) return undefined;
      const { volume, layer, space, timePoint } = bricked;
      const demand = this.#demandOf(layer.look.id, space, timePoint);
      if (hasMoved) demand.view.moved();
      drawn.push({ id: layer.look.id, demand });
      const { window, isCategorical, toUnit } = volume;
      return {
        bricks: space.bricks,
        look: { timePoint, window, isCategorical, numbers: space.numbers },
        texture: layer.display.texture,
        toUnit,
        detail: {
          edges: layerEdges(layer, dims, view.edges as Dims3),
          detail: detailOf(view, { width: restWidth }) * demand.view.bias,
        },
      };
    });
    this.#drawn = drawn;
    this.#keepOnly(new Set(drawn.map(({ id }) => id)));
    return this.#layers.begin(commands, layers, view.edges as Dims3);
  }

  /**
   * Must be called after each strip, with or without layers. Records the readback of the feedback, if this was the last strip of a frame.
   * Without layers, withdraws all requests. @returns to be called with the submit of the commands
   */
  end(commands: Commands, { from, count, height }: Strip): (submitted: Promise<unknown>) => void {
    if (!this.#isAsked) this.#rest();
    this.#isAsked = false;
    if (!this.#inputs || from + count < height) return () => {};
    this.#inputs = undefined;
    const drawn = this.#drawn.map(({ id, demand }) => ({ id, demand, frame: demand.view.frame }));
    const feedback = this.#layers.end(commands);
    return (submitted) => {
      const read = submitted.then(feedback);
      for (const [at, { id, demand, frame }] of drawn.entries()) {
        void demand.space.reads(read, (all) => this.#take(id, demand, all[at] as BrickFeedback, frame));
      }
    };
  }

  /** Withdraws all requests. */
  #rest(): void {
    this.#drawn = [];
    this.#inputs = undefined;
    this.#keepOnly(new Set());
  }

  /**
   * Loads the bricks of a picture. Resolves once all readable ones are loaded.
   * @param record records a small picture, which finds out what is missing; returns as `end` does
   * @throws StriaError `aborted`
   */
  async load(
    { width, height }: Pick<Strip, 'width' | 'height'>,
    signal: AbortSignal | undefined,
    record: (commands: Commands, target: GPUTexture, strip: Strip) => (submitted: Promise<unknown>) => void,
  ): Promise<void> {
    const stall = new Stall(stuckMs);
    while (!this.#isDestroyed && !this.#gpu.isLost) {
      throwIfAborted(signal);
      const commands = this.#gpu.commands('bricks.probe');
      const target = this.#probe.sized(width, height);
      const took = record(commands, target, wholeOf(target));
      const submitted = commands.submit();
      took(submitted);
      await submitted.catch(() => {});
      const open = this.#drawn.map(({ demand }) => demand).filter(({ space }) => !space.isClosed);
      if (open.every(({ space, view }) => view.isComplete && space.bricks.isSettled)) return;
      // Choosing other levels is progress, too: on a slow GPU, several frames pass until the levels fit.
      const progress = open.reduce((sum, { space, view }) => sum + space.bricks.use.decoded + view.bias, 0);
      const isCompiling = open.some(({ space }) => space.bricks.atlas.isCompiling);
      if (stall.isOver(progress, isCompiling)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#rest();
    this.#layers.destroy();
    this.#probe.destroy();
  }

  #demandOf(id: string, space: BrickSpace, timePoint: number): Demand {
    const known = this.#demands.get(id);
    if (known?.space === space && known.timePoint === timePoint) return known;
    // Bricks that an earlier time point wanted stay until those of this one are requested.
    if (known && known.space !== space) this.#withdraw(id, known);
    const demand = { space, timePoint, view: new BrickView(space.bricks, this.#nameOf(id), true) };
    demand.view.moved();
    this.#demands.set(id, demand);
    return demand;
  }

  #take(id: string, { space, timePoint, view }: Demand, feedback: BrickFeedback, frame: ViewedFrame): void {
    // The requests of a destroyed drawing would never be withdrawn.
    if (this.#isDestroyed || this.#demands.get(id)?.view !== view) return;
    const { bias } = view;
    view.take(feedback, [timePoint], frame);
    space.unread = view.fault;
    const hasArrived = feedback.missed.some((key) => space.bricks.has(key));
    if (hasArrived || view.bias !== bias || view.mayRefine) space.changed();
    space.update();
  }

  #keepOnly(ids: ReadonlySet<string>): void {
    for (const [id, demand] of this.#demands) {
      if (ids.has(id)) continue;
      this.#withdraw(id, demand);
      this.#demands.delete(id);
    }
  }

  #withdraw(id: string, { space }: Demand): void {
    if (!space.isClosed) space.bricks.want([], this.#nameOf(id));
  }

  #nameOf(id: string): string {
    return `${this.#name} ${id}`;
  }
}
