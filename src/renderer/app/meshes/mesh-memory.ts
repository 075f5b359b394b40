import { GpuMesh, meshBytes } from '../../../core/draw/gpu-mesh.ts';
import type { Mesh } from '../../../core/mesh/mesh.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { whyNoRoom } from '../loading/room.ts';
import type { MeshFileSource, MeshSource } from '../state/layer-state.ts';

/** The triangles of a mesh layer, and where they came from. */
export interface KeptMesh {
  readonly mesh: Mesh;
  readonly source: MeshSource | MeshFileSource;
}

/** The triangles of mesh layers by id: all of them in the CPU's memory, and those that the viewer draws on the GPU, too. */
export class MeshMemory {
  /** Includes meshes that undo may bring back. */
  readonly #kept = new Map<string, KeptMesh>();
  readonly #onGpu = new Map<string, GpuMesh>();

  get ids(): Iterable<string> {
    return this.#kept.keys();
  }

  get(id: string): KeptMesh | undefined {
    return this.#kept.get(id);
  }

  /** Keeps meshes and has them drawn, all or none. @throws StriaError `out-of-memory` */
  add(engine: Engine, meshes: ReadonlyMap<string, KeptMesh>): void {
    const onGpu = uploaded(
      engine,
      [...meshes.values()].map(({ mesh }) => mesh),
    );
    for (const [at, [id, mesh]] of [...meshes].entries()) {
      this.#kept.set(id, mesh);
      this.#onGpu.set(id, onGpu[at] as GpuMesh);
    }
    engine.viewer.setMeshes(new Map(this.#onGpu));
  }

  /** Brings the meshes in GPU memory in step with the layers that the view lists. */
  reconcile(engine: Engine, listed: ReadonlySet<string>): void {
    const gone = [...this.#onGpu].filter(([id]) => !listed.has(id));
    const added = [...listed].filter((id) => this.#kept.has(id) && !this.#onGpu.has(id));
    if (gone.length + added.length === 0) return;
    for (const [id] of gone) this.#onGpu.delete(id);
    for (const id of added) this.#onGpu.set(id, new GpuMesh(engine.gpu, (this.#kept.get(id) as KeptMesh).mesh));
    engine.viewer.setMeshes(new Map(this.#onGpu));
    for (const [, mesh] of gone) mesh.destroy();
  }

  /** Frees the GPU memory. @param engine undefined if the device is gone */
  free(engine: Engine | undefined): void {
    if (this.#onGpu.size === 0) return;
    const meshes = [...this.#onGpu.values()];
    this.#onGpu.clear();
    engine?.viewer.setMeshes(new Map());
    for (const mesh of meshes) mesh.destroy();
  }

  /** Forgets all meshes, which must not be in GPU memory. */
  clear(): void {
    this.#kept.clear();
  }
}

/** Uploads meshes to GPU memory, all or none. @throws StriaError `out-of-memory` */
function uploaded(engine: Engine, meshes: readonly Mesh[]): readonly GpuMesh[] {
  const bytes = meshes.reduce((sum, mesh) => sum + meshBytes(mesh), 0);
  const problem = whyNoRoom(engine, bytes, 'the surface');
  if (problem !== undefined) throw new StriaError('out-of-memory', problem);
  const onGpu: GpuMesh[] = [];
  try {
    for (const mesh of meshes) onGpu.push(new GpuMesh(engine.gpu, mesh));
    return onGpu;
  } catch (error) {
    for (const mesh of onGpu) mesh.destroy();
    throw error;
  }
}
