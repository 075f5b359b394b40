import type { Mesh } from '../../../core/mesh/mesh.ts';
import { type ExtractedSurface, extractSurfaces, finishSurface, type SurfaceChoice } from '../../../core/mesh/surfaces.ts';
import { writeMesh } from '../../../core/mesh/write/write-mesh.ts';
import { faultToData } from '../../../core/shared/errors.ts';
import { metresOf, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { SurfaceAnswer, SurfaceFinish, SurfaceTask } from './surface-protocol.ts';

// Extracts surfaces outside the drawing thread, from planes as they arrive, or finishes those that the GPU extracted.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<SurfaceTask>) => void;
  postMessage(message: SurfaceAnswer, transfer?: Transferable[]): void;
};

let takePlanes: (bytes: Uint8Array) => void = () => undefined;

scope.onmessage = ({ data }) => {
  if (data.kind === 'planes') takePlanes(data.bytes);
  else void answer(data);
};

async function answer(task: Exclude<SurfaceTask, { kind: 'planes' }>): Promise<void> {
  try {
    scope.postMessage({ kind: 'done', triangles: await sendAll(await surfacesOf(task), task.info, task.file) });
  } catch (error) {
    scope.postMessage({ kind: 'fault', fault: faultToData(error) });
  }
}

async function surfacesOf(task: Exclude<SurfaceTask, { kind: 'planes' }>): Promise<readonly ExtractedSurface[]> {
  const { info, smoothing } = task;
  if (task.kind === 'finish') return task.found.map((surface) => finishSurface(surface, info, smoothing));
  return extractSurfaces({ info, voxels: arriving }, { surfaces: task.surfaces, t: 0, smoothing });
}

/** @returns the number of triangles */
async function sendAll(
  found: readonly ExtractedSurface[],
  { spatialUnit }: VolumeInfo,
  file: SurfaceFinish['file'],
): Promise<number> {
  let triangles = 0;
  for (const { choice, mesh } of found) {
    triangles += mesh.triangles.length / 3;
    if (mesh.triangles.length === 0) continue;
    if (file) await writeMesh({ write: send, ...noEnd }, file.format, [{ name: file.name, mesh }], metresOf[spatialUnit]);
    else sendMesh(choice, mesh);
  }
  return triangles;
}

const noEnd = { close: async () => undefined, abort: async () => undefined };

async function send(bytes: Uint8Array): Promise<void> {
  const piece = bytes.slice();
  scope.postMessage({ kind: 'piece', bytes: piece }, [piece.buffer]);
}

function sendMesh(choice: SurfaceChoice, { positions, triangles }: Mesh): void {
  // Copy without the spare capacity of grown lists.
  const mesh = { positions: positions.slice(), triangles: triangles.slice() };
  scope.postMessage({ kind: 'mesh', surface: { choice, mesh } }, [mesh.positions.buffer, mesh.triangles.buffer]);
}

/** Asks for planes, one piece after another. The reader stops at the end of the volume. */
async function* arriving(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const planes = new Promise<Uint8Array>((resolve) => {
      takePlanes = resolve;
    });
    scope.postMessage({ kind: 'more' });
    yield await planes;
  }
}
