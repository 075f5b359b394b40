import type { ChunkMap } from '../../../core/chunks/chunk-map.ts';
import type { ChunkShare } from '../../../core/chunks/chunk-tally.ts';
import { codecs } from '../../../core/codecs/registry.ts';
import { numberOf } from './counting.ts';
import { formatBytes, formatCount, formatRatio, thinSpace } from './units.ts';

type Way = Pick<ChunkShare, 'codec' | 'axis'>;

/** A codec and its axis in words: `rle + huffman along z`. */
export function describeWay({ codec, axis }: Way): string {
  const chain = codec.replaceAll('+', ' + ');
  return axis ? `${chain} along ${axis}` : chain;
}

/** The codecs that hold the most bytes: `wave`, `wave and rice`, `wave, rice and others`. */
export function describeCodecs(shares: readonly ChunkShare[]): string {
  const bytesBy = new Map<string, number>();
  for (const { codec, bytes } of shares) if (bytes > 0) bytesBy.set(codec, (bytesBy.get(codec) ?? 0) + bytes);
  const names = [...bytesBy].sort((a, b) => b[1] - a[1]).map(([codec]) => describeWay({ codec }));
  const [first, second] = names;
  if (first === undefined) return 'index alone';
  if (second === undefined) return first;
  return names.length === 2 ? `${first} and ${second}` : `${first}, ${second} and others`;
}

/** Compressed bytes and their codecs: `30.1 MiB, wave`. */
export function describeHeld(bytes: number, shares: readonly ChunkShare[]): string {
  return `${formatBytes(bytes)}, ${describeCodecs(shares)}`;
}

/** Reasons for chunks that no codec encodes because the index alone describes them. */
const computedReasons: Readonly<Record<string, string>> = {
  constant: 'all one value',
  ramp: 'even steps',
  lost: 'lost before; shown as 0',
};

/** Why chunks were encoded this way, in a few words. */
export function reasonOf({ codec, axis }: Way): string {
  const [first, second] = codec.split('+').map((name) => codecs.find((known) => known.name === name));
  const reason = `${first?.reason ?? computedReasons[codec] ?? 'smallest this way'}${axis ? ` along ${axis}` : ''}`;
  const more = first?.preparesEntropy ? undefined : second?.reasonBehind;
  return more ? `${reason}, ${more}` : reason;
}

/** A share in whole percent: 0 or 100 only if that is exact. */
export function formatShare(part: number, whole: number): string {
  if (part === whole && whole > 0) return `100${thinSpace}%`;
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  if (percent > 0 && percent < 1) return `<${thinSpace}1${thinSpace}%`;
  return `${percent > 99 ? `>${thinSpace}99` : Math.round(percent)}${thinSpace}%`;
}

/** The chunk of a voxel, counted from 1: `chunk 12: 2 rle along z, 1.20 KiB, 41.3 ×`. The 2 is the row's number in the chunk table. */
export function describeChunkAt(chunks: ChunkMap, voxel: readonly [number, number, number], timePoint: number): string {
  const { number, way, bytes, voxelBytes } = chunks.chunkAt(...voxel, timePoint);
  const share = chunks.shares[way];
  const size = bytes === 0 ? '' : `, ${formatBytes(bytes)}, ${formatRatio(voxelBytes / bytes)}`;
  return `chunk ${formatCount(numberOf(number))}: ${share ? `${way + 1} ${describeWay(share)}` : ''}${size}`;
}
