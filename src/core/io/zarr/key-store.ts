import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import type { FileTree } from '../common/file-tree.ts';

/** The longest metadata document that is read. Those of plates, and consolidated metadata, take megabytes. */
const metadataLimit = 32 * 2 ** 20;
/** Shards are read piece by piece, so they are kept open. */
const openFiles = 16;

/** A Zarr store on a tree of files. Keys are paths. */
export class KeyStore {
  readonly tree: FileTree;
  readonly #open = new Map<string, Promise<ByteSource | undefined>>();

  constructor(tree: FileTree) {
    this.tree = tree;
  }

  /**
   * A JSON document; undefined if there is none.
   * @throws StriaError `corrupt` for anything but a JSON object, `not-readable`, `aborted`
   */
  async json(key: string, job: JobOptions = {}): Promise<Record<string, unknown> | undefined> {
    const bytes = await this.read(key, metadataLimit, job);
    if (bytes === undefined) return undefined;
    try {
      const document: unknown = JSON.parse(new TextDecoder().decode(bytes));
      if (typeof document === 'object' && document !== null && !Array.isArray(document)) return { ...document };
    } catch (error) {
      throw new StriaError('corrupt', `${key} is not a JSON document`, { cause: error });
    }
    throw new StriaError('corrupt', `${key} is not a JSON object`);
  }

  /** A whole file; undefined if there is none. @throws StriaError `unsupported` beyond `limit` bytes, `not-readable`, `aborted` */
  async read(key: string, limit: number, job: JobOptions): Promise<Uint8Array<ArrayBuffer> | undefined> {
    throwIfAborted(job.signal);
    const source = await this.tree.find(key, job);
    if (source === undefined) return undefined;
    if (source.size > limit) {
      throw new StriaError('unsupported', `${key} has ${source.size} bytes; the limit is ${limit}`);
    }
    return wholeRead(key, source, 0, source.size, job);
  }

  /**
   * A part of a file; undefined if there is no such file.
   * @param offset relative to the file's end if it is negative
   * @throws StriaError `corrupt` for a part outside the file, `not-readable`, `aborted`
   */
  async readPart(key: string, offset: number, length: number, job: JobOptions): Promise<Uint8Array<ArrayBuffer> | undefined> {
    throwIfAborted(job.signal);
    const source = await this.#find(key, job);
    if (source === undefined) return undefined;
    const start = offset < 0 ? source.size + offset : offset;
    const isWithin = Number.isSafeInteger(start) && Number.isSafeInteger(length) && length >= 0 && start >= 0;
    if (!isWithin || start + length > source.size) {
      throw new StriaError('corrupt', `${key} has ${source.size} bytes, but ${length} bytes from byte ${start} on are needed`);
    }
    return wholeRead(key, source, start, length, job);
  }

  #find(key: string, job: JobOptions): Promise<ByteSource | undefined> {
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const found = this.tree.find(key, job);
    this.#open.set(key, found);
    found.catch(() => this.#open.delete(key));
    const [oldest] = this.#open.keys();
    if (this.#open.size > openFiles && oldest !== undefined) this.#open.delete(oldest);
    return found;
  }
}

async function wholeRead(
  key: string,
  source: ByteSource,
  offset: number,
  length: number,
  { signal }: JobOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await source.read(offset, length, { signal });
  if (bytes.byteLength === length) return bytes;
  throw new StriaError('not-readable', `${key} became shorter while it was read`);
}
