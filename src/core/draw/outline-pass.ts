import outlineShader from '../../shaders/draw/mesh-outline.wgsl';
import { createBindGroup } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { cross, scaled, type Vector3 } from '../shared/vectors.ts';
import { chained, inverted, matrixOf, type Transform, transformOf } from '../transforms/transform.ts';
import type { GpuMesh } from './gpu-mesh.ts';
import type { Rgb } from './mesh-pass.ts';
import { UniformCache } from './uniform-cache.ts';

/** A mesh to cut with a slice. */
export interface MeshOutline {
  readonly mesh: GpuMesh;
  /** Maps positions of the mesh to voxel positions. */
  readonly map: Transform;
  readonly color: Rgb;
}

/** The slice: voxel position = origin + right × pixel x + down × pixel y. */
export interface OutlinePlane {
  readonly origin: Vector3;
  readonly right: Vector3;
  readonly down: Vector3;
}

const uniformBytes = 4 * 24;
/** The maximum number of views with slices in one submit. */
const mostViews = 4;

/** Draws the intersections of meshes with a slice, using shaders/draw/mesh-outline.wgsl. */
export class OutlinePass {
  readonly #gpu: Gpu;
  readonly #format: GPUTextureFormat;
  readonly #uniforms: UniformCache;
  #pipeline: GPURenderPipeline | undefined;

  /** @param format of the targets @param mostMeshes the maximum number of meshes in a view */
  constructor(gpu: Gpu, format: GPUTextureFormat, scope: GpuScope, mostMeshes: number) {
    this.#gpu = gpu;
    this.#format = format;
    this.#uniforms = new UniformCache(gpu.device, scope, uniformBytes, mostViews * mostMeshes);
  }

  /** Draws the outline of a mesh. @param thickness of the line in pixels */
  draw(
    pass: GPURenderPassEncoder,
    { mesh, map, color }: MeshOutline,
    { origin, right, down }: OutlinePlane,
    { width, height }: Pick<GPUTexture, 'width' | 'height'>,
    thickness: number,
  ): void {
    if (mesh.triangleCount === 0) return;
    const pipeline = this.#pipelineOf();
    // The normal is as long as a step to the next pixel, so that all numbers have similar magnitudes.
    const normal = cross(right, down);
    const across = scaled(normal, 1 / Math.sqrt(Math.hypot(...normal)));
    const toCanvas = chained(map, inverted(transformOf([right, down, across], origin)));
    const floats = new Float32Array([...matrixOf(toCanvas), ...color, 1, width, height, thickness, 0]);
    const uniform = this.#uniforms.get(new Uint32Array(floats.buffer));
    const bindings = [uniform, mesh.positions, mesh.triangles];
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, createBindGroup(this.#gpu.device, pipeline.label, pipeline.getBindGroupLayout(0), bindings));
    pass.draw(4, mesh.triangleCount);
  }

  #pipelineOf(): GPURenderPipeline {
    if (this.#pipeline) return this.#pipeline;
    const module = this.#gpu.shaderModule('view.mesh-outline', outlineShader);
    const over: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' };
    this.#pipeline = this.#gpu.device.createRenderPipeline({
      label: 'view.mesh-outline',
      layout: 'auto',
      vertex: { module, entryPoint: 'vertex' },
      primitive: { topology: 'triangle-strip' },
      fragment: { module, entryPoint: 'main', targets: [{ format: this.#format, blend: { color: over, alpha: over } }] },
    });
    return this.#pipeline;
  }
}
