import { ChunkTally } from '../../chunks/chunk-tally.ts';
import type { ContainerReader } from '../../format/container-reader.ts';

/**
 * Whether the volume probably holds labels, judging by the file: whole numbers without a unit, scaling or window, where the codec
 * for labels was the best choice for most chunks with several values.
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
