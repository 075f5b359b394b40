import type { ChunkGrid } from '../format/chunk-grid.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import type { LevelHeader } from '../format/level.ts';
import type { HalvingMethod } from '../shared/halving.ts';
import { nextTurn } from '../shared/turn.ts';
import { type Dims3, type ElementType, elementBytes, typedVoxels, type VolumeInfo } from '../shared/volume.ts';
import { halve } from './halve.ts';
import { LabelEvidence } from './label-evidence.ts';
import type { PlannedHalving } from './level-plan.ts';

/** One layer of chunks of a level, with all its voxels. */
export interface LevelLayer {
  readonly level: number;
  readonly firstChunk: number;
  readonly chunkCount: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In codec elements. */
  readonly dims: Dims3;
  /** Its chunks are written directly after as many chunks of the volume. */
  readonly due: number;
}

/** Halved together, so that other work gets its turn. */
const bytesPerTurn = 2 ** 23;

/**
 * Makes all levels of a volume from its planes, in their order. It holds one layer of chunks of each level, and one plane of each
 * halving.
 */
export class LevelStack {
  readonly #evidence: LabelEvidence;
  readonly #volume: VolumeInfo;
  readonly #halvings: readonly PlannedHalving[];
  /** The first halving of the volume, and those of its results. */
  readonly #halvers: readonly PlaneHalver[];
  #hasBegun = false;
  #layers: LevelLayer[] = [];

  /** @param grid of the volume @param method undefined: what the voxels suggest */
  constructor(volume: VolumeInfo, grid: ChunkGrid, halvings: readonly PlannedHalving[], method?: HalvingMethod) {
    this.#evidence = new LabelEvidence(volume, method);
    this.#volume = volume;
    this.#halvings = halvings;
    const halvers: PlaneHalver[] = [];
    for (const [index, halving] of [...halvings.entries()].reverse()) {
      const layers =
        halving.level === undefined ? undefined : new LayerBuilder(volume.type, grid, halving, halving.level, this.#take);
      const [x, y, z] = volume.dims;
      const dims = halvings[index - 1]?.dims ?? ([x, y, z] as const);
      halvers.unshift(new PlaneHalver(volume.type, dims, halving.steps, this.#evidence, index === 0, layers, halvers[0]));
    }
    this.#halvers = halvers;
  }

  readonly #take = (layer: LevelLayer): void => {
    this.#layers.push(layer);
  };

  /** How the levels were made, once all voxels were seen. */
  get headers(): LevelHeader[] {
    const { method } = this.#evidence;
    return this.#halvings.flatMap(({ level, factors, chunkShape }) =>
      level === undefined ? [] : [{ number: level, method, factors, chunkShape }],
    );
  }

  /** How the voxels that follow are halved, if that is known, so that somebody else may do it for `pushHalved`. */
  get method(): HalvingMethod | undefined {
    return this.#evidence.isDecided ? this.#evidence.method : undefined;
  }

  /** @param bytes the next ones of the volume, any number of them; they are not kept */
  async push(bytes: Uint8Array): Promise<void> {
    this.#hasBegun = true;
    for (let at = 0; at < bytes.byteLength; at += bytesPerTurn) {
      if (at > 0) await nextTurn();
      this.#halvers[0]?.push(bytes.subarray(at, at + bytesPerTurn));
    }
  }

  /**
   * Like `push`, while `method` is not known. But if the volume begins with these bytes, and they show that all of them are halved in
   * one way, it leaves them to the caller. @param bytes whole planes @returns whether they were taken
   */
  async pushFirst(bytes: Uint8Array): Promise<boolean> {
    const [first] = this.#halvings;
    if (!this.#hasBegun && first) {
      const { type, dims } = this.#volume;
      const planeBytes = dims[0] * dims[1] * elementBytes(type);
      // Planes are halved in groups, in the way that is known with the group's last plane; see `PlaneHalver`.
      const planes = Math.floor(bytes.byteLength / planeBytes);
      const group = Math.min(first.steps[2], dims[2], planes);
      const found = new LabelEvidence(this.#volume);
      const look = (from: number, to: number) =>
        found.add(typedVoxels(type, bytes.subarray(from * planeBytes, to * planeBytes)), [dims[0], dims[1], to - from]);
      look(0, group);
      const isSoon = found.isDecided;
      if (!isSoon) look(group, planes);
      if (found.isDecided && (isSoon || found.method === 'mode')) {
        this.#evidence.adopt(found);
        return false;
      }
    }
    await this.push(bytes);
    return true;
  }

  /** Like `push`, with the results of the first halvings of the same voxels. */
  async pushHalved(results: readonly Uint8Array[]): Promise<void> {
    this.#hasBegun = true;
    for (const [index, bytes] of results.entries()) {
      const halver = this.#halvers[index];
      for (let at = 0; at < bytes.byteLength; at += bytesPerTurn) {
        if (at > 0) await nextTurn();
        const part = bytes.subarray(at, at + bytesPerTurn);
        halver?.keep(part);
        if (index + 1 === results.length) halver?.passOn(part);
      }
    }
  }

  /** The layers that are complete, in the order in which they are written, up to `due`. */
  takeLayers(due: number): LevelLayer[] {
    const ready = this.#layers.filter((layer) => layer.due <= due).sort((a, b) => a.due - b.due || a.level - b.level);
    this.#layers = this.#layers.filter((layer) => layer.due > due);
    return ready;
  }
}

/** Halves one level's planes, collects the result in layers of chunks, and passes it to the next halving. */
class PlaneHalver {
  readonly #type: ElementType;
  readonly #dims: Dims3;
  readonly #steps: Dims3;
  readonly #evidence: LabelEvidence;
  readonly #isFirst: boolean;
  readonly #layers: LayerBuilder | undefined;
  readonly #next: PlaneHalver | undefined;
  readonly #planeBytes: number;
  /** Planes that are combined, of which some have come. */
  readonly #group: Uint8Array<ArrayBuffer>;
  #filled = 0;
  /** The plane at which `#group` begins. */
  #z = 0;

  constructor(
    type: ElementType,
    dims: Dims3,
    steps: Dims3,
    evidence: LabelEvidence,
    isFirst: boolean,
    layers: LayerBuilder | undefined,
    next: PlaneHalver | undefined,
  ) {
    this.#type = type;
    this.#dims = dims;
    this.#steps = steps;
    this.#evidence = evidence;
    this.#isFirst = isFirst;
    this.#layers = layers;
    this.#next = next;
    this.#planeBytes = dims[0] * dims[1] * elementBytes(type);
    this.#group = new Uint8Array(this.#planeBytes * Math.min(steps[2], dims[2]));
  }

  push(bytes: Uint8Array): void {
    const stepBytes = this.#planeBytes * this.#steps[2];
    for (let at = 0; at < bytes.byteLength; ) {
      const wanted = Math.min(this.#steps[2], this.#dims[2] - this.#z) * this.#planeBytes;
      const left = bytes.byteLength - at;
      if (this.#filled === 0 && left >= wanted) {
        // Whole groups of planes up to the end of the time point, without a copy.
        const planes =
          Math.min(this.#dims[2] - this.#z, Math.floor(left / stepBytes) * this.#steps[2]) || wanted / this.#planeBytes;
        this.#halve(bytes.subarray(at, at + planes * this.#planeBytes), planes);
        at += planes * this.#planeBytes;
        continue;
      }
      const length = Math.min(wanted - this.#filled, left);
      this.#group.set(bytes.subarray(at, at + length), this.#filled);
      this.#filled += length;
      at += length;
      if (this.#filled < wanted) continue;
      this.#filled = 0;
      this.#halve(this.#group.subarray(0, wanted), wanted / this.#planeBytes);
    }
  }

  /** @param halved the next ones of its result */
  keep(halved: Uint8Array): void {
    this.#layers?.push(halved);
  }

  /** To the next halving. */
  passOn(halved: Uint8Array): void {
    this.#next?.push(halved);
  }

  #halve(bytes: Uint8Array, planes: number): void {
    const [x, y] = this.#dims;
    this.#z = (this.#z + planes) % this.#dims[2];
    // One group of planes after another: each is judged before it is halved.
    const together = this.#evidence.isDecided ? planes : this.#steps[2];
    for (let z = 0; z < planes; ) {
      const depth = Math.min(this.#evidence.isDecided ? planes - z : together, planes - z);
      const voxels = typedVoxels(this.#type, bytes.subarray(z * this.#planeBytes, (z + depth) * this.#planeBytes));
      if (this.#isFirst) this.#evidence.add(voxels, [x, y, depth]);
      const halved = halve(voxels, this.#type, [x, y, depth], this.#steps, 1, this.#evidence.method);
      const result = new Uint8Array(halved.buffer, halved.byteOffset, halved.byteLength);
      this.keep(result);
      this.passOn(result);
      z += depth;
    }
  }
}

/** Collects the planes of a level until a layer of its chunks is complete. */
class LayerBuilder {
  readonly #halving: PlannedHalving;
  readonly #level: number;
  readonly #volumeGrid: ChunkGrid;
  readonly #onLayer: (layer: LevelLayer) => void;
  readonly #elementBytes: number;
  #bytes = new Uint8Array(0);
  #filled = 0;
  #layer = 0;

  constructor(
    type: ElementType,
    volumeGrid: ChunkGrid,
    halving: PlannedHalving,
    level: number,
    onLayer: (layer: LevelLayer) => void,
  ) {
    this.#halving = halving;
    this.#level = level;
    this.#volumeGrid = volumeGrid;
    this.#onLayer = onLayer;
    this.#elementBytes = codecElementBytes(type);
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength; ) {
      const { shape } = this.#halving.grid.layerBox(this.#layer);
      const wanted = shape[0] * shape[1] * shape[2] * this.#elementBytes;
      // Not reused: the layer may still be encoded when the next one begins.
      if (this.#filled === 0) this.#bytes = new Uint8Array(wanted);
      const length = Math.min(wanted - this.#filled, bytes.byteLength - at);
      this.#bytes.set(bytes.subarray(at, at + length), this.#filled);
      this.#filled += length;
      at += length;
      if (this.#filled === wanted) this.#end(shape);
    }
  }

  #end(dims: Dims3): void {
    const { grid, factors, chunkShape } = this.#halving;
    const [layer, depth] = [this.#layer, grid.counts[2]];
    const { first: firstChunk, count: chunkCount } = grid.chunksOfLayer(layer);
    const lastPlane = Math.min(this.#volumeGrid.dims[2], ((layer % depth) + 1) * chunkShape[2] * factors[2]);
    const layersOfTime = Math.ceil(lastPlane / this.#volumeGrid.chunkShape[2]);
    const due = (Math.floor(layer / depth) * this.#volumeGrid.counts[2] + layersOfTime) * this.#volumeGrid.chunksPerLayer;
    this.#onLayer({ level: this.#level, firstChunk, chunkCount, bytes: this.#bytes, dims, due });
    this.#bytes = new Uint8Array(0);
    this.#filled = 0;
    this.#layer++;
  }
}
