import type { Gpu } from '../../../core/gpu/gpu.ts';
import { toStriaError } from '../../../core/shared/errors.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import { layerDisplayLabel, ResidentDisplay } from '../../../core/volume/resident-display.ts';
import { ResidentVolume } from '../../../core/volume/resident-volume.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';

interface Kept {
  readonly volume: VolumeSource;
  readonly feed: ResidentDisplay;
  display: DisplayTexture | undefined;
  /** The time point that the texture shows or will show. */
  timePoint: number;
  hasNoMemory: boolean;
}

/** A layer that the 3D view is to draw. */
export interface WantedDisplay {
  readonly id: string;
  readonly volume: VolumeSource;
  readonly timePoint: number;
}

/**
 * The layers' textures for the 3D view. A texture is made when its layer is first drawn, and kept while the layer is hidden, until
 * `keep` leaves it out. Fills run one after another, and outdated ones are skipped.
 */
export class LayerDisplays {
  readonly #gpu: Gpu;
  readonly #onContent: () => void;
  readonly #kept = new Map<string, Kept>();
  #work: Promise<void> = Promise.resolve();
  #fills = 0;

  /** @param onContent called when a texture shows something else, or could not be made */
  constructor(gpu: Gpu, onContent: () => void) {
    this.#gpu = gpu;
    this.#onContent = onContent;
  }

  /** A layer's texture, once it is filled. */
  displayOf(id: string): DisplayTexture | undefined {
    return this.#kept.get(id)?.display;
  }

  /** The layers whose texture did not fit into GPU memory. */
  get withoutMemory(): readonly string[] {
    return [...this.#kept].filter(([, { hasNoMemory }]) => hasNoMemory).map(([id]) => id);
  }

  /** Resolves when everything requested so far is shown. */
  settled(): Promise<void> {
    return this.#work;
  }

  get isBusy(): boolean {
    return this.#fills > 0;
  }

  /** Frees at once the textures of all layers but these. */
  keep(volumes: ReadonlyMap<string, VolumeSource>): void {
    for (const [id, { volume, feed }] of [...this.#kept]) {
      if (volumes.get(id) === volume) continue;
      this.#kept.delete(id);
      feed.destroy();
    }
  }

  show(layers: readonly WantedDisplay[]): void {
    for (const { id, volume, timePoint } of layers) {
      const known = this.#kept.get(id);
      if (known?.volume === volume && known.timePoint === timePoint) continue;
      // Only layers that are kept as voxels are drawn: see `loadLayer`.
      if (!(volume instanceof ResidentVolume)) continue;
      const kept = known ?? this.#newOf(volume, timePoint);
      kept.timePoint = timePoint;
      this.#kept.set(id, kept);
      this.#fill(id, kept, timePoint);
    }
  }

  #newOf(volume: ResidentVolume, timePoint: number): Kept {
    const feed = new ResidentDisplay(this.#gpu, layerDisplayLabel, volume);
    return { volume, feed, display: undefined, timePoint, hasNoMemory: false };
  }

  #fill(id: string, kept: Kept, timePoint: number): void {
    this.#fills++;
    const isWanted = () => this.#kept.get(id) === kept && kept.timePoint === timePoint;
    const fill = async () => {
      if (!isWanted()) return;
      const display = await kept.feed.show(timePoint);
      if (this.#kept.get(id) !== kept) return;
      kept.display = display;
    };
    this.#work = this.#work
      .then(fill)
      .catch((error) => {
        // The owner of the device learns of its loss from `Gpu.onLost`.
        if (toStriaError(error).tag === 'out-of-memory' && this.#kept.get(id) === kept) kept.hasNoMemory = true;
      })
      .finally(() => {
        this.#fills--;
        this.#onContent();
      });
  }
}
