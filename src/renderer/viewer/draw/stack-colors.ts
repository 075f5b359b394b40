import { rayTransferSize } from '../../../core/draw/ray-transfer.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuScope } from '../../../core/gpu/scope.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { type StackLook, stackTransfer } from './ray-volumes.ts';

/** The texture of the transfer functions of several volumes, which is written when one of them changes. */
export class StackColors {
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  #written: { readonly texture: GPUTexture; readonly key: string; readonly labels: readonly unknown[] } | undefined;

  /** @param scope owns the texture */
  constructor(gpu: Gpu, scope: GpuScope) {
    this.#gpu = gpu;
    this.#scope = scope;
  }

  /** @param rows `rayStackRows` of each volume */
  of(state: ViewState, looks: readonly StackLook[], rows: readonly number[]): GPUTexture {
    const colors = looks.map(({ look: { colormap: name, inverted }, display: { low, high } }) => [name, inverted, low, high]);
    const key = JSON.stringify([state.opacity, state.colormap, colors, rows]);
    const labels = looks.map((look) => look.labels);
    const known = this.#written;
    if (known?.key === key && labels.every((each, at) => each === known.labels[at])) return known.texture;
    const [width] = rayTransferSize;
    const height = rows.reduce((sum, count) => sum + count, 0);
    const isSame = known?.texture.height === height;
    if (known && !isSame) this.#scope.free(known.texture);
    const texture = isSame ? known.texture : transferIn(this.#scope, [width, height]);
    let row = 0;
    for (const [at, look] of looks.entries()) {
      const count = rows[at] as number;
      const layout = { bytesPerRow: 4 * width };
      const target = { texture, origin: [0, row] };
      this.#gpu.device.queue.writeTexture(target, stackTransfer(state, look), layout, [width, count]);
      row += count;
    }
    this.#written = { texture, key, labels };
    return texture;
  }
}

/** A texture for transfer functions. */
export function transferIn(scope: GpuScope, size: readonly [width: number, height: number]): GPUTexture {
  return scope.texture('transfer', 4 * size[0] * size[1], {
    size: [...size],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
}
