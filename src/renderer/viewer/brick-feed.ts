import type { HostBricks } from '../../core/bricks/host-bricks.ts';
import { canFilterBricks } from '../../core/bricks/number-texels.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { type StriaError, toStriaError } from '../../core/shared/errors.ts';
import { levelsNotMade } from '../../core/shared/volume-level.ts';
import type { VolumeSource } from '../../core/volume/volume-source.ts';
import type { ShownVolume } from './display-feed.ts';
import { type BrickFile, type BrickFileListener, BrickSpace } from './draw/brick-space.ts';
import { BrickMap } from './model/brick-map.ts';
import { hasChannels } from './model/channel-group.ts';
import type { BrickMemory, Bricks3d } from './model/viewer-api.ts';

/** Opens the bricks of a volume's file while a view needs them, and frees them when none does. */
export class BrickFeed {
  readonly #gpu: Gpu;
  readonly #listener: BrickFileListener;
  readonly #numbers: () => VolumeSource['numbers'];
  readonly #needsTexture: boolean;
  #file: BrickFile | undefined;
  #host: HostBricks | undefined;
  #map: BrickMap | undefined;
  #space: BrickSpace | undefined;
  /** The number of volumes that share the budgets, and the part of them that is used. */
  #sharers = 1;
  #fault: StriaError | undefined;
  #opening: Promise<void> | undefined;
  /** Counts changes of the file, so that outdated opening stops. */
  #turn = 0;

  /**
   * @param numbers `VolumeSource.numbers` of the volume
   * @param needsTexture whether rays can draw the bricks only from their texture, as those of layers. Channels of the open volume are such layers
   */
  constructor(gpu: Gpu, numbers: () => VolumeSource['numbers'], listener: BrickFileListener, needsTexture = false) {
    this.#needsTexture = needsTexture;
    this.#gpu = gpu;
    this.#numbers = numbers;
    this.#listener = listener;
  }

  /** Whether the open volume has bricks. */
  get hasFile(): boolean {
    return this.#file !== undefined;
  }

  get space(): BrickSpace | undefined {
    return this.#space;
  }

  /** Whether pending work will change the 3D view. */
  get isBusy(): boolean {
    return this.#opening !== undefined || this.#space?.isBusy === true;
  }

  /** Which bricks are loaded; undefined if there are none. */
  get map(): BrickMap | undefined {
    return this.#map;
  }

  /** The memory that bricks take; undefined if there are none. */
  get memory(): BrickMemory | undefined {
    const [file, host, space] = [this.#file, this.#host, this.#space];
    if (!file || !host || !space) return undefined;
    const { payloadBytes } = partOf(file.limits, this.#sharers, this.#needsTexture);
    const { use, atlas } = space.bricks;
    const { keptBytes, reservedBytes } = host.use;
    return {
      decoded: { used: use.usedSlots * atlas.slotBytes, limit: atlas.slotCount * atlas.slotBytes },
      compressed: { used: use.payloadBytes, limit: payloadBytes },
      host: { used: keptBytes + reservedBytes + (file.levelBytes ?? 0), limit: file.hostBytes / this.#sharers },
      levels: file.levels,
    };
  }

  /** The state of bricks that panels show. */
  told(): Bricks3d | undefined {
    if (this.#fault) return { fault: this.#fault.message, unread: undefined, isLoading: false, levels: undefined };
    if (!this.#opening && !this.#space) return undefined;
    const { unread: fault } = this.#space ?? {};
    // If levels are not made, `levels` says why.
    const unread = fault?.message === levelsNotMade ? undefined : fault?.message;
    return { fault: undefined, unread, isLoading: this.isBusy, levels: this.#file?.levels };
  }

  /** Resolves once bricks that are being opened can be drawn, or cannot be opened. */
  async opened(): Promise<void> {
    await this.#opening;
  }

  /** Sets the file of the open volume; undefined if it has no bricks. The caller owns the file. */
  set(file: BrickFile | undefined): void {
    if (file === this.#file) return;
    this.close();
    this.#file = file;
    if (!file) return;
    file.onLevels = () => {
      this.#listener.changed();
      if (file.levels?.kind === 'made') this.#listener.levelsMade();
    };
  }

  /** A time point is shown. */
  show(timePoint: number): void {
    this.#file?.show?.(timePoint);
  }

  /**
   * Whether a view needs the bricks.
   * @param shown the volume and texture of the 3D view, if there is one
   * @param isForSlices whether an oblique slice shows a volume that GPU memory holds only at a lower resolution
   */
  needs(shown: ShownVolume | undefined, isForSlices: boolean): boolean {
    return this.#file !== undefined && (isForSlices || (shown !== undefined && isCoarse(shown)));
  }

  /**
   * Opens or frees the bricks, depending on whether a view needs them.
   * @param sharers how many volumes, each with an equal part, share the budgets. If that changes, the bricks in GPU memory are loaded again
   */
  follow(isNeeded: boolean, sharers = 1): void {
    if (!isNeeded || sharers !== this.#sharers) this.#free();
    if (sharers !== this.#sharers) {
      // With another part of the budgets, bricks may fit that did not.
      this.#fault = undefined;
      this.#host?.setShare(1 / sharers);
    }
    this.#sharers = sharers;
    if (isNeeded && this.#file && !this.#space && !this.#opening && !this.#fault) this.#opening = this.#open(this.#file);
  }

  /** Frees everything on the GPU, and forgets the file. */
  close(): void {
    this.#free();
    if (this.#file) this.#file.onLevels = undefined;
    this.#file = undefined;
    this.#host = undefined;
    this.#fault = undefined;
  }

  #free(): void {
    this.#turn++;
    this.#opening = undefined;
    if (!this.#space) return;
    this.#space.close();
    this.#space = undefined;
    this.#map = undefined;
    this.#listener.changed();
  }

  async #open(file: BrickFile): Promise<void> {
    const turn = ++this.#turn;
    try {
      const host = await file.open();
      if (turn !== this.#turn || this.#gpu.isLost) return;
      this.#host = host;
      host.setShare(1 / this.#sharers);
      const { info } = host.source;
      const drawsTexture = this.#needsTexture || hasChannels(info) || canFilterBricks(this.#gpu, info.type);
      const part = partOf(file.limits, this.#sharers, this.#needsTexture);
      const limits = drawsTexture ? part : { ...part, textureBytes: 0 };
      this.#space = new BrickSpace(this.#gpu, host, limits, this.#numbers, this.#listener);
      this.#map = new BrickMap(this.#space.bricks);
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#fault = toStriaError(error);
    }
    this.#opening = undefined;
    this.#listener.changed();
  }
}

/** The texture of bricks with their aprons takes at most about this many times their bytes. */
const textureShare = 1.5;

/**
 * An equal part of the budgets for each of several volumes.
 * @param needsTexture whether the parts are redistributed if that leaves too little for a texture
 */
export function partOf(
  { atlasBytes, payloadBytes, textureBytes }: BrickFile['limits'],
  sharers: number,
  needsTexture: boolean,
): BrickFile['limits'] {
  const part = (bytes: number) => Math.floor(bytes / sharers);
  if (!needsTexture || textureBytes >= textureShare * atlasBytes)
    return { atlasBytes: part(atlasBytes), payloadBytes: part(payloadBytes), textureBytes: part(textureBytes) };
  const all = atlasBytes + payloadBytes + textureBytes;
  const forPayloads = Math.min(payloadBytes, all / 4);
  const forAtlas = Math.min(atlasBytes, (all - forPayloads) / (1 + textureShare));
  return {
    atlasBytes: part(forAtlas),
    payloadBytes: part(forPayloads),
    textureBytes: part(Math.min(textureShare * forAtlas, all - forPayloads - forAtlas)),
  };
}

/** Whether the 3D view's texture has a lower resolution than the volume. */
function isCoarse({ info, display }: ShownVolume): boolean {
  return display.dims.some((length, axis) => length < (info.dims[axis] as number));
}
