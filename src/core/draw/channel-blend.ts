import blendShader from '../../shaders/draw/channel-blend.wgsl';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Strip } from './ray-pass.ts';
import { type Blending, blendings } from './slice-pass.ts';

/** Twin: `Channels` in shaders/draw/channel-blend.wgsl. */
const blendWords = 6;
const tile = 8;

/** The picture of a channel that was drawn by itself. */
export interface ChannelPicture {
  /** Premultiplied, usage TEXTURE_BINDING. */
  readonly picture: GPUTexture;
  /** How it is blended with those before it. The first is not blended. */
  readonly blending: Blending;
}

/** Blends the pictures of up to five channels with shaders/draw/channel-blend.wgsl. */
export class ChannelBlend {
  readonly #gpu: Gpu;
  readonly #uniform: GPUBuffer;

  /** @param scope owns the uniform */
  constructor(gpu: Gpu, scope: GpuScope) {
    this.#gpu = gpu;
    this.#uniform = scope.buffer('blend', 4 * blendWords, GPUBufferUsage.UNIFORM);
  }

  /** Records a strip; one submit can have only one. @param target rgba8unorm, usage STORAGE_BINDING */
  record(commands: Commands, channels: readonly ChannelPicture[], target: GPUTexture, { width, count }: Strip): void {
    const further = channels.slice(1).map(({ blending }) => blendings.indexOf(blending));
    this.#gpu.device.queue.writeBuffer(this.#uniform, 0, Uint32Array.of(width, count, ...further));
    const variant = Object.fromEntries(further.map((_, at) => [`channels_${at + 2}`, true]));
    const kernel = this.#gpu.kernel({ label: 'view.channel-blend', shader: blendShader, variant });
    const pictures = channels.map(({ picture }) => picture.createView());
    const groups: [number, number, number] = [Math.ceil(width / tile), Math.ceil(count / tile), 1];
    commands.dispatch(kernel, [this.#uniform, target.createView(), ...pictures], groups);
  }
}
