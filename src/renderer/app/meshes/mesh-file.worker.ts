import { readMesh } from '../../../core/mesh/read/read-mesh.ts';
import { faultToData } from '../../../core/shared/errors.ts';
import { sourceOf } from '../../host/file-source.ts';
import type { MeshFileAnswer, MeshFileTask } from './mesh-file-protocol.ts';

// Reads a file of meshes outside the drawing thread.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<MeshFileTask>) => void;
  postMessage(message: MeshFileAnswer, transfer?: Transferable[]): void;
};

scope.onmessage = ({ data }) => void read(data);

async function read({ handle, metres }: MeshFileTask): Promise<void> {
  try {
    const { meshes } = await readMesh(sourceOf(handle), { metres });
    // Copy without the spare capacity of grown lists.
    const exact = meshes.map(({ name, mesh: { positions, triangles } }) => ({
      name,
      mesh: { positions: positions.slice(), triangles: triangles.slice() },
    }));
    const buffers = exact.flatMap(({ mesh }) => [mesh.positions.buffer, mesh.triangles.buffer]);
    scope.postMessage({ kind: 'meshes', meshes: exact }, buffers);
  } catch (error) {
    scope.postMessage({ kind: 'fault', fault: faultToData(error) });
  }
}
