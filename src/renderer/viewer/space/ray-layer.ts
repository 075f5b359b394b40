import { CustomBlending, ExternalTexture, Mesh, OneFactor, OneMinusSrcAlphaFactor, PlaneGeometry } from 'three';
import { ivec2, positionGeometry, screenCoordinate, textureLoad, uniform, vec4 } from 'three/tsl';
import { NodeMaterial } from 'three/webgpu';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import { RayDrawing, type RayMarch } from '../draw/ray-drawing.ts';
import { baseOpacity } from '../model/layers.ts';
import type { LayerIn3d } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';

/** The volume and its layers in a three.js scene: a full-screen rectangle blends the texture of their rays over the picture so far. */
export class RayLayer {
  readonly object: Mesh;
  /** The drawing for frames of the canvas. */
  readonly #rays: RayDrawing;
  readonly #material = new NodeMaterial();
  readonly #geometry = new PlaneGeometry(2, 2);
  readonly #firstRow = uniform(0, 'int');
  #picture: GPUTexture;
  readonly #shown: ReturnType<typeof textureLoad>;

  constructor(gpu: Gpu, info: VolumeInfo, display: DisplayTexture) {
    this.#rays = new RayDrawing(gpu, info, display);
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

  /** Whether the last frame on the canvas was drawn from bricks. */
  get isOfBricks(): boolean {
    return this.#rays.isOfBricks;
  }

  /** See `RayDrawing`. */
  get isCompiling(): boolean {
    return this.#rays.isCompiling;
  }

  /** See `RayDrawing`. */
  get voxelPixels(): number {
    return this.#rays.voxelPixels;
  }

  /** Like `RayDrawing.march`. Work submitted afterwards shows the strip. @param rays a picture's own drawing; default: the canvas's */
  march(
    state: ViewState,
    layers: readonly LayerIn3d[],
    march: RayMarch,
    rays: RayDrawing = this.#rays,
  ): Promise<number | undefined> {
    const done = rays.march(state, layers, march);
    this.object.visible = baseOpacity(state.layers) > 0 || layers.length > 0 || (march.meshes ?? []).length > 0;
    this.#firstRow.value = march.strip.from;
    if (this.#picture !== rays.picture) {
      this.#picture = rays.picture;
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
