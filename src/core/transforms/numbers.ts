import { StriaError } from '../shared/errors.ts';

/** @throws StriaError `corrupt` for anything but a finite decimal number */
export function numberOf(word: string, what: string): number {
  const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(word) ? Number(word) : Number.NaN;
  if (Number.isFinite(number)) return number;
  throw new StriaError('corrupt', `${what} has ${JSON.stringify(word.slice(0, 40))} instead of a number`);
}
