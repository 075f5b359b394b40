import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuScope } from '../../../core/gpu/scope.ts';
import { type ColorChoice, colormap, colorsOf } from '../colors/colormaps.ts';
import { labelTexels } from '../colors/label-texels.ts';
import type { ShownLabels } from '../model/label-look.ts';
import { mostLayers } from '../model/layers.ts';

/** More than the maximum number of layers, so that none is freed before its submit. */
const mostLabelColors = mostLayers + 2;

/** The maximum number of textures. Dragging a channel's colour passes through many colours. */
const mostColors = 64;

/** The colour textures for drawing slices. */
export class SliceColors {
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  /** The most recently used colormaps. Textures are never overwritten, because one submit may use several. */
  readonly #colors = new Map<string, GPUTexture>();
  /** The most recently used label colours: more than one frame draws. */
  readonly #labelColors = new Map<ShownLabels, { readonly scope: GpuScope; readonly texture: GPUTexture }>();

  /** @param scope owns the textures */
  constructor(gpu: Gpu, scope: GpuScope) {
    this.#gpu = gpu;
    this.#scope = scope;
  }

  /** @param labels the colours and visibility of labels, for a volume of labels */
  of(choice: ColorChoice, labels?: ShownLabels): GPUTexture {
    if (labels && colormap(choice.colormap).isCategorical) return this.#ofLabels(labels);
    const key = `${choice.colormap} ${choice.inverted}`;
    const known = this.#colors.get(key);
    // Keep the most recently used one last.
    this.#colors.delete(key);
    if (known) this.#colors.set(key, known);
    if (known) return known;
    for (const [oldest, unused] of this.#colors) {
      if (this.#colors.size < mostColors) break;
      this.#colors.delete(oldest);
      this.#scope.free(unused);
    }
    const colors = colorsOf(choice);
    const texels = Uint8Array.from({ length: 1024 }, (_, index) =>
      index % 4 === 3 ? 255 : (colors[Math.floor(index / 4) * 3 + (index % 4)] as number),
    );
    const texture = colorTexture(this.#gpu, this.#scope, texels);
    this.#colors.set(key, texture);
    return texture;
  }

  #ofLabels(labels: ShownLabels): GPUTexture {
    const known = this.#labelColors.get(labels);
    // Keep the most recently used one last.
    this.#labelColors.delete(labels);
    const scope = known?.scope ?? this.#scope.scope('labels');
    const texture = known?.texture ?? colorTexture(this.#gpu, scope, labelTexels(labels));
    this.#labelColors.set(labels, { scope, texture });
    for (const [oldest, unused] of this.#labelColors) {
      if (this.#labelColors.size <= mostLabelColors) break;
      this.#labelColors.delete(oldest);
      unused.scope.destroy();
    }
    return texture;
  }
}

function colorTexture(gpu: Gpu, scope: GpuScope, texels: Uint8Array<ArrayBuffer>): GPUTexture {
  const size: [number, number] = [256, texels.length / 1024];
  const texture = scope.texture('colors', texels.length, {
    size,
    format: 'rgba8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  gpu.device.queue.writeTexture({ texture }, texels, { bytesPerRow: 1024 }, size);
  return texture;
}
