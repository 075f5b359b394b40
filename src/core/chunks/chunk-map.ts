import type { EncodedChunk } from '../format/chunk.ts';
import { ChunkGrid, type ChunkShape, codecElementBytes, codecElementDims } from '../format/chunk-grid.ts';
import { StriaError } from '../shared/errors.ts';
import type { VolumeInfo } from '../shared/volume.ts';
import { type ChunkShare, ChunkTally } from './chunk-tally.ts';

/** What one chunk became. */
export interface MappedChunk {
  readonly number: number;
  /** Its way's place in `ChunkMap.shares`. */
  readonly way: number;
  /** Encoded, in bytes; a constant chunk and a ramp have none. */
  readonly bytes: number;
  readonly voxelBytes: number;
}

/** Which way each chunk of a volume took, and where it lies: what people are shown of its compression. It holds no payloads. */
export class ChunkMap {
  readonly grid: ChunkGrid;
  /** Most used first. */
  readonly shares: readonly ChunkShare[];
  /** Codec elements along x to a voxel: 2 for f64. */
  readonly elementsPerVoxel: 1 | 2;
  readonly #elementBytes: number;
  readonly #ways: Uint16Array;
  readonly #bytes: Uint32Array;

  /**
   * @param chunkShape in codec elements
   * @param chunks all of the grid's, in order
   * @throws StriaError `internal` where chunks are missing
   */
  constructor(info: Pick<VolumeInfo, 'dims' | 'type'>, chunkShape: ChunkShape, chunks: readonly EncodedChunk[]) {
    this.grid = new ChunkGrid(codecElementDims(info), chunkShape);
    if (chunks.length !== this.grid.count) {
      throw new StriaError('internal', `${chunks.length} chunks came for a volume of ${this.grid.count}`);
    }
    this.elementsPerVoxel = info.type === 'f64' ? 2 : 1;
    this.#elementBytes = codecElementBytes(info.type);
    const tally = new ChunkTally();
    const ways = Uint16Array.from(chunks, (chunk) => tally.addChunk(chunk));
    const places: number[] = [];
    for (const [place, way] of tally.ways().entries()) places[way] = place;
    this.shares = tally.shares();
    this.#ways = ways.map((way) => places[way] as number);
    this.#bytes = Uint32Array.from(chunks, (chunk) => (chunk.kind === 'coded' ? chunk.payload.byteLength : 0));
  }

  /** The place in `shares` of a chunk's way. */
  wayOf(number: number): number {
    return this.#ways[number] as number;
  }

  /** The chunk that holds a voxel. @throws StriaError `internal` outside the volume */
  chunkAt(x: number, y: number, z: number, t: number): MappedChunk {
    const number = this.grid.numberAt([this.elementsPerVoxel * x, y, z, t]);
    const [width, height, depth] = this.grid.box(number).shape;
    return {
      number,
      way: this.wayOf(number),
      bytes: this.#bytes[number] as number,
      voxelBytes: width * height * depth * this.#elementBytes,
    };
  }
}
