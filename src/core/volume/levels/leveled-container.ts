import { type ChunkGrid, codecElementBytes } from '../../format/chunk-grid.ts';
import type { ContainerReader } from '../../format/container-reader.ts';
import type { LeftOutLevel } from '../../left-out/left-out-levels.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { mapOnto } from '../../shared/lanes.ts';
import { LeastRecent } from '../../shared/least-recent.ts';
import { type ElementType, elementBytes } from '../../shared/volume.ts';
import { checkedLevelBox, type LevelBox, type LeveledVoxels } from '../../shared/volume-level.ts';
import { chunkRows } from '../compressed/compressed-region.ts';
import { type DecodedLevel, leftOutLevel, storedLevel } from './decoded-level.ts';

/** Decoded chunks are kept up to this many bytes: several slices of a wide volume, with the chunks that they cut. */
const defaultCacheBytes = 2 ** 28;
/** Compressed chunks are read together, at most this many at once, so that a cancel is noticed soon. */
const chunksAtOnce = 16;
/**
 * This many such reads run at the same time, so that those of neighbouring rows become one request to a server, which takes a while to
 * answer each; fewer if their chunks are large.
 */
const readsAtOnce = 16;
const readingBytes = 2 ** 26;

/**
 * Boxes of a .stria and its levels. Only the chunks that a box touches are read. They are decoded on this thread, and the most
 * recently used ones are kept.
 * @param levels from `reader.levels()`
 * @param leftOut levels that the file leaves out, finer than `levels`: their boxes are made of the chunks of the volume
 * @param cache may be shared by several files
 */
export function leveledContainer(
  reader: ContainerReader,
  levels: readonly ContainerReader[],
  { leftOut = [], cache = new ChunkCache(defaultCacheBytes) }: ContainerReading = {},
): LeveledVoxels {
  const made = leftOut.map((level) => leftOutLevel(reader, level));
  const all = [storedLevel(reader), ...made, ...levels.map(storedLevel)];
  const shapes = all.map(({ shape }) => shape);
  const { type } = reader.header.volume;
  const file = cache.newFile();
  return {
    levels: shapes,
    async read(box, { signal } = {}) {
      const { dims } = checkedLevelBox(shapes, box);
      const from = all[box.level] as DecodedLevel;
      const target = new Uint8Array(box.size[0] * box.size[1] * box.size[2] * elementBytes(type));
      const parts = [...chunkRows(from.grid, type, box)].flatMap(partsOf);
      await mapOnto(lanesOf(from), parts, async (_, numbers) => {
        throwIfAborted(signal);
        const chunks = await decodedChunks(from, `${file} ${box.level}`, numbers, cache, signal);
        chunks.forEach((bytes, index) => {
          copyChunk(from.grid, type, numbers[index] as number, bytes, box, target, dims[2]);
        });
      });
      return target;
    },
    close: () => cache.drop(file),
  };
}

interface ContainerReading {
  readonly leftOut?: readonly LeftOutLevel[] | undefined;
  readonly cache?: ChunkCache | undefined;
}

function partsOf(row: readonly number[]): readonly (readonly number[])[] {
  const count = Math.ceil(row.length / chunksAtOnce);
  return Array.from({ length: count }, (_, part) => row.slice(part * chunksAtOnce, (part + 1) * chunksAtOnce));
}

function lanesOf({ pieceBytes }: DecodedLevel): readonly number[] {
  const lanes = Math.floor(readingBytes / (chunksAtOnce * pieceBytes));
  return Array.from({ length: Math.max(1, Math.min(readsAtOnce, lanes)) }, (_, lane) => lane);
}

/** Decodes consecutive chunks, unless they are cached. @param place in the cache */
async function decodedChunks(
  level: DecodedLevel,
  place: string,
  numbers: readonly number[],
  cache: ChunkCache,
  signal: AbortSignal | undefined,
): Promise<readonly Uint8Array[]> {
  const found = numbers.map((number) => cache.get(`${place} ${number}`));
  for (let at = 0; at < numbers.length; ) {
    if (found[at]) {
      at++;
      continue;
    }
    let end = at + 1;
    while (end < numbers.length && !found[end]) end++;
    for (const bytes of await level.decode({ first: numbers[at] as number, count: end - at }, { signal })) {
      cache.put(`${place} ${numbers[at]}`, bytes);
      found[at++] = bytes;
    }
  }
  return found as Uint8Array[];
}

/** Copies the part of a chunk that lies in a box. */
function copyChunk(
  grid: ChunkGrid,
  type: ElementType,
  number: number,
  bytes: Uint8Array,
  { first, size, timePoint }: LevelBox,
  target: Uint8Array,
  depth: number,
): void {
  const width = elementBytes(type);
  const perVoxel = width / codecElementBytes(type);
  const { origin, shape } = grid.box(number);
  const [left, columns] = [origin[0] / perVoxel, shape[0] / perVoxel];
  const [fromX, toX] = [Math.max(first[0], left), Math.min(first[0] + size[0], left + columns)];
  const [fromY, toY] = [Math.max(first[1], origin[1]), Math.min(first[1] + size[1], origin[1] + shape[1])];
  const chunkDepth = grid.timePointsPerChunk === 1 ? shape[2] : Math.min(grid.chunkShape[2], depth - origin[2]);
  const [fromZ, toZ] = [Math.max(first[2], origin[2]), Math.min(first[2] + size[2], origin[2] + chunkDepth)];
  for (let z = fromZ; z < toZ; z++) {
    const plane = grid.timePointsPerChunk === 1 ? z - origin[2] : grid.planeInChunk(z, timePoint);
    for (let y = fromY; y < toY; y++) {
      const start = ((plane * shape[1] + y - origin[1]) * columns + fromX - left) * width;
      const to = (((z - first[2]) * size[1] + y - first[1]) * size[0] + fromX - first[0]) * width;
      target.set(bytes.subarray(start, start + (toX - fromX) * width), to);
    }
  }
}

/** The most recently used chunks of one or several files, limited in bytes. A key begins with the number of its file. */
export class ChunkCache {
  readonly #limit: number;
  readonly #chunks = new LeastRecent<string, Uint8Array>();
  #files = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get bytes(): number {
    return this.#chunks.bytes;
  }

  /** A number for another file. */
  newFile(): number {
    return this.#files++;
  }

  get(key: string): Uint8Array | undefined {
    return this.#chunks.get(key);
  }

  put(key: string, bytes: Uint8Array): void {
    this.#chunks.set(key, bytes, bytes.byteLength);
    for (const [oldest] of this.#chunks.oldest()) {
      if (this.#chunks.bytes <= this.#limit) break;
      this.#chunks.delete(oldest);
    }
  }

  /** Frees all chunks of a file. */
  drop(file: number): void {
    for (const [key] of [...this.#chunks.oldest()]) if (key.startsWith(`${file} `)) this.#chunks.delete(key);
  }
}
