import type { NamedMesh } from '../../../core/mesh/mesh-formats.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { FileHandle } from '../../host/host.ts';

export interface MeshFileTask {
  readonly handle: FileHandle;
  /** The open volume's unit of length in metres; NaN if it is unknown. */
  readonly metres: number;
}

export type MeshFileAnswer =
  | { readonly kind: 'meshes'; readonly meshes: readonly NamedMesh[] }
  | { readonly kind: 'fault'; readonly fault: FaultData };
