import type { BrickRays } from '../../../core/bricks/brick-rays.ts';
import { ChannelBlend } from '../../../core/draw/channel-blend.ts';
import type { RayView, Strip } from '../../../core/draw/ray-pass.ts';
import { type RayStackLook, type RayVolume, rayStackBytes, rayStackFrame, stackVariant } from '../../../core/draw/ray-stack.ts';
import { rayTransferBytes, rayTransferSize } from '../../../core/draw/ray-transfer.ts';
import type { Commands } from '../../../core/gpu/commands.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuScope } from '../../../core/gpu/scope.ts';
import { colormap } from '../colors/colormaps.ts';
import { baseId, baseOpacity } from '../model/layers.ts';
import type { LayerIn3d, ShownMesh } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import type { BrickSpace } from './brick-space.ts';
import { type StackLook, stackTransfer } from './ray-volumes.ts';

/** A channel of the open volume that is drawn from bricks. */
export interface BrickChannel {
  readonly volume: RayVolume;
  readonly look: StackLook;
}

/** A frame of all channels. */
export interface ChannelFrame {
  readonly state: ViewState;
  readonly view: RayView;
  /** See `rayStackFrame`. */
  readonly step: number;
  readonly isDraft: boolean | undefined;
  readonly plane: RayStackLook['plane'];
  /** As many as `BrickRays.begin` got, in the same order. */
  readonly channels: readonly BrickChannel[];
}

/** What each channel of a frame needs of its own, because all channels are drawn in one submit. */
interface Drawn {
  readonly frame: GPUBuffer;
  readonly transfer: GPUTexture;
  transferKey: string;
  picture: GPUTexture | undefined;
}

/** The variant of shaders/draw/ray-stack.wgsl that draws each channel. */
export const channelVariant = stackVariant(1, { hasMeshes: false, isPaged: true, hasHalves: true });

/** Bytes of a pixel of 16-bit floats. With 8 bits, the sum of several pictures would be less exact than a ray through all channels. */
const pixelBytes = 8;

/**
 * Whether all that rays meet are image channels of the open volume, each of which can be drawn by itself. In compositing and isosurfaces,
 * volumes that are blended over others, and surfaces, hide each other by depth, so they cannot.
 */
export function areChannelsSeparate(
  state: ViewState,
  layers: readonly LayerIn3d[],
  meshes: readonly ShownMesh[] | undefined,
): boolean {
  const hasDepth = state.projection === 'composite' || state.projection === 'isosurface';
  const above = baseOpacity(state.layers) > 0 ? layers : layers.slice(1);
  return (
    layers.length > 0 &&
    !meshes?.length &&
    layers.every(({ look }) => look.of === baseId) &&
    !(hasDepth && above.some(({ look }) => look.blending === 'over')) &&
    ![state, ...layers.map(({ look }) => look)].some((look) => colormap(look.colormap).isCategorical)
  );
}

/** Whether the atlas has room for the coarsest level of all channels. Otherwise rays would miss bricks for ever. */
function haveChannelsRoom({ bricks: { source, atlas } }: BrickSpace, channels: number): boolean {
  const coarsest = source.levels.at(-1)?.grid.chunksPerTimePoint ?? 0;
  return channels * coarsest <= atlas.slotCount;
}

/** Whether the volume and its channels are drawn from these bricks with `BrickChannels`. */
export function drawsChannels(
  bricks: BrickSpace | undefined,
  state: ViewState,
  layers: readonly LayerIn3d[],
  meshes: readonly ShownMesh[] | undefined,
): boolean {
  return bricks !== undefined && areChannelsSeparate(state, layers, meshes) && haveChannelsRoom(bricks, 1 + layers.length);
}

/** Draws the channels of a volume from bricks, one after another, and blends their pictures. Free it with `destroy`. */
export class BrickChannels {
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #drawn: Drawn[] = [];
  readonly #blend: ChannelBlend;

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
    this.#scope = gpu.scope('view.channels');
    this.#blend = new ChannelBlend(gpu, this.#scope);
  }

  /** Records a strip. @param target as for `BrickRays.recordStack` */
  record(rays: BrickRays, commands: Commands, frame: ChannelFrame, target: GPUTexture, strip: Strip): void {
    const { state, view, step, isDraft, plane, channels } = frame;
    for (const { frame: own, transfer, picture } of this.#drawn.splice(channels.length))
      for (const each of [own, transfer, ...(picture ? [picture] : [])]) this.#scope.free(each);
    const pictures = channels.map(({ volume, look }, at) => {
      const drawn = this.#drawnAt(at);
      const picture = this.#pictureOf(drawn, strip);
      this.#gpu.device.queue.writeBuffer(
        drawn.frame,
        0,
        rayStackFrame([volume], view, { ...state, plane }, step, strip, isDraft),
      );
      this.#writeTransfer(drawn, state, look);
      const inputs = { projection: state.projection, displays: [], frame: drawn.frame, transfer: drawn.transfer };
      rays.recordStack(commands, inputs, picture, strip, at);
      return { picture, blending: volume.blending };
    });
    this.#blend.record(commands, pictures, target, strip);
  }

  destroy(): void {
    this.#scope.destroy();
  }

  #drawnAt(at: number): Drawn {
    const known = this.#drawn[at];
    if (known) return known;
    const transfer = this.#scope.texture('transfer', rayTransferBytes, {
      size: [...rayTransferSize],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    const frame = this.#scope.buffer('frame', rayStackBytes(1), GPUBufferUsage.UNIFORM);
    const drawn: Drawn = { frame, transfer, transferKey: '', picture: undefined };
    this.#drawn.push(drawn);
    return drawn;
  }

  /** The texture of a channel's picture, which is as large as the largest strip so far. */
  #pictureOf(drawn: Drawn, { width, count }: Strip): GPUTexture {
    const before = drawn.picture;
    if (before && width <= before.width && count <= before.height) return before;
    const size = [Math.max(width, before?.width ?? 0), Math.max(count, before?.height ?? 0)] as const;
    if (before) this.#scope.free(before);
    drawn.picture = this.#scope.texture('picture', pixelBytes * size[0] * size[1], {
      size: [...size],
      format: 'rgba16float',
      usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.TEXTURE_BINDING,
    });
    return drawn.picture;
  }

  #writeTransfer(drawn: Drawn, state: ViewState, look: StackLook): void {
    const { colormap: name, inverted } = look.look;
    const key = JSON.stringify([state.opacity, state.colormap, name, inverted]);
    if (key === drawn.transferKey) return;
    drawn.transferKey = key;
    const layout = { bytesPerRow: 4 * rayTransferSize[0] };
    this.#gpu.device.queue.writeTexture({ texture: drawn.transfer }, stackTransfer(state, look), layout, rayTransferSize);
  }
}
