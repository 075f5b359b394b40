import { asArray, asNumber } from '../../../core/format/json.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { isUsableTransform, type Transform } from '../../../core/transforms/transform.ts';

// Parsers for numbers of a session. All throw StriaError `corrupt`.

export function numbersOf(value: unknown, what: string, length: number): readonly number[] {
  return asArray(value, what, { length }).map((number) => finite(number, what));
}

export function finite(value: unknown, what: string): number {
  const number = asNumber(value, what);
  if (Number.isFinite(number)) return number;
  throw new StriaError('corrupt', `${what} is ${String(value)}, which is not a valid index`);
}

/** A transform such as `LayerLook.motion`. */
export function motionFrom(value: unknown, what: string): Transform {
  const motion = numbersOf(value, what, 12);
  if (!isUsableTransform(motion)) throw new StriaError('corrupt', `${what} cannot be inverted`);
  return motion;
}
