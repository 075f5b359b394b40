import { decodeChunk } from '../../chunks/decode-chunk.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { type ChunkGrid, type ChunkSpan, codecElementBytes } from '../../format/chunk-grid.ts';
import type { ContainerReader } from '../../format/container-reader.ts';
import { constantElement, halvedBlock, type LevelBlock } from '../../left-out/halve-blocks.ts';
import type { LeftOutLevel } from '../../left-out/left-out-levels.ts';
import { LevelBlocks } from '../../left-out/level-blocks.ts';
import { chunkName } from '../../shared/chunk-name.ts';
import { inContext } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { mapOnto } from '../../shared/lanes.ts';
import { type VolumeLevel, wholeFactors } from '../../shared/volume-level.ts';

const runsAtOnce = [0, 1, 2, 3, 4, 5, 6, 7];

/** A level of a container in pieces that are decoded as a whole. */
export interface DecodedLevel {
  readonly shape: VolumeLevel;
  /** Of the pieces. */
  readonly grid: ChunkGrid;
  /** The most bytes of voxels that are decoded for a piece. */
  readonly pieceBytes: number;
  /** The voxels of consecutive pieces, read with as few reads as possible. @throws StriaError `corrupt`, `not-readable`, `aborted` */
  decode(pieces: ChunkSpan, job: Pick<JobOptions, 'signal'>): Promise<readonly Uint8Array[]>;
}

/** A level that the file stores, or the volume itself: its pieces are the chunks. */
export function storedLevel(reader: ContainerReader): DecodedLevel {
  const { grid, header, level } = reader;
  const elementBytes = codecElementBytes(header.volume.type);
  return {
    shape: { dims: header.volume.dims, factors: level?.factors ?? wholeFactors },
    grid,
    pieceBytes: bytesOf(grid, elementBytes),
    async decode({ first, count }, job) {
      const chunks = await reader.readChunks(first, count, job);
      return chunks.map((chunk, at) => {
        try {
          return decodeChunk(chunk, { shape: grid.box(first + at).shape, elementBytes });
        } catch (error) {
          throw inContext(chunkName(first + at), error);
        }
      });
    },
  };
}

/** A level that the file leaves out: its pieces are halved blocks of the volume. @param reader of the volume */
export function leftOutLevel(reader: ContainerReader, level: LeftOutLevel): DecodedLevel {
  const { type } = reader.header.volume;
  const elementBytes = codecElementBytes(type);
  const blocks = new LevelBlocks(reader.grid, level, type);
  const halving = { type, halvings: level.halvings, method: level.method };
  const { dims, factors } = level;
  const voxelsOf = (number: number, block: LevelBlock): Uint8Array => {
    const element = constantElement(block, type);
    if (!element) return halvedBlock(halving, block, decodeChunk);
    const [x, y, z] = blocks.grid.box(number).shape;
    const bytes = new Uint8Array(x * y * z * elementBytes);
    if (elementBytes === 1) return bytes.fill(element[0] as number);
    if (element.some((byte) => byte !== 0)) for (let at = 0; at < bytes.length; at += elementBytes) bytes.set(element, at);
    return bytes;
  };
  return {
    shape: { dims, factors },
    grid: blocks.grid,
    pieceBytes: bytesOf(blocks.grid, elementBytes) * factors[0] * factors[1] * factors[2],
    async decode({ first, count }, job) {
      const numbers = Array.from({ length: count }, (_, at) => first + at);
      const parts = numbers.map((number) => blocks.partsOf(number));
      const chunks = await readAll(
        reader,
        parts.flat().map(({ number }) => number),
        job,
      );
      return numbers.map((number, at) => {
        const whole = (parts[at] ?? []).map((part) => ({ ...part, chunk: chunks.get(part.number) as EncodedChunk }));
        return voxelsOf(number, { shape: blocks.shapeOf(number), parts: whole });
      });
    },
  };
}

/** Reads any chunks, consecutive ones together, and some such runs at once, because a server takes a while to answer. */
async function readAll(
  reader: ContainerReader,
  numbers: readonly number[],
  job: Pick<JobOptions, 'signal'>,
): Promise<ReadonlyMap<number, EncodedChunk>> {
  const runs: { readonly first: number; count: number }[] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && number === run.first + run.count) run.count++;
    else runs.push({ first: number, count: 1 });
  }
  const found = new Map<number, EncodedChunk>();
  await mapOnto(runsAtOnce, runs, async (_, { first, count }) => {
    for (const [at, chunk] of (await reader.readChunks(first, count, job)).entries()) found.set(first + at, chunk);
  });
  return found;
}

function bytesOf({ chunkShape }: ChunkGrid, elementBytes: number): number {
  return chunkShape[0] * chunkShape[1] * chunkShape[2] * elementBytes;
}
