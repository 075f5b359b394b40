import { StriaError } from '../shared/errors.ts';
import { mostShares, type Share } from '../shared/part-choice.ts';
import type { Dims3, ElementType } from '../shared/volume.ts';
import type { ChunkGrid, ChunkSpan } from './chunk-grid.ts';
import { asArray, asCount, asObject } from './json.ts';

/** Which chunks of a volume a file holds, if it is one part of several. docs/FORMAT.md, 'Parts'. */
export type VolumePart = Share | Piece;

/** A box of the volume, in codec elements, with all its time points. It starts and ends at the bounds of chunks. */
export interface Piece {
  readonly origin: Dims3;
  readonly dims: Dims3;
}

/** The chunks that a part holds, as spans in order. They do not touch each other. */
export function* spansOfPart(grid: ChunkGrid, part: VolumePart): Generator<ChunkSpan> {
  if ('of' in part) {
    const layerAt = (share: number) => Math.floor((share * grid.layerCount) / part.of);
    const [from, to] = [layerAt(part.number - 1), layerAt(part.number)];
    if (to > from) yield { first: from * grid.chunksPerLayer, count: (to - from) * grid.chunksPerLayer };
    return;
  }
  const [low, high] = chunksOfPiece(grid, part);
  const [width, height] = [high[0] - low[0], high[1] - low[1]];
  const isWholeRows = width === grid.counts[0];
  const isWholeLayers = isWholeRows && height === grid.counts[1];
  const isWhole = isWholeLayers && high[2] - low[2] === grid.counts[2];
  if (isWhole) return yield { first: 0, count: grid.count };
  for (let t = 0; t < grid.counts[3]; t++) {
    const layer = t * grid.counts[2];
    if (isWholeLayers) {
      yield { first: (layer + low[2]) * grid.chunksPerLayer, count: (high[2] - low[2]) * grid.chunksPerLayer };
      continue;
    }
    for (let z = low[2]; z < high[2]; z++) {
      for (let y = low[1]; y < high[1]; y += isWholeRows ? height : 1) {
        const first = (layer + z) * grid.chunksPerLayer + y * grid.counts[0] + low[0];
        yield { first, count: isWholeRows ? width * height : width };
      }
    }
  }
}

/** The first chunk of a piece along x, y and z, and the end. */
function chunksOfPiece({ chunkShape }: ChunkGrid, { origin, dims }: Piece): readonly [low: Dims3, high: Dims3] {
  const low = (axis: Axis) => Math.floor(origin[axis] / chunkShape[axis]);
  const high = (axis: Axis) => Math.ceil((origin[axis] + dims[axis]) / chunkShape[axis]);
  return [
    [low(0), low(1), low(2)],
    [high(0), high(1), high(2)],
  ];
}

type Axis = 0 | 1 | 2;

/** Why a box cannot be a piece of the volume; undefined if it can. The box is in codec elements, the message in voxels. */
export function pieceFault({ dims, chunkShape }: ChunkGrid, piece: Piece, type: ElementType): string | undefined {
  for (const axis of [0, 1, 2] as const) {
    const voxels = (elements: number) => elements / (type === 'f64' && axis === 0 ? 2 : 1);
    const [name, start, end] = ['xyz'[axis], piece.origin[axis], piece.origin[axis] + piece.dims[axis]];
    const [length, whole] = [chunkShape[axis], dims[axis]];
    if (end > whole) return `along ${name} it ends at ${voxels(end)}, but the volume at ${voxels(whole)}`;
    const odd =
      start % length !== 0
        ? (['starts', start] as const)
        : end < whole && end % length !== 0
          ? (['ends', end] as const)
          : undefined;
    if (!odd) continue;
    const rule = `pieces must start and end at multiples of ${voxels(length)}, the length of a chunk, or end with the volume`;
    return `along ${name} it ${odd[0]} at ${voxels(odd[1])}; ${rule}`;
  }
  return undefined;
}

/** `part 3 of 7`, `the piece at 0, 0, 32`. */
export function partName(part: VolumePart, type: ElementType): string {
  if ('of' in part) return `part ${part.number} of ${part.of}`;
  const [x, y, z] = part.origin;
  return `the piece at ${type === 'f64' ? x / 2 : x}, ${y}, ${z}`;
}

/** Parses the untrusted key `part` of HEAD. @throws StriaError `corrupt` */
export function parsePart(value: unknown, what: string): VolumePart {
  const json = asObject(value, what);
  if ('of' in json) {
    const [number, of] = [asCount(json.number, `${what}'s number`, 1), asCount(json.of, `${what}'s of`, 1)];
    if (number > of || of > mostShares) throw new StriaError('corrupt', `${what} is number ${number} of ${of}`);
    return { number, of };
  }
  return { origin: parseLengths(json.origin, `${what}'s origin`, 0), dims: parseLengths(json.dims, `${what}'s dims`, 1) };
}

function parseLengths(value: unknown, what: string, least: number): Dims3 {
  const [x, y, z] = asArray(value, what, { length: 3 }).map((length) => asCount(length, what, least));
  return [x as number, y as number, z as number];
}

/** The chunks that a file should hold: all, or those of its part. */
export function ownSpans(grid: ChunkGrid, part: VolumePart | undefined): Iterable<ChunkSpan> {
  return part ? spansOfPart(grid, part) : [{ first: 0, count: grid.count }];
}

/** The number of chunks in the spans. */
export function countOf(spans: Iterable<ChunkSpan>): number {
  let sum = 0;
  for (const { count } of spans) sum += count;
  return sum;
}

/** The chunks that are in both lists. Both are in order. */
export function* intersection(ones: Iterable<ChunkSpan>, others: Iterable<ChunkSpan>): Generator<ChunkSpan> {
  const rest = others[Symbol.iterator]();
  let other = rest.next();
  for (const one of ones) {
    const end = one.first + one.count;
    while (!other.done && other.value.first < end) {
      const otherEnd = other.value.first + other.value.count;
      const first = Math.max(one.first, other.value.first);
      const count = Math.min(end, otherEnd) - first;
      if (count > 0) yield { first, count };
      if (otherEnd > end) break;
      other = rest.next();
    }
  }
}

/** The size of the voxels that a file should hold, in bytes. */
export function ownBytes(grid: ChunkGrid, part: VolumePart | undefined, elementBytes: number): number {
  const [width, height, , times] = grid.dims;
  if (part && 'origin' in part) return part.dims[0] * part.dims[1] * part.dims[2] * times * elementBytes;
  let planes = 0;
  for (const { first, count } of ownSpans(grid, part)) {
    const last = grid.box(first + count - 1);
    planes += last.plane + last.shape[2] - grid.box(first).plane;
  }
  return planes * width * height * elementBytes;
}
