import type { Commands } from '../../../core/gpu/commands.ts';
import { toStriaError } from '../../../core/shared/errors.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import { layerDisplayLabel } from '../../../core/volume/resident/resident-display.ts';
import type { VolumeDisplay, VolumeSource } from '../../../core/volume/volume-source.ts';

interface Kept {
  readonly volume: VolumeSource;
  readonly feed: VolumeDisplay;
  display: DisplayTexture | undefined;
  /** The time point that the texture shows or will show. */
  timePoint: number;
  hasNoMemory: boolean;
}

/** A layer that the 3D view should draw. */
export interface WantedDisplay {
  readonly id: string;
  readonly volume: VolumeSource;
  readonly timePoint: number;
}

/**
 * The layers' textures for the 3D view. A texture is made when its layer is first drawn, and kept even while the layer is hidden, until
 * `keep` omits it. Fills run one after another, and outdated ones are skipped.
 */
export class LayerDisplays {
  readonly #onContent: () => void;
  readonly #kept = new Map<string, Kept>();
  #work: Promise<void> = Promise.resolve();
  #fills = 0;

  /** @param onContent called when a texture shows something else, or could not be made */
  constructor(onContent: () => void) {
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

  /** Frees the textures of all layers except these at once. Textures that did not fit are tried again when next shown. */
  keep(volumes: ReadonlyMap<string, VolumeSource | undefined>): void {
    let hasFreed = false;
    for (const [id, { volume, feed, display }] of [...this.#kept]) {
      if (volumes.get(id) === volume) continue;
      this.#kept.delete(id);
      feed.destroy();
      hasFreed ||= display !== undefined;
    }
    if (hasFreed) this.#forgetFailed();
  }

  /** Must be called when GPU memory was freed elsewhere: textures that did not fit are tried again when next shown. */
  memoryFreed(): void {
    this.#forgetFailed();
  }

  show(layers: readonly WantedDisplay[]): void {
    for (const { id, volume, timePoint } of layers) {
      const known = this.#kept.get(id);
      if (known && (known.hasNoMemory || known.timePoint === timePoint)) continue;
      const kept = known ?? this.#newOf(volume, timePoint);
      kept.timePoint = timePoint;
      this.#kept.set(id, kept);
      this.#fill(id, kept, timePoint);
    }
  }

  /** Records filling the textures that exist, so that a frame of playback shows all layers at the same time. */
  record(commands: Commands, layers: readonly WantedDisplay[]): void {
    for (const { id, timePoint } of layers) {
      const kept = this.#kept.get(id);
      if (!kept?.display || kept.timePoint === timePoint) continue;
      kept.timePoint = timePoint;
      kept.feed.record(commands, timePoint);
    }
  }

  #forgetFailed(): void {
    for (const [id, { feed, hasNoMemory }] of [...this.#kept]) {
      if (!hasNoMemory) continue;
      this.#kept.delete(id);
      feed.destroy();
    }
  }

  #newOf(volume: VolumeSource, timePoint: number): Kept {
    const feed = volume.newDisplay(layerDisplayLabel);
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
        // `Gpu.onLost` tells the device's owner about a loss.
        if (toStriaError(error).tag === 'out-of-memory' && this.#kept.get(id) === kept) kept.hasNoMemory = true;
      })
      .finally(() => {
        this.#fills--;
        this.#onContent();
      });
  }
}
