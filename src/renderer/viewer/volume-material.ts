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
import { type Node, NodeMaterial } from 'three/webgpu';
import type { DisplayTexture } from '../../core/engine/display-texture.ts';
import { type Projection, type RayLook, rayMarchCode, rayParameters } from '../../core/engine/ray-pass.ts';
import { colormap } from './colormaps.ts';
import { isFloorOpaque, transferTexels } from './transfer-function.ts';
import type { ViewState } from './viewer-api.ts';

/** The ray marcher as a material for the back faces of a unit cube, and its uniforms. */
export class VolumeMaterial {
  readonly material = new NodeMaterial();
  readonly #display: DisplayTexture;
  readonly #eye = uniform(new Vector4());
  readonly #window = uniform(new Vector4());
  readonly #steps = uniform(new Vector4());
  readonly #look = uniform(new Vector4());
  readonly #clipLow = uniform(new Vector3());
  readonly #clipHigh = uniform(new Vector3());
  readonly #clipPlane = uniform(new Vector4());
  readonly #below = uniform(new Vector4());
  readonly #above = uniform(new Vector4());
  readonly #transfer = new DataTexture(new Uint8Array(2 * 256 * 4), 256, 2);
  readonly #march: (projection: Projection) => Node;
  #projection: Projection | undefined;
  #transferKey = '';

  /** @param edges lengths of the cube's edges in the scene */
  constructor(display: DisplayTexture, edges: readonly [number, number, number]) {
    this.#display = display;
    const volume = texture3D(external(display.texture));
    const inputs = {
      beyond: positionLocal,
      eye: this.#eye,
      volume,
      volume_sampler: sampler(volume),
      transfer: texture(this.#transfer),
      bricks: texture3D(external(display.bricks.texture)),
      blocks: texture3D(external(display.bricks.blocks)),
      dims: uniform(new Vector4(...display.dims, display.bricks.size)),
      edges: uniform(new Vector3(...edges)),
      window: this.#window,
      march: this.#steps,
      look: this.#look,
      clip_low: this.#clipLow,
      clip_high: this.#clipHigh,
      clip_plane: this.#clipPlane,
      below: this.#below,
      above: this.#above,
      pixel: screenCoordinate,
    };
    this.#march = (projection) => wgslFn(rayMarchCode(projection))(inputs);
    const { material } = this;
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
   * @param eye in the unit cube; w is 0 where it is infinitely far off in that direction
   * @param plane the free plane, in the unit cube
   * @param step how far samples lie apart, in texels, or less in a small volume
   */
  update(state: ViewState, eye: Vector4, step: number, plane: RayLook['plane']): void {
    if (this.#projection !== state.projection) {
      this.#projection = state.projection;
      this.material.fragmentNode = this.#march(state.projection);
      this.material.needsUpdate = true;
    }
    const { isCategorical } = colormap(state.colormap);
    const colors = { isCategorical, isFloorOpaque: isFloorOpaque(state) };
    const { window, march, look, clipLow, clipHigh, clipPlane, below, above } = rayParameters(
      this.#display,
      { ...state, plane },
      colors,
      step,
    );
    this.#eye.value.copy(eye);
    this.#window.value.set(...window);
    this.#steps.value.set(...march);
    this.#look.value.set(...look);
    this.#clipLow.value.set(...clipLow);
    this.#clipHigh.value.set(...clipHigh);
    this.#clipPlane.value.set(...clipPlane);
    this.#below.value.set(...below);
    this.#above.value.set(...above);
    const key = JSON.stringify([state.colormap, state.inverted, state.opacity]);
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
