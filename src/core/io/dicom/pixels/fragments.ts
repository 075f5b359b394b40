import type { ByteSource } from '../../../shared/bytes.ts';
import { StriaError } from '../../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../../shared/job.ts';
import { joinBytes } from '../../common/byte-stream.ts';

/** A fragment of the encapsulated pixels. */
export interface Fragment {
  /** Offset of its bytes in the file. */
  readonly start: number;
  readonly length: number;
}

export interface Fragments {
  /** The starts of frames according to the offset table, relative to its end. Empty if the table is empty. */
  readonly offsets: readonly number[];
  readonly fragments: readonly Fragment[];
  /** The origin of the offsets. */
  readonly origin: number;
  /** The end of the pixels. */
  readonly end: number;
}

const maxFragments = 2 ** 22;
const itemBytes = 8;
/** Item headers are read from windows of this size. */
const windowBytes = 2 ** 16;

/** Finds the fragments of encapsulated pixels: items up to a delimiter. PS3.5, A.4. @throws StriaError `corrupt`, `not-readable` */
export async function findFragments(source: ByteSource, start: number, job: JobOptions): Promise<Fragments> {
  const window = new Window(source, job);
  const table = await window.item(start);
  if (table.tag !== 0xfffee000) throw new StriaError('corrupt', `the pixels do not begin with an offset table, at byte ${start}`);
  const offsets = await readOffsets(source, start + itemBytes, table.length, job);
  const origin = start + itemBytes + table.length;
  const fragments: Fragment[] = [];
  for (let at = origin; ; ) {
    throwIfAborted(job.signal);
    // Some writers omit the delimiter, and some files are truncated in the padding after it.
    if (at + itemBytes > source.size) return { offsets, fragments, origin, end: source.size };
    const { tag, length } = await window.item(at);
    if (tag === 0xfffee0dd) return { offsets, fragments, origin, end: at + itemBytes };
    if (tag !== 0xfffee000) throw new StriaError('corrupt', `the pixels lack an item at byte ${at}`);
    if (at + itemBytes + length > source.size) {
      throw new StriaError('corrupt', `the file ends early: a fragment of the pixels at byte ${at} has ${length} bytes`);
    }
    if (fragments.length >= maxFragments)
      throw new StriaError('unsupported', `the pixels are in more than ${maxFragments} fragments`);
    fragments.push({ start: at + itemBytes, length });
    at += itemBytes + length;
  }
}

class Window {
  readonly #source: ByteSource;
  readonly #job: JobOptions;
  #bytes: Uint8Array = new Uint8Array();
  #start = 0;

  constructor(source: ByteSource, job: JobOptions) {
    this.#source = source;
    this.#job = job;
  }

  async item(at: number): Promise<{ tag: number; length: number }> {
    if (at < this.#start || at + itemBytes > this.#start + this.#bytes.byteLength) {
      this.#bytes = await this.#source.read(at, Math.min(windowBytes, Math.max(0, this.#source.size - at)), this.#job);
      this.#start = at;
      if (this.#bytes.byteLength < itemBytes) throw new StriaError('corrupt', `the file ends early, at byte ${at} in its pixels`);
    }
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + at - this.#start, itemBytes);
    return { tag: view.getUint16(0, true) * 0x10000 + view.getUint16(2, true), length: view.getUint32(4, true) };
  }
}

async function readOffsets(source: ByteSource, start: number, length: number, job: JobOptions): Promise<number[]> {
  if (start + length > source.size || length > 4 * maxFragments) {
    throw new StriaError('corrupt', `the table of frames has an invalid length of ${length} bytes`);
  }
  const bytes = await source.read(start, length, job);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.floor(bytes.byteLength / 4) }, (_, index) => view.getUint32(4 * index, true));
}

/**
 * Assigns fragments to frames. @param extended the offsets of the Extended Offset Table, which may exceed 4 GiB
 * @throws StriaError `corrupt` if the assignment is unknown
 */
export function fragmentsOfFrames(found: Fragments, frames: number, extended: readonly number[]): (readonly Fragment[])[] {
  const { fragments, origin } = found;
  if (frames === 1) return [fragments];
  if (fragments.length === frames) return fragments.map((fragment) => [fragment]);
  const offsets = extended.length === frames ? extended : found.offsets;
  const starts = new Map(fragments.map(({ start }, index) => [start - itemBytes - origin, index]));
  const first = offsets.map((offset) => starts.get(offset) ?? -1);
  const isOrdered = first.every((index, at) => index >= 0 && (at === 0 || index > (first[at - 1] as number)));
  if (first.length !== frames || !isOrdered) {
    throw new StriaError(
      'corrupt',
      `the ${frames} frames are in ${fragments.length} fragments, and no table assigns fragments to frames`,
    );
  }
  return first.map((index, at) => fragments.slice(index, first[at + 1] ?? fragments.length));
}

export async function readFragments(
  source: ByteSource,
  fragments: readonly Fragment[],
  job: JobOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const { start, length } of fragments) {
    const bytes = await source.read(start, length, job);
    if (bytes.byteLength < length) throw new StriaError('not-readable', 'the file became shorter while it was read');
    parts.push(bytes);
  }
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : joinBytes(parts);
}
