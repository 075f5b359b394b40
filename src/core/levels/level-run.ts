import type { ChunkGrid } from '../format/chunk-grid.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3, ElementType } from '../shared/volume.ts';
import type { PlannedHalving } from './level-plan.ts';

/** Memory for the voxels of a run. */
export interface RunMemory {
  readonly bytes: Uint8Array<ArrayBuffer>;
  release(): void;
  /** Why writing to it failed; undefined: as the error says. */
  causeOf?(error: unknown): Promise<unknown>;
}

/** Some whole layers of chunks of a level, one after another. They are encoded and written together. */
export interface PlannedRun {
  readonly level: number;
  readonly firstChunk: number;
  readonly chunkCount: number;
  /** The planes of the level before it. */
  readonly firstPlane: number;
  /** In codec elements. */
  readonly dims: Dims3;
  /** Its chunks are written directly after as many chunks of the volume. */
  readonly due: number;
}

/** A run with all its voxels. */
export interface LevelRun extends PlannedRun {
  /** Must be released once the voxels are no longer needed. */
  readonly memory: RunMemory;
}

/** The most voxels in a run of the first level, unless one layer has more. docs/FORMAT.md, 'Levels', fixes these two numbers. */
const mostRunBytes = 2 ** 25;
const mostRunChunks = 4096;

/** The runs of a level, in order. */
export function* plannedRuns(
  type: ElementType,
  volumeGrid: ChunkGrid,
  halving: PlannedHalving,
  level: number,
): Generator<PlannedRun> {
  const { grid, factors, chunkShape } = halving;
  const [x, y, z] = grid.layerBox(0).shape;
  const fitting = Math.floor(mostRunBytes / 4 ** (level - 1) / (x * y * z * codecElementBytes(type)));
  const mostLayers = Math.max(1, Math.min(fitting, Math.floor(mostRunChunks / grid.chunksPerLayer)));
  const depth = grid.counts[2];
  for (let first = 0; first < grid.layerCount; first += mostLayers) {
    const end = Math.min(first + mostLayers, grid.layerCount);
    const { shape, plane } = grid.layerBox(end - 1);
    const firstPlane = grid.layerBox(first).plane;
    const lastPlane = Math.min(volumeGrid.dims[2], (((end - 1) % depth) + 1) * chunkShape[2] * factors[2]);
    const layersOfTime = Math.ceil(lastPlane / volumeGrid.chunkShape[2]);
    yield {
      level,
      firstChunk: first * grid.chunksPerLayer,
      chunkCount: (end - first) * grid.chunksPerLayer,
      firstPlane,
      dims: [shape[0], shape[1], plane + shape[2] - firstPlane],
      due: (Math.floor((end - 1) / depth) * volumeGrid.counts[2] + layersOfTime) * volumeGrid.chunksPerLayer,
    };
  }
}

/** Collects the planes of a level until a run of layers is complete. */
export class RunBuilder {
  readonly #runs: Iterator<PlannedRun, void>;
  readonly #takeMemory: (byteLength: number) => Promise<RunMemory>;
  readonly #onRun: (run: LevelRun) => void;
  readonly #elementBytes: number;
  #run: PlannedRun | undefined;
  #memory: RunMemory | undefined;
  #filled = 0;

  constructor(
    type: ElementType,
    volumeGrid: ChunkGrid,
    halving: PlannedHalving,
    level: number,
    takeMemory: (byteLength: number) => Promise<RunMemory>,
    onRun: (run: LevelRun) => void,
  ) {
    this.#runs = plannedRuns(type, volumeGrid, halving, level);
    this.#run = this.#next();
    this.#takeMemory = takeMemory;
    this.#onRun = onRun;
    this.#elementBytes = codecElementBytes(type);
  }

  /** @throws StriaError `internal` behind the end of the level */
  async push(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength; ) {
      const run = this.#run;
      if (!run) throw new StriaError('internal', 'a level was given more planes than it has');
      const [x, y, z] = run.dims;
      const wanted = x * y * z * this.#elementBytes;
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
      if (this.#filled < wanted) continue;
      this.#onRun({ ...run, memory });
      this.#run = this.#next();
      this.#memory = undefined;
      this.#filled = 0;
    }
  }

  close(): void {
    this.#memory?.release();
    this.#memory = undefined;
  }

  #next(): PlannedRun | undefined {
    return this.#runs.next().value ?? undefined;
  }
}
