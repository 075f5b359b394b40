import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { cornerNormals } from '../mesh/normals.ts';

/** The bytes that a mesh takes in GPU memory. */
export function meshBytes({ positions, triangles }: Mesh): number {
  return positions.byteLength + (positions.length / 3) * 8 + triangles.byteLength;
}

/** A mesh in GPU memory. Free it with `destroy`. */
export class GpuMesh {
  readonly triangleCount: number;
  /** Positions: three 32-bit floats per corner. */
  readonly positions: GPUBuffer;
  /** Normals: four 16-bit numbers of −1…1 per corner. */
  readonly normals: GPUBuffer;
  /** Three 32-bit corner numbers per triangle. */
  readonly triangles: GPUBuffer;
  readonly #scope: GpuScope;

  /** @throws StriaError `limit-too-small` if the device has no buffers of that size */
  constructor(gpu: Gpu, mesh: Mesh) {
    this.#scope = gpu.scope('mesh');
    this.triangleCount = mesh.triangles.length / 3;
    const { VERTEX, INDEX, STORAGE } = GPUBufferUsage;
    const buffer = (label: string, usage: number, data: Float32Array | Int16Array | Uint32Array): GPUBuffer =>
      this.#scope.buffer(label, Math.max(4, data.byteLength), usage, data as BufferSource as ArrayBufferView<ArrayBuffer>);
    try {
      this.positions = buffer('positions', VERTEX | STORAGE, mesh.positions);
      this.normals = buffer('normals', VERTEX, cornerNormals(mesh));
      this.triangles = buffer('triangles', INDEX | STORAGE, mesh.triangles);
    } catch (error) {
      this.#scope.destroy();
      throw error;
    }
  }

  destroy(): void {
    this.#scope.destroy();
  }
}
