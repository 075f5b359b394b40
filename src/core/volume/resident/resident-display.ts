import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { StriaError } from '../../shared/errors.ts';
import { recordLevels } from '../brick-grid.ts';
import {
  createDisplayStaging,
  createDisplayTexture,
  type DisplayBox,
  type DisplayStaging,
  type DisplayTexture,
  prepareDisplayFill,
} from '../display-texture.ts';
import type { VolumeDisplay, VolumeSource } from '../volume-source.ts';

/** The label of the GPU memory that layers take in addition to their voxels. */
export const layerDisplayLabel = 'layer.display';

/** Voxels in GPU memory, all at once. */
export interface DisplaySource extends Pick<VolumeSource, 'info' | 'dims' | 'numbers' | 'statistics'> {
  readonly placedBoxes: readonly DisplayBox[];
}

/** A display texture of a volume in GPU memory, and the resources that fill it. A volume may have several: one for each time point shown. */
export class ResidentDisplay implements VolumeDisplay {
  readonly #gpu: Gpu;
  readonly #source: DisplaySource;
  readonly #label: string;
  #scope: GpuScope;
  #display: DisplayTexture | undefined;
  #creating: Promise<DisplayTexture> | undefined;
  /** Owns the resources that fill the display texture: the staging buffer, and the tables of time points. */
  #fillScope: GpuScope | undefined;
  #staging: DisplayStaging | undefined;
  readonly #fills = new Map<number, (commands: Commands) => void>();
  #isDestroyed = false;

  /** @param label of the texture's GPU memory */
  constructor(gpu: Gpu, label: string, source: DisplaySource) {
    this.#gpu = gpu;
    this.#source = source;
    this.#label = label;
    this.#scope = gpu.scope(label);
  }

  /**
   * Fills the texture with a time point. It is always the same texture.
   * @throws StriaError `aborted` if the display was destroyed, `out-of-memory`, `device-lost`
   */
  async show(timePoint: number): Promise<DisplayTexture> {
    this.#creating ??= this.#create().catch((error: unknown) => {
      // Memory may be free when it is shown next.
      this.#creating = undefined;
      this.#scope.destroy();
      if (!this.#isDestroyed) this.#scope = this.#gpu.scope(this.#label);
      throw error;
    });
    const display = await this.#creating;
    if (this.#isDestroyed) throw closed();
    const commands = this.#gpu.commands('display.fill');
    this.record(commands, timePoint);
    await commands.submit();
    this.#freeFills();
    return display;
  }

  /** Records filling the texture, if there is one. */
  record(commands: Commands, timePoint: number): void {
    if (!this.#display) return;
    this.#fillOf(this.#display, timePoint)(commands);
    recordLevels(this.#gpu, commands, this.#display.bricks);
  }

  /** Creates the tables of all time points, so that `record` uploads nothing. */
  prepareAll(): void {
    if (!this.#display) return;
    for (let timePoint = 0; timePoint < this.#source.dims[3]; timePoint++) this.#fillOf(this.#display, timePoint);
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#scope.destroy();
  }

  async #create(): Promise<DisplayTexture> {
    const { info, dims } = this.#source;
    const { numbers } = await this.#source.statistics();
    if (this.#isDestroyed) throw closed();
    this.#display = await this.#gpu.allocate(
      'to show the volume in 3D',
      () => createDisplayTexture(this.#gpu, this.#scope, { dims, type: info.type }, numbers),
      () => this.#scope.destroy(),
    );
    return this.#display;
  }

  #fillOf(display: DisplayTexture, timePoint: number): (commands: Commands) => void {
    this.#fillScope ??= this.#scope.scope('fill');
    this.#staging ??= createDisplayStaging(this.#fillScope, display);
    const known = this.#fills.get(timePoint);
    if (known) return known;
    const { info, dims, numbers, placedBoxes: boxes } = this.#source;
    const part = { type: info.type, numbers, boxes, volumePlane: timePoint * dims[2], first: 0, end: display.dims[2] };
    const fill = prepareDisplayFill(this.#gpu, this.#fillScope, display, this.#staging, part);
    this.#fills.set(timePoint, fill);
    return fill;
  }

  /** Frees the resources that fill the texture, unless the volume is a series, whose playback fills it repeatedly. */
  #freeFills(): void {
    if (this.#source.dims[3] > 1) return;
    this.#fillScope?.destroy();
    this.#fillScope = this.#staging = undefined;
    this.#fills.clear();
  }
}

function closed(): StriaError {
  return new StriaError('aborted', 'the volume was closed');
}
