import type { DecodePlan } from '../../codec/codec.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { chunksOnPlane, type PlanePart } from '../plane-chunks.ts';
import type { AxisIndex, SliceBox } from '../volume-source.ts';
import type { CompressedLayers, LayerSource } from './compressed-layers.ts';

type LayersByAxis = readonly [CompressedLayers, CompressedLayers, CompressedLayers];

/** A layer that the plane cuts, and the plan that decodes its chunks on the plane; undefined if the whole layer is decoded. */
interface CutLayer {
  readonly layer: number;
  readonly plan: DecodePlan | undefined;
}

/** How a plane is decoded. */
interface PlanePlan {
  readonly tables: GpuScope;
  readonly axis: AxisIndex;
  readonly cut: readonly CutLayer[];
}

/** More planes than one submit usually draws, for example if each view shows channels as labels. */
const mostPlans = 40;

/**
 * The part of a compressed volume that a plane of any orientation cuts. Only the chunks on the plane are decoded, layer by
 * layer, into the scratch memory of slices across an axis. The layers lie across the axis for which the plane cuts the fewest
 * layers.
 */
export class CompressedPlane {
  readonly #source: LayerSource;
  readonly #layers: LayersByAxis;
  readonly #scope: GpuScope;
  /**
   * Plans by time point and chunks, the most recent one last. Channels and views are drawn in one submit, so a plan's tables must
   * outlive the next plans.
   */
  readonly #plans = new Map<string, PlanePlan>();

  /** @param scope owns the tables that decoding reads besides payloads, for the kept plans */
  constructor(source: LayerSource, layers: LayersByAxis, scope: GpuScope) {
    this.#source = source;
    this.#layers = layers;
    this.#scope = scope;
  }

  /** See `VolumeSource.recordPlane`. */
  record(commands: Commands, plane: PlanePart, timePoint: number, draw: (boxes: readonly SliceBox[]) => void): void {
    const { axis, cut } = this.#planFor(plane, timePoint);
    const layers = this.#layers[axis];
    for (const { layer, plan } of cut)
      draw(plan ? layers.recordBy(plan, commands, layer, timePoint) : layers.record(commands, layer, timePoint));
  }

  #planFor(plane: PlanePart, timePoint: number): PlanePlan {
    const { grid, type } = this.#source;
    const numbers = chunksOnPlane(grid, type === 'f64' ? 2 : 1, plane);
    const key = `${timePoint}: ${numbers.join()}`;
    const known = this.#plans.get(key);
    if (known) {
      this.#plans.delete(key);
      this.#plans.set(key, known);
      return known;
    }
    // Frees the tables of the oldest plans, whose recorded work has been submitted.
    for (const [oldest, { tables }] of this.#plans) {
      if (this.#plans.size < mostPlans) break;
      this.#plans.delete(oldest);
      tables.destroy();
    }
    const tables = this.#scope.scope('plane');
    const layersAlong = ([0, 1, 2] as const).map((axis) => chunksByLayer(numbers, grid.counts, axis));
    const axis = ([2, 1, 0] as const).reduce((best, one) => (sizeOf(layersAlong, one) < sizeOf(layersAlong, best) ? one : best));
    const layers = this.#layers[axis];
    const inLayer = (grid.counts[0] * grid.counts[1] * grid.counts[2]) / grid.counts[axis];
    const cut = [...(layersAlong[axis] ?? [])].map(([layer, chunks]) => ({
      layer,
      plan: chunks.size < inLayer ? layers.planSome(layer, timePoint, chunks, tables) : undefined,
    }));
    const plan = { tables, axis, cut };
    this.#plans.set(key, plan);
    return plan;
  }
}

/** The chunks in each layer across an axis. */
function chunksByLayer(
  numbers: readonly number[],
  [countX, countY]: LayerSource['grid']['counts'],
  axis: AxisIndex,
): ReadonlyMap<number, ReadonlySet<number>> {
  const found = new Map<number, Set<number>>();
  for (const number of numbers) {
    const place = [number % countX, Math.floor(number / countX) % countY, Math.floor(number / (countX * countY))] as const;
    const chunks = found.get(place[axis]) ?? new Set();
    found.set(place[axis], chunks.add(number));
  }
  return found;
}

function sizeOf(layers: readonly ReadonlyMap<number, unknown>[], axis: AxisIndex): number {
  return layers[axis]?.size ?? 0;
}
