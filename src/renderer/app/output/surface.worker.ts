import { extractSurfaces } from '../../../core/mesh/surfaces.ts';
import { writeMesh } from '../../../core/mesh/write/write-mesh.ts';
import { faultToData } from '../../../core/shared/errors.ts';
import { metresOf } from '../../../core/shared/volume.ts';
import type { SurfaceAnswer, SurfaceTask } from './surface-protocol.ts';

// Extracts a surface outside the drawing thread, from planes as they arrive.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<SurfaceTask>) => void;
  postMessage(message: SurfaceAnswer, transfer?: Transferable[]): void;
};

let takePlanes: (bytes: Uint8Array) => void = () => undefined;

scope.onmessage = ({ data }) => {
  if (data.kind === 'planes') takePlanes(data.bytes);
  else void extract(data);
};

async function extract({ info, surface, name, format, smoothing }: Extract<SurfaceTask, { kind: 'begin' }>): Promise<void> {
  try {
    const [mesh] = await extractSurfaces({ info, voxels: arriving }, { surfaces: [surface], t: 0, smoothing });
    if (!mesh) return;
    const send = async (bytes: Uint8Array) => {
      const piece = bytes.slice();
      scope.postMessage({ kind: 'piece', bytes: piece }, [piece.buffer]);
    };
    const sink = { write: send, close: async () => undefined, abort: async () => undefined };
    if (mesh.triangles.length > 0) await writeMesh(sink, format, [{ name, mesh }], metresOf[info.spatialUnit]);
    scope.postMessage({ kind: 'done', triangles: mesh.triangles.length / 3 });
  } catch (error) {
    scope.postMessage({ kind: 'fault', fault: faultToData(error) });
  }
}

/** Asks for planes, one piece after another. The reader takes no more than the volume has. */
async function* arriving(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const planes = new Promise<Uint8Array>((resolve) => {
      takePlanes = resolve;
    });
    scope.postMessage({ kind: 'more' });
    yield await planes;
  }
}
