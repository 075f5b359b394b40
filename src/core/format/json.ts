import { StriaError } from '../shared/errors.ts';
import { maxTextLength } from './layout.ts';
import { decodeText } from './record.ts';

/** A JSON object with unknown members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** @throws StriaError `corrupt` for bytes that are not a JSON object, or more than 1 MiB */
export function parseJsonObject(body: Uint8Array, what: string): JsonObject {
  if (body.byteLength > maxTextLength) {
    throw new StriaError('corrupt', `${what} is ${body.byteLength} bytes long; the limit is ${maxTextLength}`);
  }
  const text = decodeText(body, what);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new StriaError('corrupt', `${what} is not JSON`, { cause });
  }
  return asObject(value, what);
}

/** One line per key, so that `head -c 600` of a container is readable. */
export function jsonLines(object: JsonObject): Uint8Array<ArrayBuffer> {
  const lines = Object.entries(object).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return new TextEncoder().encode(`{\n${lines.join(',\n')}\n}\n`);
}

export function asObject(value: unknown, what: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new StriaError('corrupt', `${what} is not an object`);
  }
  return value as JsonObject;
}

/** An array of `length` values, or of at most `maxLength`. */
export function asArray(value: unknown, what: string, size: { length: number } | { maxLength: number }): readonly unknown[] {
  if (!Array.isArray(value)) throw new StriaError('corrupt', `${what} is not a list`);
  if ('length' in size ? value.length !== size.length : value.length > size.maxLength) {
    const wanted = 'length' in size ? size.length : `at most ${size.maxLength}`;
    throw new StriaError('corrupt', `${what} has ${value.length} entries, not ${wanted}`);
  }
  return value;
}

/** A text of 1 to 1024 UTF-16 units. */
export function asText(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.length === 0 || value.length > 1024) {
    throw new StriaError('corrupt', `${what} is not a text of 1 to 1024 characters`);
  }
  return value;
}

/** A safe integer, at least `least`. */
export function asCount(value: unknown, what: string, least: number): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least) {
    throw new StriaError('corrupt', `${what} is ${JSON.stringify(value)}, not a whole number from ${least}`);
  }
  return value;
}

/** One of the words of this version. Another word belongs to a later version: `unsupported`. */
export function asWord<Word extends string>(value: unknown, what: string, words: readonly Word[]): Word {
  const text = asText(value, what);
  const known = words.find((word) => word === text);
  if (known === undefined) {
    throw new StriaError(
      'unsupported',
      `${what} is ${JSON.stringify(text)}, which this Stria does not know (${words.join(', ')})`,
    );
  }
  return known;
}

const odd: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  '-0': -0,
};

/** A number for JSON. The four values that JSON cannot represent become texts. */
export function jsonNumber(value: number): number | string {
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? value : String(value);
}

/** The inverse of `jsonNumber`. */
export function asNumber(value: unknown, what: string): number {
  if (typeof value === 'number') return value;
  const number = typeof value === 'string' && Object.hasOwn(odd, value) ? odd[value] : undefined;
  if (number === undefined) throw new StriaError('corrupt', `${what} is ${JSON.stringify(value)}, not a number`);
  return number;
}
