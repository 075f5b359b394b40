import { toPhysical, type Window } from '../view/window.ts';
import { formatNumber } from './units.ts';
import { digitsFor, formatWithin } from './value-words.ts';

export interface Tick {
  /** A physical value. */
  readonly value: number;
  readonly text: string;
}

const mostTicks = 5;
/** Average character width at a font size of 11 pixels. */
const characterPixels = 6.2;
const gapPixels = 12;

/**
 * A few round physical values (1, 2 or 5 times a power of ten apart) within a range of stored values, with enough digits to
 * tell them apart. As many as fit without being cut off or touching.
 * @param width the length of the axis in pixels
 * @param finest the smallest allowed step
 */
export function axisTicks(span: Window, scale: Parameters<typeof toPhysical>[1], width: number, finest = 0): readonly Tick[] {
  const ends = [toPhysical(span[0], scale), toPhysical(span[1], scale)];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const pixels = (text: string): number => text.length * characterPixels;
  for (let count = mostTicks; count > 0; count--) {
    const { step, values } = roundValues(low, high, count, finest);
    const ticks = values.map((value) => ({ value, text: tickText(value, step, [low, high]) }));
    const widest = Math.max(...ticks.map(({ text }) => pixels(text)));
    const room = (widest / 2 / width) * (high - low);
    const whole = ticks.filter(({ value }) => value - low >= room && high - value >= room);
    if (whole.length > 0 && (step / (high - low)) * width >= widest + gapPixels) return whole;
  }
  const middle = low / 2 + high / 2;
  return low < high ? [{ value: middle, text: formatWithin(middle, [low, high]) }] : [];
}

function tickText(value: number, step: number, [low, high]: Window): string {
  return formatNumber(value, digitsFor(Math.max(Math.abs(low), Math.abs(high)), step));
}

/** Multiples of a round step from `low` to `high`, at most about `count`. */
function roundValues(
  low: number,
  high: number,
  count: number,
  finest: number,
): { readonly step: number; readonly values: readonly number[] } {
  const rough = Math.max(finest, high / count - low / count);
  if (!(rough > 0) || !Number.isFinite(rough)) return { step: 0, values: [] };
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((times) => times * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  // Count steps, since adding one to a very large number may not change it.
  const values = Array.from({ length: count + 2 }, (_, index) => (first + index) * step + 0);
  return { step, values: values.filter((value) => value >= low && value <= high) };
}
