import type { PlainChunk } from './plain-chunks-testing.ts';
import type { PlainHeader } from './plain-header-testing.ts';
import { corrupt } from './plain-records-testing.ts';

/** docs/FORMAT.md, 'Parts', as a function: whether a chunk belongs to the part of a file, given all chunks of the volume. */
export function belongsToPart({ part, grid, chunk }: PlainHeader, chunks: readonly PlainChunk[]): (chunk: PlainChunk) => boolean {
  const { number, of: count, origin, dims } = part as Record<string, unknown>;
  const isLength = (least: number) => (value: unknown) => Number.isSafeInteger(value) && (value as number) >= least;
  if (count !== undefined) {
    // 'a share: its number, from 1, and the number of shares, at most 100,000'
    if (!isLength(1)(number) || !isLength(1)(count)) throw corrupt('header has a wrong part');
    const [i, n] = [number as number, count as number];
    if (i > n || n > 100_000) throw corrupt('header has a wrong part');
    // 'All chunks of one k and l are a _layer_.'
    const layerOf = ({ origin: [, , z, t] }: PlainChunk) => `${z} ${t}`;
    const layers = [...new Set(chunks.map(layerOf))];
    const L = layers.length;
    // 'Of L layers, share i of n holds those from floor((i − 1) × L / n) to before floor(i × L / n), counted from 0 in the
    // order of their chunks'
    const own = new Set(layers.slice(Math.floor(((i - 1) * L) / n), Math.floor((i * L) / n)));
    return (one) => own.has(layerOf(one));
  }
  // 'a box: `[x, y, z]` of its first codec element, and its lengths in codec elements, for all time points'
  const isThree = (value: unknown, least: number) => Array.isArray(value) && value.length === 3 && value.every(isLength(least));
  if (!isThree(origin, 0) || !isThree(dims, 1)) throw corrupt('header has a wrong part');
  const axes = [0, 1, 2] as const;
  const from = origin as number[];
  const end = axes.map((axis) => (from[axis] as number) + ((dims as number[])[axis] as number));
  for (const axis of axes) {
    // 'A box starts at multiples of the chunk shape, and ends at multiples of it or with the volume.'
    const [start, stop] = [from[axis] as number, end[axis] as number];
    const isEnd = stop === grid[axis] || (stop < grid[axis] && stop % chunk[axis] === 0);
    if (start % chunk[axis] !== 0 || !isEnd) throw corrupt('header has an impossible part');
  }
  return ({ origin: at }) => axes.every((axis) => at[axis] >= (from[axis] as number) && at[axis] < (end[axis] as number));
}
