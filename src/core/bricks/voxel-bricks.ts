import { gatherChunk } from '../chunks/boxes.ts';
import { chunkShapeOf } from '../chunks/chunk-shape.ts';
import { rawCodec } from '../chunks/raw-codec.ts';
import { chunkBytes } from '../codec/batch.ts';
import { type CodecElementBytes, noParameters } from '../codec/codec.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { chunkGridOf, codecElementBytes, codecElementDims, elementsPerVoxel } from '../format/chunk-grid.ts';
import { levelVolume } from '../format/level.ts';
import { StriaError, toStriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import { type Dims3, elementBytes, type VolumeInfo } from '../shared/volume.ts';
import type { LevelBox, LeveledVoxels, VolumeLevel } from '../shared/volume-level.ts';
import type { Brick } from './brick.ts';
import type { BrickLevel, BrickPlace, BrickSource } from './brick-source.ts';
import { fewPlanes, type Together, VoxelGroups } from './voxel-groups.ts';

/** Bricks that lie beside each other in x within this many bytes of the file's rows are read together. */
const groupRowBytes = 2 ** 13;
/** The limit for a group of bricks that lie beside each other in the chunks of a file, which are decoded as a whole anyway. */
const groupBytes = 2 ** 24;
/** The limit for all groups that are being read together with others of their layer. */
const togetherBytes = 2 ** 27;
/** The limit for the decoded chunks that such groups share at a time. If a brick touches no more than that, the reader's cache suffices. */
const sharedBytes = 2 ** 26;
/** Larger chunks may not stay in the reader's cache until the next group has its voxels from them. */
const largestShared = 2 ** 27;
/** For groups that have been read. */
const cacheBytes = 2 ** 26;

interface VoxelLevel extends BrickLevel {
  /** Its number in `LeveledVoxels.levels`. */
  readonly number: number;
}

/** How voxels are read. */
export interface VoxelReading {
  /** Whether the file stores chunks, so that a box costs no more than the chunks that it touches. */
  readonly areChunked: boolean;
  /** How many boxes are read at a time. */
  readonly readsAtOnce?: number | undefined;
}

/**
 * The bricks of a volume whose file has no chunks that a GPU can decode. A brick is read as a box of voxels when it is asked for, and
 * stays as it is (`raw`), unless all its voxels are equal.
 */
export class VoxelBricks implements BrickSource {
  readonly info: VolumeInfo;
  readonly levels: readonly VoxelLevel[];
  readonly #elementBytes: CodecElementBytes;
  readonly #groups: VoxelGroups;
  readonly #rowBytes: number;
  readonly #chunkShape: Dims3 | undefined;

  constructor(info: VolumeInfo, voxels: LeveledVoxels, { areChunked, readsAtOnce = 4 }: VoxelReading) {
    this.info = info;
    this.levels = voxelLevels(info, voxels.levels);
    this.#elementBytes = codecElementBytes(info.type);
    this.#chunkShape = areChunked ? voxels.chunkShape : undefined;
    this.#groups = new VoxelGroups(voxels, cacheBytes, readsAtOnce, this.#together(togetherBytes / readsAtOnce));
    this.#rowBytes = areChunked ? 0 : groupRowBytes;
  }

  place({ level, number }: Brick): BrickPlace {
    return { payloadBytes: chunkBytes({ shape: this.#level(level).grid.box(number).shape, elementBytes: this.#elementBytes }) };
  }

  async read(bricks: readonly Brick[], { signal }: JobOptions = {}): Promise<readonly (EncodedChunk | StriaError)[]> {
    return Promise.all(
      bricks.map(async (brick) => {
        try {
          return this.#chunk(await this.#voxels(brick, signal));
        } catch (error) {
          const fault = toStriaError(error);
          if (fault.tag === 'aborted') throw fault;
          return fault;
        }
      }),
    );
  }

  /** The voxels of a brick, cut from those of its group. */
  async #voxels({ level, number }: Brick, signal: AbortSignal | undefined): Promise<Uint8Array<ArrayBuffer>> {
    const { grid, number: inFile } = this.#level(level);
    const width = grid.chunkShape[0];
    const perGroup = this.#columnsOfGroup(level);
    const column = number % grid.counts[0];
    const start = number - (column % perGroup);
    const end = Math.min(start + perGroup, number - column + grid.counts[0]) - 1;
    const [{ origin, shape, t }, last] = [grid.box(start), grid.box(end)];
    const dims: Dims3 = [last.origin[0] + last.shape[0] - origin[0], shape[1], shape[2]];
    // A voxel of 8 bytes is two elements.
    const elements = elementsPerVoxel(this.info.type);
    const box: LevelBox = {
      level: inFile,
      first: [origin[0] / elements, origin[1], origin[2]],
      size: [dims[0] / elements, dims[1], dims[2]],
      timePoint: t,
    };
    const elementBytes = this.#elementBytes;
    const bytes = await this.#groups.read(box, dims[0] * dims[1] * elementBytes, signal);
    const place = { origin: [(number - start) * width, 0, 0] as const, shape: grid.box(number).shape };
    return gatherChunk({ bytes, dims, elementBytes }, place);
  }

  /** How groups of a layer share chunks. Undefined if they need not, or cannot. @param bytes the limit for their voxels */
  #together(bytes: number): Together | undefined {
    if (!this.#chunkShape) return undefined;
    const [x, y, z] = this.#chunkShape;
    const chunkBytes = x * y * z * elementBytes(this.info.type);
    const perBrick = Math.ceil(this.#level(0).grid.chunkShape[2] / z);
    if (chunkBytes > largestShared || chunkBytes * perBrick <= sharedBytes) return undefined;
    return { bytes, planes: z * Math.max(1, Math.floor(Math.min(fewPlanes / z, sharedBytes / chunkBytes))) };
  }

  /** How many bricks beside each other in x are read together. */
  #columnsOfGroup(level: number): number {
    const { grid, factors, number } = this.#level(level);
    const [width, height, depth] = grid.chunkShape;
    const rowBytes = width * this.#elementBytes;
    if (!this.#chunkShape || number > 0) return Math.max(1, Math.floor(this.#rowBytes / (rowBytes * factors[0])));
    const ofChunk = Math.floor((this.#chunkShape[0] * elementsPerVoxel(this.info.type)) / width);
    return Math.max(1, Math.min(ofChunk, Math.floor(groupBytes / (rowBytes * height * depth))));
  }

  #chunk(payload: Uint8Array<ArrayBuffer>): EncodedChunk {
    // Bricks come from where they are drawn, so checksums would only be computed to be compared with themselves.
    const none = { sum: 0, cross: 0 };
    if (isConstant(payload, this.#elementBytes)) {
      return { kind: 'constant', element: payload.slice(0, this.#elementBytes), decodedChecksum: none };
    }
    const stages = [{ codecId: rawCodec.id, parameters: noParameters }];
    return { kind: 'coded', stages, payload, encodedChecksum: none, decodedChecksum: none };
  }

  #level(level: number): VoxelLevel {
    const found = this.levels[level];
    if (!found) throw new StriaError('internal', `there is no level ${level}`);
    return found;
  }
}

/** Whether a level can have bricks: it halves the volume a number of times along each axis. */
export function canHaveBricks(info: VolumeInfo, { dims, factors }: VolumeLevel): boolean {
  return factors.every((factor) => Number.isInteger(Math.log2(factor))) && levelVolume(info, factors).dims.join() === dims.join();
}

/** The levels that can have bricks. The first is the volume itself. */
function voxelLevels(info: VolumeInfo, levels: readonly VolumeLevel[]): readonly VoxelLevel[] {
  const [x, y, z] = chunkShapeOf(info, false);
  return levels.flatMap((level, number): VoxelLevel[] => {
    if (!canHaveBricks(info, level)) return [];
    const ofLevel = levelVolume(info, level.factors);
    const elements = codecElementDims(ofLevel);
    const shape: Dims3 = [Math.min(x, elements[0]), Math.min(y, elements[1]), Math.min(z, elements[2])];
    return [{ grid: chunkGridOf(ofLevel, shape), factors: level.factors, number }];
  });
}

function isConstant(bytes: Uint8Array, width: number): boolean {
  for (let at = width; at < bytes.length; at++) if (bytes[at] !== bytes[at - width]) return false;
  return true;
}
