import { StriaError, toStriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { LeastRecent } from '../shared/least-recent.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { LevelBox, LeveledVoxels } from '../shared/volume-level.ts';

/** Planes of a group that are read at once if the file refuses the whole group, because too much of it would be read. */
export const fewPlanes = 16;

/** How groups of a layer are read together, to share the chunks that are decoded for them. */
export interface Together {
  /** The limit for the voxels of these groups. */
  readonly bytes: number;
  /** The planes that are read of each group before the next ones are. */
  readonly planes: number;
}

/** A group that waits for its turn. */
interface WaitingGroup {
  readonly box: LevelBox;
  readonly planeBytes: number;
  readonly signal: AbortSignal;
  readonly resolve: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (error: unknown) => void;
}

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
  #queue: WaitingGroup[] = [];
  readonly #together: Together | undefined;
  #free: number;

  /**
   * @param cacheBytes for groups that have been read
   * @param readsAtOnce how many groups are read at a time
   * @param together undefined if each group is read by itself
   */
  constructor(voxels: Pick<LeveledVoxels, 'read'>, cacheBytes: number, readsAtOnce: number, together?: Together) {
    this.#voxels = voxels;
    this.#cacheBytes = cacheBytes;
    this.#free = readsAtOnce;
    this.#together = together;
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
    const shared: SharedRead = { bytes: this.#readInTurn(box, planeBytes, abort.signal), abort, waiting: 0, isDone: false };
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

  /** Reads a group when its turn comes, or earlier, together with another one of its layer. */
  #readInTurn(box: LevelBox, planeBytes: number, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ box, planeBytes, signal, resolve, reject });
      void this.#readNext();
    });
  }

  async #readNext(): Promise<void> {
    if (this.#free === 0) return;
    const group = this.#nextTogether();
    if (group.length === 0) return;
    this.#free--;
    try {
      await this.#readTogether(group);
    } catch (error) {
      // There is not enough memory for them.
      for (const { reject } of group) reject(error);
    }
    this.#free++;
    void this.#readNext();
  }

  /** Removes the first group that waits from the queue, and others of its layer. */
  #nextTogether(): readonly WaitingGroup[] {
    // Those that nobody waits for any more take no memory from the others.
    for (const { signal, reject } of this.#queue) if (signal.aborted) reject(new StriaError('aborted', 'cancelled'));
    this.#queue = this.#queue.filter(({ signal }) => !signal.aborted);
    const [first, ...others] = this.#queue;
    if (!first) return [];
    const together = [first];
    const most = this.#together?.bytes ?? 0;
    let sum = bytesOf(first);
    for (const other of others) {
      if (!isOfLayer(other.box, first.box) || sum + bytesOf(other) > most) continue;
      together.push(other);
      sum += bytesOf(other);
    }
    for (const one of together) this.#queue.splice(this.#queue.indexOf(one), 1);
    return together;
  }

  /**
   * Reads the groups of a layer. Each is read as a whole if it is alone and the file allows it, because a chunk that is larger than the reader's
   * cache is decoded for each part that touches it. Several are read a few planes at a time, so that the reader still has their chunks.
   */
  async #readTogether(groups: readonly WaitingGroup[]): Promise<void> {
    const depth = groups[0]?.box.size[2] ?? 0;
    let open = groups.map((group) => ({ ...group, bytes: new Uint8Array(bytesOf(group)) }));
    let planes = groups.length > 1 ? (this.#together?.planes ?? depth) : depth;
    for (let z = 0; z < depth && open.length > 0; ) {
      const count = Math.min(planes, depth - z);
      let isTooMuch = false;
      for (const group of [...open]) {
        const { box, planeBytes, bytes, signal, reject } = group;
        const first: Dims3 = [box.first[0], box.first[1], box.first[2] + z];
        const size: Dims3 = [box.size[0], box.size[1], count];
        try {
          throwIfAborted(signal);
          bytes.set(await this.#voxels.read({ ...box, first, size }, { signal }), planeBytes * z);
        } catch (error) {
          isTooMuch = toStriaError(error).tag === 'unsupported' && planes > fewPlanes;
          if (isTooMuch) break;
          open = open.filter((other) => other !== group);
          reject(error);
        }
      }
      if (isTooMuch) planes = fewPlanes;
      else z += count;
    }
    for (const { bytes, resolve } of open) resolve(bytes);
  }
}

function bytesOf({ box, planeBytes }: WaitingGroup): number {
  return planeBytes * box.size[2];
}

function isOfLayer(box: LevelBox, other: LevelBox): boolean {
  const isSame = box.level === other.level && box.timePoint === other.timePoint;
  return isSame && box.first[2] === other.first[2] && box.size[2] === other.size[2];
}
