import type { ChunkOutline } from '../format/chunk.ts';
import { ChunkGrid, type ChunkShape, codecElementBytes, codecElementDims, elementsPerVoxel } from '../format/chunk-grid.ts';
import { StriaError } from '../shared/errors.ts';
import type { VolumeInfo } from '../shared/volume.ts';
import { type ChunkShare, ChunkTally } from './chunk-tally.ts';

/** How one chunk was stored. */
export interface MappedChunk {
  readonly number: number;
  /** The index of its way in `ChunkMap.shares`. */
  readonly way: number;
  /** Encoded length in bytes; 0 for a constant chunk or a ramp. */
  readonly bytes: number;
  readonly voxelBytes: number;
}

/** How and where each chunk of a volume was stored, for display. It holds no payloads. */
export class ChunkMap {
  readonly grid: ChunkGrid;
  /** Most used first. */
  readonly shares: readonly ChunkShare[];
  /** Codec elements per voxel along x: 2 for f64. */
  readonly elementsPerVoxel: 1 | 2;
  readonly #elementBytes: number;
  readonly #ways: Uint16Array;
  readonly #bytes: Uint32Array;

  /**
   * @param chunkShape in codec elements
   * @param chunks all chunks of the grid, in order
   * @throws StriaError `internal` if chunks are missing
   */
  constructor(info: Pick<VolumeInfo, 'dims' | 'type'>, chunkShape: ChunkShape, chunks: readonly ChunkOutline[]) {
    this.grid = new ChunkGrid(codecElementDims(info), chunkShape);
    if (chunks.length !== this.grid.count) {
      throw new StriaError('internal', `got ${chunks.length} chunks for a volume of ${this.grid.count}`);
    }
    this.elementsPerVoxel = elementsPerVoxel(info.type);
    this.#elementBytes = codecElementBytes(info.type);
    const tally = new ChunkTally();
    const ways = Uint16Array.from(chunks, (chunk) => tally.addChunk(chunk));
    const places: number[] = [];
    for (const [place, way] of tally.ways().entries()) places[way] = place;
    this.shares = tally.shares();
    this.#ways = ways.map((way) => places[way] as number);
    this.#bytes = Uint32Array.from(chunks, (chunk) => (chunk.kind === 'coded' ? chunk.payload.byteLength : 0));
  }

  /** The index in `shares` of a chunk's way. */
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
