import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { toPhysical, type Window } from '../view/window.ts';
import { formatCount } from './units.ts';

/** A window this many times as wide as the range of values shows the values in only a few colours. */
const tooWide = 50;

/** A message that says why the window shows the volume in one colour; undefined if it does not. */
export function windowTrouble(
  window: Window,
  scale: Parameters<typeof toPhysical>[1],
  { numbers, count }: Pick<VolumeStatistics, 'numbers' | 'count'>,
): string | undefined {
  if (count === 0) return undefined;
  const rising = (ends: Window): number[] => ends.map((end) => toPhysical(end, scale)).toSorted((a, b) => a - b);
  const [low = 0, high = 0] = rising(window);
  const [lowest = 0, highest = 0] = rising(numbers);
  const isConstant = lowest === highest;
  if (isConstant ? low > highest : low >= highest) return 'All values lie below the window.';
  if (isConstant ? high < lowest : high <= lowest) return 'All values lie above the window.';
  const times = (high - low) / (highest - lowest);
  if (isConstant || times < tooWide) return undefined;
  return `The window is ${formatCount(times)} times wider than the range of values, so all look alike.`;
}
