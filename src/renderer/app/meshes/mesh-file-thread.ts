import type { NamedMesh } from '../../../core/mesh/mesh-formats.ts';
import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import type { HostFile } from '../../host/host.ts';
import type { MeshFileAnswer, MeshFileTask } from './mesh-file-protocol.ts';

/** Reads a file of meshes in a thread of its own. Cancelling ends the thread. @throws StriaError `aborted`, and those of `readMesh` */
export function readInThread({ handle }: HostFile, metres: number, signal: AbortSignal): Promise<readonly NamedMesh[]> {
  if (signal.aborted) return Promise.reject(new StriaError('aborted', 'cancelled'));
  const worker = new Worker(new URL('./mesh-file.worker.ts', import.meta.url), { type: 'module', name: 'stria-mesh' });
  return new Promise<readonly NamedMesh[]>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new StriaError('aborted', 'cancelled')));
    worker.onmessage = ({ data }: MessageEvent<MeshFileAnswer>) => {
      if (data.kind === 'fault') reject(faultFromData(data.fault));
      else resolve(data.meshes);
    };
    worker.onerror = (event) => reject(new StriaError('internal', `the thread for meshes ended: ${event.message}`));
    worker.postMessage({ handle, metres } satisfies MeshFileTask);
  }).finally(() => worker.terminate());
}
