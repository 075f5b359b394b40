import type { VolumeSource } from '../../core/volume/volume-source.ts';
import type { Voxel } from './model/slice-geometry.ts';
import type { BeyondProbe, LayerProbe, Probe } from './model/viewer-api.ts';

interface ProbeWish {
  readonly volume: VolumeSource;
  /** The voxel to read. Outside the volume, only layers are read. */
  readonly voxel: Voxel;
  readonly isBeyond: boolean;
  readonly timePoint: number;
  readonly layers: readonly LayerWish[];
}

/** A voxel of a layer at the same place. */
export interface LayerWish {
  readonly id: string;
  readonly volume: VolumeSource;
  readonly voxel: Voxel;
  readonly timePoint: number;
}

/** A read that has begun. */
interface ProbeRead {
  readonly wish: ProbeWish;
  readonly layers: Map<string, LayerProbe>;
  /** Undefined until it has been read, and outside the volume. */
  stored?: number | undefined;
  isShown: boolean;
}

/** How long a value waits for those of layers, so that they do not vanish and reappear while the pointer moves. In milliseconds. */
const layerPatienceMs = 30;

/**
 * Reads the voxel under the pointer back from the GPU or the file, one read at a time for the volume and for each layer. Meanwhile
 * only the latest request is kept. A result is reported even if the pointer has moved on, but not after `clear`. Layers that take
 * long are reported later than the volume.
 */
export class ProbeReader {
  readonly #report: (probe: Probe | undefined, beyond?: BeyondProbe) => void;
  readonly #reads = new NewestTask();
  #layerReads = new Map<string, NewestTask>();
  /** The current read, as long as a result of it is wanted and still to come. */
  #read: ProbeRead | undefined;

  /** @param report receives the result; `beyond` has the values of layers outside the volume */
  constructor(report: (probe: Probe | undefined, beyond?: BeyondProbe) => void) {
    this.#report = report;
  }

  /** Whether a result will still be reported. */
  get isBusy(): boolean {
    return this.#reads.isWaiting || this.#read !== undefined;
  }

  clear(): void {
    this.#reads.drop();
    for (const reads of this.#layerReads.values()) reads.drop();
    this.#read = undefined;
    this.#report(undefined);
  }

  request(volume: VolumeSource, voxel: Voxel, timePoint: number, layers: readonly LayerWish[] = []): void {
    this.#want({ volume, voxel, isBeyond: false, timePoint, layers });
  }

  /** Requests only the values of layers, at a voxel outside the volume. */
  requestBeyond(volume: VolumeSource, voxel: Voxel, timePoint: number, layers: readonly LayerWish[]): void {
    this.#want({ volume, voxel, isBeyond: true, timePoint, layers });
  }

  #want(wish: ProbeWish): void {
    this.#reads.run(async () => {
      const read: ProbeRead = { wish, layers: new Map(), isShown: false };
      this.#read = read;
      const layers = this.#readLayers(read);
      read.stored = await readBase(wish);
      await Promise.race([layers, new Promise((resolve) => setTimeout(resolve, layerPatienceMs))]);
      read.isShown = true;
      this.#show(read);
      void layers.then(() => {
        if (this.#read === read) this.#read = undefined;
      });
    });
  }

  /** Resolves when no layer is being read or waits, also for a newer request. */
  async #readLayers(read: ProbeRead): Promise<void> {
    const { layers } = read.wish;
    this.#layerReads = new Map(layers.map(({ id }) => [id, this.#layerReads.get(id) ?? new NewestTask()]));
    const work = layers.map((layer) =>
      this.#layerReads.get(layer.id)?.run(async () => {
        const probe = await readLayer(layer);
        if (probe) read.layers.set(layer.id, probe);
        if (read.isShown) this.#show(read);
      }),
    );
    await Promise.all(work);
  }

  #show(read: ProbeRead): void {
    if (this.#read !== read) return;
    const { stored, wish } = read;
    const { volume, voxel } = wish;
    const layers = wish.layers.flatMap(({ id }) => read.layers.get(id) ?? []);
    if (stored === undefined) {
      this.#report(undefined, layers.length > 0 ? { voxel, layers } : undefined);
      return;
    }
    const { slope, intercept } = volume.info;
    const isNearest = volume.decimation > 1 && !volume.file;
    this.#report({ voxel, stored, value: slope * stored + intercept, isNearest, layers });
  }
}

/** Runs one task at a time. Of the tasks that wait, only the newest runs. */
class NewestTask {
  #waiting: (() => Promise<void>) | undefined;
  #running: Promise<void> | undefined;

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Resolves when no task runs or waits. */
  run(task: () => Promise<void>): Promise<void> {
    this.#waiting = task;
    this.#running ??= this.#runAll();
    return this.#running;
  }

  /** Forgets the task that waits. */
  drop(): void {
    this.#waiting = undefined;
  }

  async #runAll(): Promise<void> {
    while (this.#waiting) {
      const task = this.#waiting;
      this.#waiting = undefined;
      await task();
    }
    this.#running = undefined;
  }
}

/** Undefined outside the volume, or if the volume, its file or the device is gone. */
async function readBase({ volume, voxel, isBeyond, timePoint }: ProbeWish): Promise<number | undefined> {
  if (isBeyond) return undefined;
  try {
    return await volume.voxel(...voxel, timePoint);
  } catch {
    return undefined;
  }
}

/** Undefined if the layer was removed meanwhile. */
async function readLayer({ id, volume, voxel, timePoint }: LayerWish): Promise<LayerProbe | undefined> {
  try {
    return { id, voxel, stored: await volume.voxel(...voxel, timePoint) };
  } catch {
    return undefined;
  }
}
