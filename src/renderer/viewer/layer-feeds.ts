import type { Gpu } from '../../core/gpu/gpu.ts';
import type { VolumeSource } from '../../core/volume/volume-source.ts';
import { BrickFeed } from './brick-feed.ts';
import type { ShownVolume } from './display-feed.ts';
import type { BrickFile, BrickFileListener, BrickSpace } from './draw/brick-space.ts';
import type { BrickMemory, Bricks3d, UsedBytes } from './model/viewer-api.ts';

interface Kept {
  readonly file: BrickFile;
  readonly feed: BrickFeed;
}

/** The bricks of layers for the 3D view, by the ids of their volumes (`volumeIdOf`). */
export class LayerFeeds {
  readonly #gpu: Gpu;
  readonly #numbersOf: (id: string) => VolumeSource['numbers'];
  readonly #listener: BrickFileListener;
  readonly #kept = new Map<string, Kept>();

  /** @param numbersOf `VolumeSource.numbers` of a layer's volume */
  constructor(gpu: Gpu, numbersOf: (id: string) => VolumeSource['numbers'], listener: BrickFileListener) {
    this.#gpu = gpu;
    this.#numbersOf = numbersOf;
    this.#listener = listener;
  }

  /** The number of volumes. */
  get size(): number {
    return this.#kept.size;
  }

  /** The bricks that can be drawn. */
  get spaces(): ReadonlyMap<string, BrickSpace> {
    return new Map([...this.#kept].flatMap(([id, { feed }]) => (feed.space ? [[id, feed.space] as const] : [])));
  }

  get isBusy(): boolean {
    return this.#feeds.some(({ isBusy }) => isBusy);
  }

  /** Resolves once bricks that are being opened can be drawn, or cannot be opened. */
  async opened(): Promise<void> {
    await Promise.all(this.#feeds.map((feed) => feed.opened()));
  }

  /** Sets the files of the layers that have bricks. The caller owns them. */
  set(files: ReadonlyMap<string, BrickFile>): void {
    for (const [id, { file, feed }] of [...this.#kept]) {
      if (files.get(id) === file) continue;
      feed.close();
      this.#kept.delete(id);
    }
    for (const [id, file] of files) {
      if (this.#kept.has(id)) continue;
      const feed = new BrickFeed(this.#gpu, () => this.#numbersOf(id), this.#listener, true);
      feed.set(file);
      this.#kept.set(id, { file, feed });
    }
  }

  /** The volumes whose bricks a 3D view needs. @param shown their textures in the 3D view */
  needed(shown: ReadonlyMap<string, ShownVolume>): ReadonlySet<string> {
    return new Set([...this.#kept].flatMap(([id, { feed }]) => (feed.needs(shown.get(id), false) ? [id] : [])));
  }

  /** Opens the bricks of these volumes, and frees all others. @param sharers see `BrickFeed.follow` */
  follow(needed: ReadonlySet<string>, sharers: number): void {
    for (const [id, { feed }] of this.#kept) feed.follow(needed.has(id), sharers);
  }

  /** A time point of a volume is shown. */
  show(id: string, timePoint: number): void {
    this.#kept.get(id)?.feed.show(timePoint);
  }

  /**
   * The state that panels show, together with that of the open volume's bricks.
   * @param isWhole whether GPU memory holds all voxels of the open volume
   */
  told(open: Bricks3d | undefined, isWhole: boolean): Bricks3d | undefined {
    const all = this.#feeds.map((feed) => feed.told()).filter((told) => told !== undefined);
    const [first] = all;
    // If the open volume is drawn at a lower resolution, that is the more important message.
    if (!first || open?.fault !== undefined || (!open && !isWhole)) return open;
    const unread = open?.unread ?? all.find((told) => told.unread !== undefined)?.unread;
    const isLoading = open?.isLoading === true || all.some((told) => told.isLoading);
    return { fault: undefined, unread, isLoading, levels: open ? open.levels : first.levels };
  }

  /** The memory that all of these bricks take, together with those of the open volume. */
  withMemory(open: BrickMemory | undefined): BrickMemory | undefined {
    const all = [open, ...this.#feeds.map(({ memory }) => memory)].filter((each) => each !== undefined);
    const [first] = all;
    if (!first) return undefined;
    const sum = (part: (memory: BrickMemory) => UsedBytes): UsedBytes => ({
      used: all.reduce((bytes, memory) => bytes + part(memory).used, 0),
      limit: all.reduce((bytes, memory) => bytes + part(memory).limit, 0),
    });
    const { levels } = open ?? first;
    return {
      decoded: sum(({ decoded }) => decoded),
      compressed: sum(({ compressed }) => compressed),
      host: sum(({ host }) => host),
      levels,
    };
  }

  close(): void {
    this.set(new Map());
  }

  get #feeds(): readonly BrickFeed[] {
    return [...this.#kept.values()].map(({ feed }) => feed);
  }
}
