import type { DecodePlan } from '../codec/codec.ts';
import type { Commands } from '../gpu/commands.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { CompressedLayers, LayerSource } from './compressed-layers.ts';
import { chunksOnPlane, type PlanePart } from './plane-chunks.ts';
import type { AxisIndex, SliceBox } from './volume-source.ts';

type LayersByAxis = readonly [CompressedLayers, CompressedLayers, CompressedLayers];

/** A layer that the plane cuts, and the plan that decodes its chunks on the plane; undefined if all of it is decoded. */
interface CutLayer {
  readonly layer: number;
  readonly plan: DecodePlan | undefined;
}

/**
 * The part of a compressed volume that a plane of any orientation cuts. Only the chunks on the plane are decoded, layer by
 * layer, into the scratch memory of straight slices. The layers are those across the axis along which the plane cuts the
 * fewest.
 */
export class CompressedPlane {
  readonly #source: LayerSource;
  readonly #layers: LayersByAxis;
  readonly #scope: GpuScope;
  #tables: GpuScope | undefined;
  #axis: AxisIndex = 2;
  #cut: readonly CutLayer[] = [];
  #key = '';

  /** @param scope owns what decoding reads besides payloads, for one plane at a time */
  constructor(source: LayerSource, layers: LayersByAxis, scope: GpuScope) {
    this.#source = source;
    this.#layers = layers;
    this.#scope = scope;
  }

  /** See `VolumeSource.recordPlane`. */
  record(commands: Commands, plane: PlanePart, timePoint: number, draw: (boxes: readonly SliceBox[]) => void): void {
    this.#planFor(plane, timePoint);
    const layers = this.#layers[this.#axis];
    for (const { layer, plan } of this.#cut)
      draw(plan ? layers.recordBy(plan, commands, layer, timePoint) : layers.record(commands, layer, timePoint));
  }

  #planFor(plane: PlanePart, timePoint: number): void {
    const { grid, type } = this.#source;
    const numbers = chunksOnPlane(grid, type === 'f64' ? 2 : 1, plane);
    const key = `${timePoint}: ${numbers.join()}`;
    if (key === this.#key) return;
    this.#key = key;
    // Everything recorded by earlier plans has been submitted.
    this.#tables?.destroy();
    const tables = this.#scope.scope('plane');
    this.#tables = tables;
    const layersAlong = ([0, 1, 2] as const).map((axis) => chunksByLayer(numbers, grid.counts, axis));
    this.#axis = ([2, 1, 0] as const).reduce((best, axis) =>
      sizeOf(layersAlong, axis) < sizeOf(layersAlong, best) ? axis : best,
    );
    const layers = this.#layers[this.#axis];
    const inLayer = (grid.counts[0] * grid.counts[1] * grid.counts[2]) / grid.counts[this.#axis];
    this.#cut = [...(layersAlong[this.#axis] ?? [])].map(([layer, chunks]) => ({
      layer,
      plan: chunks.size < inLayer ? layers.planSome(layer, timePoint, chunks, tables) : undefined,
    }));
  }
}

/** For each layer across an axis, the chunks that lie in it. */
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
