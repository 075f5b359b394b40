import type { ChunkGrid } from '../format/chunk-grid.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import type { Dims3, ElementType } from '../shared/volume.ts';
import type { PlannedHalving } from './level-plan.ts';

/** Memory for the voxels of a run. */
export interface RunMemory {
  readonly bytes: Uint8Array<ArrayBuffer>;
  release(): void;
  /** Why writing to it failed; undefined: as the error says. */
  causeOf?(error: unknown): Promise<unknown>;
}

/** Some whole layers of chunks of a level, one after another, with all their voxels. They are encoded and written together. */
export interface LevelRun {
  readonly level: number;
  readonly firstChunk: number;
  readonly chunkCount: number;
  /** Must be released once the voxels are no longer needed. */
  readonly memory: RunMemory;
  /** In codec elements. */
  readonly dims: Dims3;
  /** Its chunks are written directly after as many chunks of the volume. */
  readonly due: number;
}

/** The most voxels in a run of the first level, unless one layer has more. docs/FORMAT.md, 'Levels', fixes these two numbers. */
const mostRunBytes = 2 ** 25;
const mostRunChunks = 4096;

/** Collects the planes of a level until a run of layers is complete. */
export class RunBuilder {
  readonly #halving: PlannedHalving;
  readonly #level: number;
  readonly #volumeGrid: ChunkGrid;
  readonly #takeMemory: (byteLength: number) => Promise<RunMemory>;
  readonly #onRun: (run: LevelRun) => void;
  readonly #elementBytes: number;
  readonly #mostLayers: number;
  #memory: RunMemory | undefined;
  #filled = 0;
  #firstLayer = 0;

  constructor(
    type: ElementType,
    volumeGrid: ChunkGrid,
    halving: PlannedHalving,
    level: number,
    takeMemory: (byteLength: number) => Promise<RunMemory>,
    onRun: (run: LevelRun) => void,
  ) {
    this.#halving = halving;
    this.#level = level;
    this.#volumeGrid = volumeGrid;
    this.#takeMemory = takeMemory;
    this.#onRun = onRun;
    this.#elementBytes = codecElementBytes(type);
    const { grid } = halving;
    const [x, y, z] = grid.layerBox(0).shape;
    const fitting = Math.floor(mostRunBytes / 4 ** (level - 1) / (x * y * z * this.#elementBytes));
    this.#mostLayers = Math.max(1, Math.min(fitting, Math.floor(mostRunChunks / grid.chunksPerLayer)));
  }

  async push(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength; ) {
      const dims = this.#dims();
      const wanted = dims[0] * dims[1] * dims[2] * this.#elementBytes;
      this.#memory ??= await this.#takeMemory(wanted);
      const memory = this.#memory;
      const length = Math.min(wanted - this.#filled, bytes.byteLength - at);
      try {
        memory.bytes.set(bytes.subarray(at, at + length), this.#filled);
      } catch (error) {
        throw (await memory.causeOf?.(error)) ?? error;
      }
      this.#filled += length;
      at += length;
      if (this.#filled === wanted) this.#end(memory, dims);
    }
  }

  close(): void {
    this.#memory?.release();
    this.#memory = undefined;
  }

  /** The layer after the current run. */
  get #endLayer(): number {
    return Math.min(this.#firstLayer + this.#mostLayers, this.#halving.grid.layerCount);
  }

  #dims(): Dims3 {
    const { grid } = this.#halving;
    const last = grid.layerBox(this.#endLayer - 1);
    return [last.shape[0], last.shape[1], last.plane + last.shape[2] - grid.layerBox(this.#firstLayer).plane];
  }

  #end(memory: RunMemory, dims: Dims3): void {
    const { grid, factors, chunkShape } = this.#halving;
    const [lastLayer, depth] = [this.#endLayer - 1, grid.counts[2]];
    const lastPlane = Math.min(this.#volumeGrid.dims[2], ((lastLayer % depth) + 1) * chunkShape[2] * factors[2]);
    const layersOfTime = Math.ceil(lastPlane / this.#volumeGrid.chunkShape[2]);
    const due = (Math.floor(lastLayer / depth) * this.#volumeGrid.counts[2] + layersOfTime) * this.#volumeGrid.chunksPerLayer;
    const firstChunk = this.#firstLayer * grid.chunksPerLayer;
    const chunkCount = (lastLayer + 1) * grid.chunksPerLayer - firstChunk;
    this.#onRun({ level: this.#level, firstChunk, chunkCount, memory, dims, due });
    this.#memory = undefined;
    this.#filled = 0;
    this.#firstLayer = lastLayer + 1;
  }
}
