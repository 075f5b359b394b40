import type { NumberedBox } from '../../chunks/backend.ts';
import type { ChunkShare } from '../../chunks/chunk-tally.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { ChunkGrid, type ChunkShape, codecElementDims } from '../../format/chunk-grid.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { DecodePlanner, type StoredChunk } from '../../gpu-chunks/decode-planner.ts';
import { guarded } from '../../gpu-chunks/guarded.ts';
import { StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { type Dims3, type Dims4, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { wholeFactors } from '../../shared/volume-level.ts';
import type { DisplayTexture } from '../display-texture.ts';
import { computeStatistics } from '../gpu-statistics.ts';
import type { PlanePart } from '../plane-chunks.ts';
import type { PlaneReader } from '../plane-reader.ts';
import type { VolumeStatistics } from '../statistics.ts';
import {
  type AxisIndex,
  assertReadable,
  assertVoxel,
  numbersOf,
  type RegionBox,
  type SliceBox,
  type VolumeSource,
  type VoxelPiece,
} from '../volume-source.ts';
import { sharesOf, transcodeSlow, uploadChunks } from './compressed-chunks.ts';
import { CompressedDisplay } from './compressed-display.ts';
import { CompressedLayers, type LayerBox, type LayerSource, type PlacedLayerBox } from './compressed-layers.ts';
import { decodeEach, verifyChunks } from './compressed-pass.ts';
import { CompressedPlane } from './compressed-plane.ts';
import { compressedPlanes } from './compressed-planes.ts';
import { decodeVoxel, readVoxel, stackedPosition } from './compressed-probe.ts';
import { chunkRows, decodeChunkRow, pieceOfTimePoint } from './compressed-region.ts';

/** The chunks of a volume, and their shape. */
export interface CutChunks {
  /** In codec elements. */
  readonly chunkShape: ChunkShape;
  /** In the order of their numbers. */
  readonly chunks: readonly EncodedChunk[];
}

export interface CompressedSource extends CutChunks {
  readonly info: VolumeInfo;
}

export interface CompressedOptions extends JobOptions {
  /** Whether all chunks are decoded once to compare checksums. False only if that was just done. Transcoded volumes do it anyway. */
  readonly verify: boolean;
  /** Statistics of the same voxels, if known. */
  readonly statistics?: VolumeStatistics | undefined;
}

/** Time points of up to this many bytes are decoded completely, once for all views. */
const smallTimePointBytes = 2 ** 24;
/**
 * In a series of at least this length one time point may be decoded completely: the scratch memory is then at most an eighth of
 * the voxels.
 */
const longSeries = 8;

/**
 * A volume, a stack or a time series whose chunks stay compressed in GPU memory. Drawing decodes the layer of chunks that a slice cuts,
 * or a time point, into scratch memory. Free it with `destroy`.
 */
export class CompressedVolume implements VolumeSource {
  readonly info: VolumeInfo;
  readonly dims: Dims4;
  readonly factors = wholeFactors;
  readonly decimation = 1;
  readonly isCompressed = true;
  /** In codec elements. */
  readonly chunkShape: ChunkShape;
  /** Compressed bytes in GPU memory. */
  readonly payloadBytes: number;
  /** How its chunks are kept in GPU memory, most used first. */
  readonly shares: readonly ChunkShare[];
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #decoded: GpuScope;
  readonly #source: LayerSource;
  readonly #layers: readonly [CompressedLayers, CompressedLayers, CompressedLayers];
  readonly #timePoints: CompressedLayers | undefined;
  readonly #plane: CompressedPlane;
  readonly #display: CompressedDisplay;
  #isDestroyed = false;
  #statistics: Promise<VolumeStatistics> | undefined;
  #known: VolumeStatistics | undefined;

  /** @param transcoded chunks that `scope` already holds, by number */
  private constructor(
    gpu: Gpu,
    scope: GpuScope,
    { info, chunkShape, chunks }: CompressedSource,
    grid: ChunkGrid,
    transcoded: ReadonlyMap<number, StoredChunk>,
  ) {
    this.info = info;
    this.dims = info.dims;
    this.chunkShape = chunkShape;
    this.#gpu = gpu;
    this.#scope = scope;
    const { stored, payloadBytes } = uploadChunks(gpu, this.#scope, info.type, grid, chunks, transcoded);
    this.payloadBytes = payloadBytes;
    this.shares = sharesOf(stored);
    this.#source = { gpu, planner: new DecodePlanner(gpu), grid, type: info.type, stored };
    this.#decoded = gpu.scope('decoded');
    const layers = (axis: AxisIndex | undefined) => new CompressedLayers(this.#source, axis, this.#scope, this.#decoded);
    this.#layers = [layers(0), layers(1), layers(2)];
    this.#plane = new CompressedPlane(this.#source, this.#layers, this.#scope);
    this.#timePoints = info.dims[3] >= longSeries || grid.timePointsPerChunk > 1 ? layers(undefined) : undefined;
    this.#display = this.newDisplay('display');
  }

  /**
   * Uploads the chunks' payloads; voxels are never uploaded. Chunks of codecs that decode too slowly to be drawn from are
   * transcoded, so `payloadBytes` may differ from the source's.
   * @throws StriaError `corrupt` or `unsupported` in the context of `chunk N`, `out-of-memory`, `limit-too-small`, `aborted`,
   *   `device-lost`
   */
  static async create(gpu: Gpu, source: CompressedSource, options: CompressedOptions): Promise<CompressedVolume> {
    throwIfAborted(options.signal);
    const scope = gpu.scope('compressed');
    let volume: CompressedVolume | undefined;
    try {
      return await guarded(gpu, async () => {
        const { info, chunkShape, chunks } = source;
        const grid = new ChunkGrid(codecElementDims(info), chunkShape);
        const transcoded = await transcodeSlow(gpu, scope, info.type, grid, chunks, options);
        volume = new CompressedVolume(gpu, scope, source, grid, transcoded);
        for (const layers of volume.#timePoints?.holdsSeveral ? [volume.#timePoints] : volume.#layers) layers.assertFits();
        // Freshly transcoded chunks are decoded and checked once before they are shown.
        if (options.verify || transcoded.size > 0)
          await verifyChunks(volume.#source, volume.#timePoints !== undefined, chunks, options);
        if (options.statistics) {
          volume.#known = options.statistics;
          volume.#statistics = Promise.resolve(options.statistics);
        }
        return volume;
      });
    } catch (error) {
      volume?.destroy();
      scope.destroy();
      throw error;
    }
  }

  /** Byte length of the voxels, which are not in GPU memory. */
  get voxelBytes(): number {
    return volumeBytes(this.info);
  }

  get numbers(): VolumeSource['numbers'] {
    return numbersOf(this.#known);
  }

  /** Computed by decoding all layers, one after another. */
  statistics(): Promise<VolumeStatistics> {
    const voxels = this.dims.reduce((product, length) => product * length);
    this.#statistics ??= computeStatistics(this.#gpu, this.info, voxels, (visit) =>
      this.forEachBox((box) => visit(box.voxels)),
    ).then((statistics) => {
      this.#known = statistics;
      return statistics;
    });
    return this.#statistics;
  }

  /** Decodes all chunks, one layer or time point at a time, into temporary memory. */
  forEachBox(visit: (box: NumberedBox) => Promise<void>): Promise<void> {
    return decodeEach(this.#source, this.#timePoints !== undefined, visit);
  }

  planeReader(): PlaneReader {
    return compressedPlanes(this.#source);
  }

  async voxel(x: number, y: number, z: number, t: number): Promise<number> {
    assertVoxel(this.info, [x, y, z, t]);
    const { type } = this.info;
    const position: Dims3 = [type === 'f64' ? 2 * x : x, y, z];
    const held = this.#holding(position, t);
    if (!held) return decodeVoxel(this.#source, position, t);
    return readVoxel(this.#gpu, type, held, stackedPosition(this.#source.grid, position, t));
  }

  async readBox(wanted: RegionBox, visit: (piece: VoxelPiece) => void): Promise<void> {
    assertReadable(this, wanted);
    for (const chunks of chunkRows(this.#source.grid, this.info.type, wanted)) {
      if (this.#isDestroyed) throw new StriaError('aborted', 'the volume was closed');
      visit(pieceOfTimePoint(this.#source.grid, await decodeChunkRow(this.#source, chunks), wanted.timePoint));
    }
  }

  recordSlice(commands: Commands, axis: AxisIndex, index: number, timePoint: number): readonly PlacedLayerBox[] {
    const wholes = this.#timePoints;
    if (wholes && (this.#hasSmallTimePoints || wholes.holding([0, 0, 0], timePoint)))
      return wholes.record(commands, 0, timePoint);
    const layers = this.#layers[axis];
    return layers.record(commands, layers.layerAt(this.#elementAt(axis, index)), timePoint);
  }

  get isSplit(): boolean {
    return !this.holdsTimePoints;
  }

  get holdsTimePoints(): boolean {
    return this.#timePoints !== undefined && this.#hasSmallTimePoints;
  }

  recordPlane(commands: Commands, plane: PlanePart, timePoint: number, draw: (boxes: readonly SliceBox[]) => void): void {
    const wholes = this.#timePoints;
    if (wholes && (this.#hasSmallTimePoints || wholes.holding([0, 0, 0], timePoint))) draw(wholes.record(commands, 0, timePoint));
    else this.#plane.record(commands, plane, timePoint, draw);
  }

  displayTexture(timePoint: number): Promise<DisplayTexture> {
    return this.#display.show(timePoint);
  }

  newDisplay(label: string): CompressedDisplay {
    return new CompressedDisplay(this.#source, this, this.#timePoints ?? this.#layers[2], label);
  }

  releaseDisplay(): void {
    this.#display.release();
  }

  recordDisplay(commands: Commands, timePoint: number): void {
    this.#display.record(commands, timePoint);
  }

  prepareFrames(axis: AxisIndex | 3, [x, y, z, t]: Dims4): void {
    const element: Dims3 = [this.#elementAt(0, x)[0], y, z];
    const { counts, timePointsPerChunk } = this.#source.grid;
    // Prepares one time point per chunk along t, because a chunk may hold several.
    const timePoints = axis === 3 ? Array.from({ length: counts[3] }, (_, block) => block * timePointsPerChunk) : [t];
    if (this.#display.texture) {
      const inChunk = axis === 3 ? Math.min(timePointsPerChunk, this.dims[3]) : 1;
      for (let at = 0; at < inChunk; at++) this.#display.prepare(axis === 3 ? at : t);
      for (const at of axis === 3 ? timePoints : []) prepareAll(this.#display.layers, at);
    }
    for (const at of timePoints) {
      if (this.#timePoints && this.#hasSmallTimePoints) this.#timePoints.prepare(0, at);
      else {
        for (const [across, layers] of this.#layers.entries()) {
          if (across === axis) prepareAll(layers, at);
          else if (layers.isUsed) layers.prepare(layers.layerAt(element), at);
        }
      }
    }
  }

  /** Frees all GPU memory. */
  destroy(): void {
    this.#isDestroyed = true;
    this.releaseDisplay();
    this.#decoded.destroy();
    this.#scope.destroy();
  }

  get #hasSmallTimePoints(): boolean {
    return this.#source.grid.timePointsPerChunk > 1 || this.voxelBytes / this.dims[3] <= smallTimePointBytes;
  }

  #elementAt(axis: AxisIndex, index: number): Dims3 {
    if (axis === 0) return [this.info.type === 'f64' ? 2 * index : index, 0, 0];
    return axis === 1 ? [0, index, 0] : [0, 0, index];
  }

  #holding(position: Dims3, timePoint: number): LayerBox | undefined {
    const stacked = stackedPosition(this.#source.grid, position, timePoint);
    for (const layers of this.#timePoints ? [this.#timePoints, ...this.#layers] : this.#layers) {
      const box = layers.holding(stacked, timePoint);
      if (box) return box;
    }
    return undefined;
  }
}

function prepareAll(layers: CompressedLayers, timePoint: number): void {
  for (let layer = 0; layer < layers.count; layer++) layers.prepare(layer, timePoint);
}
