import { CustomBlending, ExternalTexture, Mesh, OneFactor, OneMinusSrcAlphaFactor, PlaneGeometry } from 'three';
import { ivec2, positionGeometry, screenCoordinate, textureLoad, uniform, vec4 } from 'three/tsl';
import { NodeMaterial } from 'three/webgpu';
import type { RayLook, RayView, Strip } from '../../../core/draw/ray-pass.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import { RayDrawing } from '../draw/ray-drawing.ts';
import type { ViewState } from '../model/viewer-api.ts';

/** The volume in a three.js scene: a full-screen rectangle blends the texture of its rays over what was drawn before. */
export class RayLayer {
  readonly object: Mesh;
  readonly #rays: RayDrawing;
  readonly #material = new NodeMaterial();
  readonly #geometry = new PlaneGeometry(2, 2);
  readonly #firstRow = uniform(0, 'int');
  #picture: GPUTexture;
  readonly #shown: ReturnType<typeof textureLoad>;

  constructor(gpu: Gpu, display: DisplayTexture) {
    this.#rays = new RayDrawing(gpu, display);
    this.#picture = this.#rays.picture;
    const pixel = ivec2(screenCoordinate).sub(ivec2(0, this.#firstRow));
    this.#shown = textureLoad(new ExternalTexture(this.#picture), pixel);
    const material = this.#material;
    material.vertexNode = vec4(positionGeometry.xy, 0, 1);
    material.fragmentNode = this.#shown;
    material.transparent = true;
    material.depthTest = false;
    material.depthWrite = false;
    // The texture's colours are premultiplied.
    material.blending = CustomBlending;
    material.blendSrc = OneFactor;
    material.blendDst = OneMinusSrcAlphaFactor;
    this.object = new Mesh(this.#geometry, material);
    this.object.frustumCulled = false;
  }

  /** As `RayDrawing.march`. Work submitted afterwards shows the strip. */
  march(state: ViewState, view: RayView, step: number, plane: RayLook['plane'], strip: Strip): Promise<number | undefined> {
    const done = this.#rays.march(state, view, step, plane, strip);
    this.#firstRow.value = strip.from;
    if (this.#picture !== this.#rays.picture) {
      this.#picture = this.#rays.picture;
      this.#shown.value.dispose();
      this.#shown.value = new ExternalTexture(this.#picture);
    }
    return done;
  }

  dispose(): void {
    this.#shown.value.dispose();
    this.#material.dispose();
    this.#geometry.dispose();
    this.#rays.destroy();
  }
}
