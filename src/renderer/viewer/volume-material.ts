import {
  BackSide,
  CustomBlending,
  DataTexture,
  ExternalTexture,
  OneFactor,
  OneMinusSrcAlphaFactor,
  Vector3,
  Vector4,
} from 'three';
import { positionLocal, sampler, screenCoordinate, texture, texture3D, uniform, wgslFn } from 'three/tsl';
import { NodeMaterial } from 'three/webgpu';
import type { DisplayTexture } from '../../core/engine/display-texture.ts';
import rayMarchCode from '../../shaders/view/ray-march.wgsl?raw';
import { colormap } from './colormaps.ts';
import { isFloorOpaque, transferTexels } from './transfer-function.ts';
import type { ViewState } from './viewer-api.ts';

/** Opacities of the transfer function hold for this length, in parts of the volume's longest edge. */
const opacityLength = 1 / 160;
/** Samples along the volume's longest edge, at least, at one texel a step. */
const fewestSteps = 192;

/** The ray marcher as a material for the back faces of a unit cube, and its uniforms. */
export class VolumeMaterial {
  readonly material = new NodeMaterial();
  readonly #display: DisplayTexture;
  readonly #eye = uniform(new Vector3());
  readonly #window = uniform(new Vector4());
  readonly #march = uniform(new Vector4());
  readonly #transfer = new DataTexture(new Uint8Array(2 * 256 * 4), 256, 2);
  #transferKey = '';

  /** @param edges lengths of the cube's edges in the scene */
  constructor(display: DisplayTexture, edges: readonly [number, number, number]) {
    this.#display = display;
    const volume = texture3D(external(display.texture));
    const { material } = this;
    material.fragmentNode = wgslFn(rayMarchCode)({
      exit: positionLocal,
      eye: this.#eye,
      volume,
      volume_sampler: sampler(volume),
      transfer: texture(this.#transfer),
      bricks: texture3D(external(display.bricks.texture)),
      dims: uniform(new Vector4(...display.dims, display.bricks.size)),
      edges: uniform(new Vector3(...edges)),
      window: this.#window,
      march: this.#march,
      pixel: screenCoordinate,
    });
    material.side = BackSide;
    material.transparent = true;
    material.depthTest = false;
    material.depthWrite = false;
    // The shader's colours are premultiplied.
    material.blending = CustomBlending;
    material.blendSrc = OneFactor;
    material.blendDst = OneMinusSrcAlphaFactor;
  }

  /**
   * @param eye in the unit cube
   * @param step how far samples lie apart, in texels, or less in a small volume
   */
  update(state: ViewState, eye: Vector3, step: number): void {
    const { low, high, dims } = this.#display;
    const [from, to] = state.window;
    const width = Math.max(to - from, Number.EPSILON * Math.max(1, Math.abs(to)));
    const categories = colormap(state.colormap).isCategorical ? width : 0;
    // A few large texels need more samples each, or single samples show.
    const texelsPerStep = step * Math.min(1, Math.max(...dims) / fewestSteps);
    this.#eye.value.copy(eye);
    this.#window.value.set((high - low) / width, (low - from) / width, state.projection === 'mip' ? 1 : 2, categories);
    // The longest way through the cube, and the start's shift.
    const rounds = Math.ceil(Math.hypot(...dims) / texelsPerStep) + 2;
    this.#march.value.set(texelsPerStep, rounds, opacityLength, isFloorOpaque(state.colormap) ? 1 : 0);
    const key = JSON.stringify([state.colormap, state.opacity]);
    if (key === this.#transferKey) return;
    this.#transferKey = key;
    this.#transfer.image.data?.set(transferTexels(state));
    this.#transfer.needsUpdate = true;
  }

  dispose(): void {
    this.material.dispose();
    this.#transfer.dispose();
  }
}

/** A 3D texture of ours as one of three's: see `WGSLNodeBuilder`, which asks for `is3DTexture`. */
function external(source: GPUTexture): ExternalTexture {
  return Object.assign(new ExternalTexture(source), { is3DTexture: true });
}
