import { StriaError, toStriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { LeastRecent } from '../shared/least-recent.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { LevelBox, LeveledVoxels } from '../shared/volume-level.ts';

/** Planes of a group that are read together if the file refuses the whole group, because too much of it would be read. */
const fewPlanes = 16;

/** A read that several callers wait for. */
interface SharedRead {
  readonly bytes: Promise<Uint8Array<ArrayBuffer>>;
  readonly abort: AbortController;
  /** The callers that still wait. */
  waiting: number;
  isDone: boolean;
}

/**
 * Boxes of voxels that several bricks share. Each is read once for all that ask for it at the same time, and the most recently used ones
 * are kept. A few are read at a time, in the order in which they are asked for.
 */
export class VoxelGroups {
  readonly #voxels: Pick<LeveledVoxels, 'read'>;
  readonly #cacheBytes: number;
  readonly #reads = new LeastRecent<string, SharedRead>();
  readonly #queue: (() => void)[] = [];
  #free: number;

  /** @param cacheBytes for groups that have been read @param readsAtOnce how many groups are read at a time */
  constructor(voxels: Pick<LeveledVoxels, 'read'>, cacheBytes: number, readsAtOnce: number) {
    this.#voxels = voxels;
    this.#cacheBytes = cacheBytes;
    this.#free = readsAtOnce;
  }

  /**
   * The voxels of a group. Callers must not change them.
   * @param planeBytes of the box
   * @throws StriaError `aborted` for a caller whose signal says so; otherwise as `LeveledVoxels.read`
   */
  async read(box: LevelBox, planeBytes: number, signal: AbortSignal | undefined): Promise<Uint8Array<ArrayBuffer>> {
    throwIfAborted(signal);
    const key = [box.level, ...box.first, box.timePoint].join();
    const shared = this.#reads.get(key) ?? this.#start(key, box, planeBytes);
    shared.waiting++;
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        reject(new StriaError('aborted', 'cancelled'));
        if (--shared.waiting > 0 || shared.isDone) return;
        shared.abort.abort();
        this.#reads.delete(key);
      };
    });
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([shared.bytes, left]);
    } finally {
      signal?.removeEventListener('abort', leave);
      if (!signal?.aborted) shared.waiting--;
    }
  }

  #start(key: string, box: LevelBox, planeBytes: number): SharedRead {
    const abort = new AbortController();
    const shared: SharedRead = { bytes: this.#readPlanes(box, planeBytes, abort.signal), abort, waiting: 0, isDone: false };
    // Its bytes count once they have been read.
    this.#reads.set(key, shared, 0);
    shared.bytes.then(
      () => {
        shared.isDone = true;
        if (this.#reads.peek(key) === shared) this.#reads.set(key, shared, planeBytes * box.size[2]);
        this.#evict();
      },
      () => {
        if (this.#reads.peek(key) === shared) this.#reads.delete(key);
      },
    );
    return shared;
  }

  /** Only groups that have been read are evicted. */
  #evict(): void {
    for (const [key, { isDone }] of this.#reads.oldest()) {
      if (this.#reads.bytes <= this.#cacheBytes) return;
      if (isDone) this.#reads.delete(key);
    }
  }

  async #readPlanes(box: LevelBox, planeBytes: number, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    await this.#turn();
    try {
      throwIfAborted(signal);
      const [width, height, depth] = box.size;
      const bytes = new Uint8Array(planeBytes * depth);
      // Read as a whole if possible: a chunk that is larger than the reader's cache is decoded for each part that touches it.
      let planes = depth;
      for (let z = 0; z < depth; ) {
        const first: Dims3 = [box.first[0], box.first[1], box.first[2] + z];
        const size: Dims3 = [width, height, Math.min(planes, depth - z)];
        try {
          bytes.set(await this.#voxels.read({ ...box, first, size }, { signal }), planeBytes * z);
          z += planes;
        } catch (error) {
          if (toStriaError(error).tag !== 'unsupported' || planes <= fewPlanes) throw error;
          planes = fewPlanes;
        }
      }
      return bytes;
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#free++;
    }
  }

  async #turn(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
  }
}
