import type { ChunkMap } from '../../../core/chunks/chunk-map.ts';
import type { ChunkShare } from '../../../core/chunks/chunk-tally.ts';
import { formatBytes, formatCount, formatRatio, thinSpace } from './units.ts';

type Way = Pick<ChunkShare, 'codec' | 'axis'>;

/** `rle + huffman along z`. */
export function describeWay({ codec, axis }: Way): string {
  const chain = codec.replaceAll('+', ' + ');
  return axis ? `${chain} along ${axis}` : chain;
}

/** What about chunks makes a codec the smallest of all for them. */
const reasons: Readonly<Record<string, string>> = {
  constant: 'all one value',
  ramp: 'even steps',
  rle: 'runs',
  parle: 'runs',
  rice: 'smooth, with noise',
  predict: 'smooth, noise varies',
  huffman: 'some bytes come often',
  labels: 'flat areas, few steps',
  raw: 'nothing made it smaller',
};
/** What the second codec of a chain adds; nothing behind `predict`, which is there for its sake. */
const secondReasons: Readonly<Record<string, string>> = { huffman: 'few kinds' };

/** Why chunks went this way, in a few words. */
export function reasonOf({ codec, axis }: Way): string {
  const [first = '', second] = codec.split('+');
  const reason = `${reasons[first] ?? 'smallest so'}${axis ? ` along ${axis}` : ''}`;
  const more = second && first !== 'predict' ? secondReasons[second] : undefined;
  return more ? `${reason}, ${more}` : reason;
}

/** A share of a whole, as whole percent: never 0 or 100 where it is only close to that. */
export function formatShare(part: number, whole: number): string {
  if (part === whole && whole > 0) return `100${thinSpace}%`;
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  if (percent > 0 && percent < 1) return `<${thinSpace}1${thinSpace}%`;
  return `${percent > 99 ? `>${thinSpace}99` : Math.round(percent)}${thinSpace}%`;
}

/** The chunk that holds a voxel: `chunk 12: 2 rle along z, 1.20 KiB, 41.3 ×`. The 2 is the way's number in the table. */
export function describeChunkAt(chunks: ChunkMap, voxel: readonly [number, number, number], timePoint: number): string {
  const { number, way, bytes, voxelBytes } = chunks.chunkAt(...voxel, timePoint);
  const share = chunks.shares[way];
  const size = bytes === 0 ? '' : `, ${formatBytes(bytes)}, ${formatRatio(voxelBytes / bytes)}`;
  return `chunk ${formatCount(number)}: ${share ? `${way + 1} ${describeWay(share)}` : ''}${size}`;
}
