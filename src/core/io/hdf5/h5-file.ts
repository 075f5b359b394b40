import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError, toStriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import type { FilteredChunks } from './h5-chunks.ts';
import { addFilter, type PluginHost, preparePlugins } from './h5-plugin.ts';

type H5wasm = typeof import('h5wasm');
export type H5Metadata = import('h5wasm').Metadata;

const pageBytes = 256 * 1024;
/** How much is read ahead: chunks that are read together are usually stored together. */
const aheadBytes = 2 * 2 ** 20;
/** The limit for pages that are kept from one call to the next. */
const keptBytes = 64 * 2 ** 20;
/** The limit for pages that one call may need. */
const neededBytes = 512 * 2 ** 20;

/** emscripten's `EIO`. */
const inputOutputError = 29;

interface Library {
  readonly h5wasm: H5wasm;
  readonly module: H5wasm['Module'];
  /** The library's output for its last error. */
  readonly errors: { text: string };
  /** The filters that were added to it. */
  readonly filters: Set<number>;
  /** Those of the current call. */
  chunks: FilteredChunks | undefined;
}

let loading: Promise<Library> | undefined;
let fileNumber = 0;

/** The HDF5 library as WebAssembly, 4 MB, loaded when the first file is opened. */
function loadLibrary(): Promise<Library> {
  loading ??= import('h5wasm').then(async (h5wasm) => {
    const module = await h5wasm.ready;
    const errors = { text: '' };
    // The library prints each error. Its stream is number 2; nothing else writes there.
    (module.FS as unknown as EmscriptenFiles).getStream(2).stream_ops = {
      write(_stream: unknown, heap: Int8Array, offset: number, length: number) {
        if (errors.text.length < 16_384) errors.text += new TextDecoder('latin1').decode(heap.slice(offset, offset + length));
        return length;
      },
    };
    preparePlugins(module as unknown as PluginHost);
    return { h5wasm, module, errors, filters: new Set<number>(), chunks: undefined };
  });
  return loading;
}

interface EmscriptenNode {
  stream_ops: object;
}

interface EmscriptenFiles {
  getStream(descriptor: number): { stream_ops: object };
  writeFile(path: string, content: string): void;
  unlink(path: string): void;
  lookupPath(path: string): { node: EmscriptenNode };
  ErrnoError: new (code: number) => Error;
}

/**
 * A file that the HDF5 library has open. The library reads synchronously, but Stria's sources are asynchronous. So a read of bytes
 * that are not in memory fails, the bytes are fetched, and the call is repeated. This works with any source, without reading whole files.
 */
export class H5File {
  readonly #source: ByteSource;
  readonly #library: Library;
  readonly #path: string;
  readonly #pages = new Map<number, Uint8Array>();
  #missing: { readonly start: number; readonly end: number } | undefined;
  #id = -1n;

  private constructor(source: ByteSource, library: Library) {
    this.#source = source;
    this.#library = library;
    fileNumber++;
    this.#path = `/${fileNumber}.h5`;
  }

  /** Opens a file, runs `work`, and closes it. @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`; as `work` */
  static async with<T>(source: ByteSource, job: JobOptions, work: (file: H5File) => Promise<T>): Promise<T> {
    const file = await H5File.open(source, job);
    try {
      return await work(file);
    } finally {
      file.close();
    }
  }

  /** @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted` */
  static async open(source: ByteSource, job: JobOptions): Promise<H5File> {
    const file = new H5File(source, await loadLibrary());
    file.#plant();
    try {
      const mode = file.#library.module.H5F_ACC_RDONLY;
      file.#id = await file.call(({ module }) => succeeded(module.open(file.#path, mode)), job, 'the file cannot be opened');
      return file;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  get id(): bigint {
    return this.#id;
  }

  close(): void {
    try {
      if (this.#id >= 0n) this.#library.module.close_file(this.#id);
      this.#files().unlink(this.#path);
    } catch {
      // After a WebAssembly trap the library cannot close anything.
    }
    this.#pages.clear();
  }

  /**
   * Calls the library until no bytes are missing and all chunks are decoded.
   * @param work anything it throws counts as a failure; `succeeded` checks its results
   * @param what the message in case of a failure
   * @param chunks decodes those chunks that the library cannot decode
   * @throws StriaError `corrupt` if the library fails, `unsupported` if a call needs too many bytes, `not-readable`, `aborted`
   */
  async call<T>(work: (library: Library) => T, job: JobOptions, what: string, chunks?: FilteredChunks): Promise<T> {
    this.#forget();
    this.#addFilters(chunks);
    for (;;) {
      throwIfAborted(job.signal);
      this.#missing = undefined;
      this.#library.errors.text = '';
      this.#library.chunks = chunks;
      let result: T | undefined;
      let fault: unknown;
      try {
        result = work(this.#library);
      } catch (error) {
        fault = error ?? 'it failed';
      }
      const missing = this.#missing as { start: number; end: number } | undefined;
      if (missing !== undefined) {
        await this.#fetch(missing, job);
      } else if (chunks !== undefined && !chunks.isComplete) {
        await chunks.decode(job).catch((error: unknown) => {
          const { tag, message } = toStriaError(error);
          throw tag === 'aborted' ? error : new StriaError(tag, `${what}: ${message}`, { cause: error });
        });
      } else {
        if (fault === undefined) return result as T;
        throw fault instanceof StriaError ? fault : this.#faultOf(what, fault);
      }
    }
  }

  #addFilters(chunks: FilteredChunks | undefined): void {
    const library = this.#library;
    for (const filter of chunks?.filters ?? []) {
      if (library.filters.has(filter)) continue;
      library.filters.add(filter);
      const host = library.module as unknown as PluginHost;
      addFilter(host, filter, (bytes) => library.chunks?.contentOf(filter, bytes));
    }
  }

  #files(): EmscriptenFiles {
    return this.#library.module.FS as unknown as EmscriptenFiles;
  }

  /** Creates a file of the source's size in the library's file system. Its reads call `#read`. */
  #plant(): void {
    const files = this.#files();
    files.writeFile(this.#path, '');
    const { node } = files.lookupPath(this.#path);
    Object.defineProperty(node, 'usedBytes', { get: () => this.#source.size });
    node.stream_ops = {
      ...node.stream_ops,
      read: (_stream: unknown, heap: Int8Array, offset: number, length: number, position: number) =>
        this.#read(heap, offset, length, position),
    };
  }

  #read(heap: Int8Array, offset: number, length: number, position: number): number {
    const end = Math.min(position + length, this.#source.size);
    for (let page = Math.floor(position / pageBytes); page * pageBytes < end; page++) {
      if (this.#pages.has(page)) continue;
      this.#missing = { start: page * pageBytes, end };
      throw new (this.#files().ErrnoError)(inputOutputError);
    }
    for (let at = position; at < end; ) {
      const page = Math.floor(at / pageBytes);
      const bytes = this.#pages.get(page) as Uint8Array;
      const part = bytes.subarray(at - page * pageBytes, Math.min(pageBytes, end - page * pageBytes));
      heap.set(part, offset + at - position);
      at += part.byteLength;
    }
    return Math.max(0, end - position);
  }

  async #fetch({ start, end }: { start: number; end: number }, { signal }: JobOptions): Promise<void> {
    const until = Math.min(this.#source.size, Math.max(end, start + aheadBytes));
    if (this.#pages.size * pageBytes + until - start > neededBytes) {
      throw new StriaError('unsupported', `one step needs more than ${neededBytes / 2 ** 20} MiB of the file at once`);
    }
    for (let at = start; at < until; at += pageBytes) {
      const page = at / pageBytes;
      if (this.#pages.has(page)) continue;
      const wanted = Math.min(pageBytes, this.#source.size - at);
      const bytes = await this.#source.read(at, wanted, { signal });
      if (bytes.byteLength < wanted) throw new StriaError('not-readable', 'the file became shorter while it was read');
      this.#pages.set(page, bytes);
    }
  }

  /** Drops the pages that were fetched first. */
  #forget(): void {
    for (const page of this.#pages.keys()) {
      if (this.#pages.size * pageBytes <= keptBytes) return;
      this.#pages.delete(page);
    }
  }

  #faultOf(what: string, cause: unknown): StriaError {
    // The innermost error is last: `#004: H5Zdeflate.c line 130 in H5Z__filter_deflate(): inflate() failed`.
    const said = [...this.#library.errors.text.matchAll(/#\d+: .*?\(\): (.*)/g)].at(-1)?.[1];
    if (said?.startsWith('filter returned failure')) {
      return new StriaError('corrupt', `${what}: a chunk is damaged, or unpacks to far more than it declares`, { cause });
    }
    const thrown = cause instanceof Error ? cause.message : '';
    const reason = said ?? thrown;
    return new StriaError('corrupt', reason === '' ? what : `${what}: ${reason}`, { cause });
  }
}

/** Checks a handle or status of the library. Negative ones mean failure. @throws Error */
export function succeeded<T extends number | bigint>(result: T): T {
  if (result < 0) throw new Error('');
  return result;
}
