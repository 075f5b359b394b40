import meshShader from '../../shaders/draw/mesh.wgsl';
import { type Commands, createBindGroup } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { scaled, sum, type Vector3 } from '../shared/vectors.ts';
import { chained, inverted, matrixOf, type Transform, transformOf } from '../transforms/transform.ts';
import type { GpuMesh } from './gpu-mesh.ts';
import type { RayLook, RayView, Strip } from './ray-pass.ts';
import { clipLimits } from './ray-stack.ts';
import { UniformCache } from './uniform-cache.ts';

/** Red, green and blue of 0…1. */
export type Rgb = readonly [number, number, number];

/** A mesh that rays hit. */
export interface RaySurface {
  readonly mesh: GpuMesh;
  /** Maps positions to the unit cube of the open volume. */
  readonly toCube: Transform;
  readonly color: Rgb;
  /** 0…1. */
  readonly opacity: number;
}

/** A ray hits at most this many translucent surfaces in front of the opaque one. Further ones are not drawn. */
const mostTranslucent = 4;
const texelBytes = 8;
const uniformBytes = 4 * 100;
/** The texel of a miss, whose ray parameter is `never`. */
const nothing = { r: 0, g: new Uint32Array(new Float32Array([1e30]).buffer)[0] as number, b: 0, a: 0 };

/** Rasterises meshes for rays with shaders/draw/mesh.wgsl. Free its textures with `destroy`. */
export class MeshPass {
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #uniforms: UniformCache;
  readonly #pipelines = new Map<boolean, GPURenderPipeline>();
  #targets: { readonly scope: GpuScope; readonly surfaces: GPUTexture; readonly depth: GPUTexture } | undefined;

  /** @param mostMeshes the maximum number of meshes that are drawn at once */
  constructor(gpu: Gpu, mostMeshes: number) {
    this.#gpu = gpu;
    this.#scope = gpu.scope('view.meshes');
    this.#uniforms = new UniformCache(gpu.device, this.#scope, uniformBytes, mostTranslucent * mostMeshes);
  }

  /** Records the rasterization of a strip. @returns the layers for `RayStackInputs.surfaces`, valid until the next call */
  record(
    commands: Commands,
    surfaces: readonly RaySurface[],
    view: RayView,
    look: Pick<RayLook, 'clip' | 'plane'>,
    strip: Strip,
  ): GPUTextureView {
    const shown = surfaces.filter(({ opacity, mesh }) => opacity > 0 && mesh.triangleCount > 0);
    const opaque = shown.filter(({ opacity }) => opacity === 1);
    const translucent = shown.filter(({ opacity }) => opacity < 1);
    const layers = 1 + (translucent.length > 0 ? mostTranslucent : 0);
    const { surfaces: texture, depth } = this.#targetsOf(strip, layers);
    for (let layer = 0; layer < layers; layer++) {
      const attachment = { view: layerOf(texture, layer), clearValue: nothing, loadOp: 'clear', storeOp: 'store' } as const;
      const depthAttachment = {
        view: depth.createView(),
        depthClearValue: 1,
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
      } as const;
      const before = layer === 0 ? [] : [layerOf(texture, 0), layerOf(texture, Math.max(0, layer - 1))];
      commands.render(
        'meshes',
        { colorAttachments: [attachment], depthStencilAttachment: depthAttachment },
        (pass: GPURenderPassEncoder) => {
          const pipeline = this.#pipeline(layer > 0);
          pass.setPipeline(pipeline);
          pass.setScissorRect(0, 0, strip.width, strip.count);
          pass.setViewport(0, 0, strip.width, strip.count, 0, 1);
          for (const surface of layer === 0 ? opaque : translucent) {
            const uniform = this.#uniforms.get(surfaceUniform(surface, view, look, strip, layer));
            const bindings = [uniform, ...before];
            pass.setBindGroup(0, createBindGroup(this.#gpu.device, pipeline.label, pipeline.getBindGroupLayout(0), bindings));
            pass.setVertexBuffer(0, surface.mesh.positions);
            pass.setVertexBuffer(1, surface.mesh.normals);
            pass.setIndexBuffer(surface.mesh.triangles, 'uint32');
            pass.drawIndexed(3 * surface.mesh.triangleCount);
          }
        },
      );
    }
    return texture.createView({ dimension: '2d-array' });
  }

  /** Frees the textures until meshes are drawn again. */
  rest(): void {
    this.#targets?.scope.destroy();
    this.#targets = undefined;
  }

  destroy(): void {
    this.#scope.destroy();
  }

  #targetsOf({ width, count }: Strip, layers: number) {
    const known = this.#targets;
    const size = known?.surfaces;
    if (known && size && size.width >= width && size.height >= count && size.depthOrArrayLayers === layers) return known;
    // Strips differ in height, so the textures keep the largest size so far.
    const [wide, high] = [Math.max(width, size?.width ?? 0), Math.max(count, size?.height ?? 0)];
    this.rest();
    const scope = this.#scope.scope('targets');
    const { RENDER_ATTACHMENT, TEXTURE_BINDING } = GPUTextureUsage;
    this.#targets = {
      scope,
      surfaces: scope.texture('surfaces', texelBytes * wide * high * layers, {
        size: [wide, high, layers],
        format: 'rg32uint',
        usage: RENDER_ATTACHMENT | TEXTURE_BINDING,
      }),
      depth: scope.texture('depth', 4 * wide * high, { size: [wide, high], format: 'depth32float', usage: RENDER_ATTACHMENT }),
    };
    return this.#targets;
  }

  #pipeline(peels: boolean): GPURenderPipeline {
    const known = this.#pipelines.get(peels);
    if (known) return known;
    const module = this.#gpu.shaderModule('view.mesh', meshShader, { peels });
    const pipeline = this.#gpu.device.createRenderPipeline({
      label: 'view.mesh',
      layout: 'auto',
      vertex: {
        module,
        entryPoint: 'vertex',
        buffers: [
          { arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] },
          { arrayStride: 8, attributes: [{ shaderLocation: 1, offset: 0, format: 'snorm16x4' }] },
        ],
      },
      fragment: { module, entryPoint: 'main', targets: [{ format: 'rg32uint' }] },
      depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true },
    });
    this.#pipelines.set(peels, pipeline);
    return pipeline;
  }
}

function layerOf(texture: GPUTexture, layer: number): GPUTextureView {
  return texture.createView({ dimension: '2d', baseArrayLayer: layer, arrayLayerCount: 1 });
}

/** `Surface` of shaders/draw/mesh.wgsl. */
function surfaceUniform(
  { toCube, color, opacity }: RaySurface,
  view: RayView,
  { clip, plane }: Pick<RayLook, 'clip' | 'plane'>,
  strip: Strip,
  layer: number,
): Uint32Array<ArrayBuffer> {
  const { edges, eye } = view;
  const toScene = toCube.map((value, at) => value * (edges[Math.floor(at / 4)] as number));
  // Normals are transformed by the inverse transpose, whose columns are the rows of the inverse.
  const back = inverted(toScene);
  const normals = [back.slice(0, 3), back.slice(4, 7), back.slice(8, 11)] as unknown as [Vector3, Vector3, Vector3];
  const scale = 1 / Math.max(Number.MIN_VALUE, Math.hypot(...normals[0]));
  const { low, high } = clipLimits(clip);
  const floats = new Float32Array(
    [
      toPicture(toCube, view, strip),
      matrixOf(toCube),
      ...normals.map((normal) => [...scaled(normal, scale), 0]),
      view.toCube,
      eye,
      plane ?? [0, 0, 0, 1],
      [...edges, 0],
      [...low, 0],
      [...high, 0],
      [strip.width, strip.height, strip.from, layer],
      [...color, opacity],
    ].flat(),
  );
  return new Uint32Array(floats.buffer);
}

/** Maps positions to x, y and w of a strip's clip space, as a 4×4 matrix. */
function toPicture(toCube: Transform, { toCube: rays, eye }: RayView, { height, from, count }: Strip): number[] {
  const vector = (at: number): Vector3 => [rays[at] as number, rays[at + 1] as number, rays[at + 2] as number];
  const [across, above, middle] = [vector(0), vector(4), sum(vector(8), vector(12))];
  const place: Vector3 = [eye[0], eye[1], eye[2]];
  // position = start + x × across + y × above + depth × way. In perspective, x and y grow with the depth.
  const isNear = eye[3] > 0.5;
  const start = isNear ? place : middle;
  const way = isNear ? sum(middle, scaled(place, -1)) : scaled(place, -1);
  const map = chained(toCube, inverted(transformOf([across, above, way], start)));
  const [right, up, depth] = [map.slice(0, 4), map.slice(4, 8), map.slice(8)] as [number[], number[], number[]];
  const w = isNear ? depth : [0, 0, 0, 1];
  // Maps y from the whole picture to the strip.
  const shift = (2 * from + count - height) / count;
  const upInStrip = up.map((value, at) => (height / count) * value + shift * (w[at] as number));
  return [0, 1, 2, 3].flatMap((column) => [right[column], upInStrip[column], 0, w[column]] as number[]);
}
