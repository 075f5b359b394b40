import { StriaError } from '../../shared/errors.ts';
import { safeName } from '../../shared/source.ts';
import type { StoredForm } from '../../shared/stored-voxels.ts';
import type { ElementType } from '../../shared/volume.ts';
import { maxChannels, maxPictures } from '../common/picture.ts';

/** The data kept for a stack of pictures besides its pixels. docs/FORMAT.md, 'Pictures', defines how it is stored. */
export interface PictureTable {
  /** Samples per pixel. Several samples are along t: all first samples of all pictures, then all second ones. */
  readonly channels: number;
  /** Bits of a sample in its file: PNG samples of 1, 2 or 4 bits are stored in 8. */
  readonly bits: number;
  readonly pages: readonly PictureEntry[];
}

export interface PictureEntry {
  /** The picture's file name, or its name within its file; empty if it has none. */
  readonly name: string;
  /** Its metadata in its format's encoding: whole PNG chunks, or TIFF tags (tiff-tags.ts). */
  readonly extra: Uint8Array;
}

/** The form of a picture's samples in its file if it is not that of the volume. */
export function storedForm({ type, bits }: { readonly type: ElementType; readonly bits: number }): StoredForm | undefined {
  if (type === 'f32' && bits === 16) return 'f16';
  if (bits !== 64) return undefined;
  return type === 'i32' ? 'i64' : type === 'u32' ? 'u64' : undefined;
}

/** The maximum size of the metadata kept for all pictures together. */
const maxExtrasBytes = 2 ** 23;

const sampleBits: readonly number[] = [1, 2, 4, 8, 16, 32, 64];
const what = 'the table of pictures';

/** Collects the metadata of pictures: equal metadata is stored once, and excess metadata is dropped. */
export class ExtraPool {
  readonly #known = new Map<string, Uint8Array>();
  #heldBytes = 0;

  /** The metadata to keep: the given one, an equal one of an earlier picture, or none. */
  keep(extra: Uint8Array): Uint8Array {
    const text = toBase64(extra);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#heldBytes + extra.byteLength > maxExtrasBytes) return new Uint8Array();
    this.#heldBytes += extra.byteLength;
    this.#known.set(text, extra);
    return extra;
  }
}

/** The table as bytes. Metadata in the same object is stored once. */
export function encodePictureTable({ channels, bits, pages }: PictureTable): Uint8Array<ArrayBuffer> {
  const places = new Map<Uint8Array, number>();
  const extraOf = pages.map(({ extra }) => {
    if (extra.byteLength === 0) return -1;
    const place = places.get(extra) ?? places.size;
    places.set(extra, place);
    return place;
  });
  const extras = [...places.keys()].map(toBase64);
  const names = pages.map(({ name }) => (name === '' ? '' : safeName(name)));
  return new TextEncoder().encode(`${JSON.stringify({ channels, bits, names, extras, extraOf })}\n`);
}

/** Parses an untrusted table from `encodePictureTable`. @throws StriaError `corrupt` */
export function parsePictureTable(bytes: Uint8Array): PictureTable {
  const json = parseJson(bytes);
  const channels = wholeNumber(json.channels, 'number of channels', 1, maxChannels);
  const bits = wholeNumber(json.bits, 'number of bits', 1, 64);
  if (!sampleBits.includes(bits)) throw wrong(`gives a sample ${bits} bits`);
  const extras = list(json.extras, 'extras').map((text) => fromBase64(text));
  const names = list(json.names, 'names');
  const extraOf = list(json.extraOf, 'extraOf');
  if (names.length === 0 || names.length > maxPictures || names.length !== extraOf.length) {
    throw wrong(`has ${names.length} names and ${extraOf.length} extras`);
  }
  const pages = names.map((name, index): PictureEntry => {
    if (typeof name !== 'string' || (name !== '' && name !== safeName(name)))
      throw wrong('has a name that is not a plain file name');
    const at = wholeNumber(extraOf[index], 'place of an extra', -1, extras.length - 1);
    return { name, extra: extras[at] ?? new Uint8Array() };
  });
  return { channels, bits, pages };
}

function parseJson(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new StriaError('corrupt', `${what} is not JSON`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('is not an object');
  return value as Record<string, unknown>;
}

function list(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(`has no list of ${name}`);
  return value;
}

function wholeNumber(value: unknown, name: string, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw wrong(`says ${JSON.stringify(value)} as ${name}, not a whole number from ${least} to ${most}`);
  }
  return value;
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function fromBase64(text: unknown): Uint8Array {
  try {
    if (typeof text !== 'string') throw wrong('has an extra that is not a text');
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw cause instanceof StriaError ? cause : wrong('has an extra that is not base64');
  }
}

function wrong(says: string): StriaError {
  return new StriaError('corrupt', `${what} ${says}`);
}
