import { ChunkTally } from '../chunks/chunk-tally.ts';
import type { ContainerReader } from '../format/container-reader.ts';

/**
 * Whether the volume holds labels, as far as the file tells: whole numbers without a unit, scaling or window, of which most chunks
 * that hold several values were compressed best by the codec for labels.
 */
export function areLabels(container: ContainerReader): boolean {
  const { type, slope, intercept, valueUnit, channels, windows } = container.header.volume;
  const isScan = valueUnit !== undefined || slope !== 1 || intercept !== 0 || channels !== undefined || windows !== undefined;
  if (isScan || type === 'f32' || type === 'f64') return false;
  const tally = new ChunkTally();
  for (const { how, count, bytes } of container.uses()) if (typeof how !== 'string') tally.add(how, bytes, count);
  const [most] = tally.shares();
  return most?.codec === 'labels';
}
