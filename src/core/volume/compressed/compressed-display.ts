import type { Commands } from '../../gpu/commands.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { StriaError } from '../../shared/errors.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { recordLevels } from '../brick-grid.ts';
import {
  createDisplayStaging,
  createDisplayTexture,
  type DisplayStaging,
  type DisplayTexture,
  displayBytes,
  prepareDisplayFill,
} from '../display-texture.ts';
import type { VolumeStatistics } from '../statistics.ts';
import { numbersOf, type VolumeDisplay, type VolumeSource } from '../volume-source.ts';
import type { CompressedLayers, LayerSource } from './compressed-layers.ts';
import { planeBoxOf } from './compressed-planes.ts';
import { stackedPosition } from './compressed-probe.ts';

/** A display texture that would be larger than this is made coarser. */
const maxDisplayBytes = 2 ** 29;

/** The bytes of GPU memory that the display texture of a compressed volume takes. */
export function compressedDisplayBytes(info: Pick<VolumeInfo, 'dims' | 'type'>): number {
  return Math.min(maxDisplayBytes, displayBytes(info));
}

/** A display texture of a compressed volume, which is filled from decoded layers. It exists from `show` to `release`. */
export class CompressedDisplay implements VolumeDisplay {
  readonly layers: CompressedLayers;
  readonly #source: LayerSource;
  readonly #volume: Pick<VolumeSource, 'info' | 'statistics'>;
  readonly #label: string;
  #releases = 0;
  #numbers: VolumeSource['numbers'] = numbersOf(undefined);
  #scope: GpuScope | undefined;
  #texture: DisplayTexture | undefined;
  #fillScope: GpuScope | undefined;
  #staging: DisplayStaging | undefined;
  /** Records that fill the texture from each layer in turn, keyed by the plane of the layer's boxes at which a time point begins. */
  readonly #fills = new Map<number, readonly ((commands: Commands) => void)[]>();

  /**
   * @param layers layers across z, or whole time points
   * @param label label of the texture's GPU memory
   */
  constructor(source: LayerSource, volume: Pick<VolumeSource, 'info' | 'statistics'>, layers: CompressedLayers, label: string) {
    this.#source = source;
    this.#volume = volume;
    this.layers = layers;
    this.#label = label;
  }

  get texture(): DisplayTexture | undefined {
    return this.#texture;
  }

  /** @throws StriaError `aborted` if the texture was released meanwhile, `out-of-memory`, `device-lost` */
  async show(timePoint: number): Promise<DisplayTexture> {
    const { gpu } = this.#source;
    const releases = this.#releases;
    const statistics = await this.#volume.statistics();
    if (releases !== this.#releases) throw new StriaError('aborted', 'the volume was closed');
    const texture = this.#texture ?? (await this.#create(statistics));
    const commands = gpu.commands('display.fill');
    this.record(commands, timePoint);
    await commands.submit();
    // Only series fill the texture repeatedly.
    if (this.#volume.info.dims[3] === 1) this.freeFills();
    return texture;
  }

  async #create(statistics: VolumeStatistics): Promise<DisplayTexture> {
    const { gpu } = this.#source;
    const create = () => {
      const scope = gpu.scope(this.#label);
      this.#scope = scope;
      this.#numbers = numbersOf(statistics);
      this.#texture = createDisplayTexture(gpu, scope, this.#volume.info, statistics.numbers, maxDisplayBytes);
      return this.#texture;
    };
    const isKept = (texture: DisplayTexture) => this.#texture === texture;
    const texture = await gpu.allocate('to show the volume in 3D', create, (made) => {
      if (isKept(made)) this.release();
    });
    if (!isKept(texture)) throw new StriaError('aborted', 'the volume was closed');
    return texture;
  }

  destroy(): void {
    this.release();
  }

  release(): void {
    this.#releases++;
    this.freeFills();
    this.#scope?.destroy();
    this.#scope = this.#texture = undefined;
  }

  /** Frees what `prepare` created. */
  freeFills(): void {
    this.#fillScope?.destroy();
    this.#fillScope = this.#staging = undefined;
    this.#fills.clear();
  }

  /** Records decoding a time point and filling the texture with it. Does nothing without a texture. */
  record(commands: Commands, timePoint: number): void {
    if (!this.#texture) return;
    this.#fillsOf(this.#texture, timePoint).forEach((fill, layer) => {
      this.layers.record(commands, layer, timePoint);
      fill(commands);
    });
    recordLevels(this.#source.gpu, commands, this.#texture.bricks);
  }

  /** Creates the resources that `record` needs at a time point, except the decoded layers. Does nothing without a texture. */
  prepare(timePoint: number): void {
    if (this.#texture) this.#fillsOf(this.#texture, timePoint);
  }

  #fillsOf(texture: DisplayTexture, timePoint: number): readonly ((commands: Commands) => void)[] {
    const { gpu, grid, type } = this.#source;
    const [, , volumePlane] = stackedPosition(grid, [0, 0, 0], timePoint);
    const known = this.#fills.get(volumePlane);
    if (known) return known;
    this.#fillScope ??= (this.#scope as GpuScope).scope('fill');
    const scope = this.#fillScope;
    this.#staging ??= createDisplayStaging(scope, texture);
    const staging = this.#staging;
    const fills = Array.from({ length: this.layers.count }, (_, layer) => {
      const boxes = this.layers.boxes(layer, timePoint).map((box) => planeBoxOf(box, 0));
      const from = Math.min(...boxes.map(({ firstPlane }) => firstPlane));
      const to = Math.min(grid.dims[2], Math.max(...boxes.map(({ firstPlane, planeCount }) => firstPlane + planeCount)));
      const [first, end] = [Math.ceil(from / texture.step), Math.ceil(to / texture.step)];
      const part = { type, numbers: this.#numbers, boxes, volumePlane, first, end };
      return prepareDisplayFill(gpu, scope, texture, staging, part);
    });
    this.#fills.set(volumePlane, fills);
    return fills;
  }
}
