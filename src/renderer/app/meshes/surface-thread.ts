import type { ExtractedSurface } from '../../../core/mesh/surfaces.ts';
import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import { type Dims3, elementBytes, type VolumeInfo } from '../../../core/shared/volume.ts';
import { readBlock } from '../../../core/volume/read-block.ts';
import type { ExactVoxels } from '../../../core/volume/volume-source.ts';
import type { SurfaceAnswer, SurfaceFinish, SurfaceTask } from './surface-protocol.ts';

type BeginTask = Extract<SurfaceTask, { kind: 'begin' }>;

/** Planes are read from the GPU in pieces of at most this many bytes, but at least one plane. */
const pieceBytes = 2 ** 23;

export interface SurfaceJob {
  readonly signal: AbortSignal;
  /** Called with the number of bytes read so far, and the total. */
  readonly onBytes?: (done: number, total: number) => void;
  /** Gets the pieces of the file in order. */
  readonly write?: (bytes: Uint8Array) => Promise<void>;
  /** Gets meshes as they are finished. */
  readonly onMesh?: (surface: ExtractedSurface) => void;
}

/**
 * Extracts surfaces in a separate thread, from planes that are read from the GPU when the thread asks for them. Cancelling ends the thread.
 * @returns the number of triangles @throws StriaError `aborted`, and those of `extractSurfaces` and the volume
 */
export function extractInThread(
  volume: ExactVoxels,
  timePoint: number,
  settings: SurfaceFinish & Pick<BeginTask, 'surfaces'>,
  job: SurfaceJob,
): Promise<number> {
  const { info } = volume;
  const oneTime = { ...info, dims: info.dims.with(3, 1) as unknown as typeof info.dims };
  return inThread({ kind: 'begin', info: oneTime, ...settings }, planesOf(volume, timePoint, job.onBytes), job);
}

/**
 * Smooths surfaces that the GPU extracted, and sends or writes them, in a separate thread. The buffers of `found` are transferred, so the
 * caller loses them. Returns and throws like `extractInThread`.
 */
export function finishInThread(
  found: readonly ExtractedSurface[],
  info: VolumeInfo,
  finish: SurfaceFinish,
  job: SurfaceJob,
): Promise<number> {
  return inThread({ kind: 'finish', info, found, ...finish }, undefined, job);
}

function inThread(
  task: Exclude<SurfaceTask, { kind: 'planes' }>,
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>> | undefined,
  { signal, write, onMesh }: SurfaceJob,
): Promise<number> {
  if (signal.aborted) return Promise.reject(new StriaError('aborted', 'cancelled'));
  const worker = new Worker(new URL('./surface.worker.ts', import.meta.url), { type: 'module', name: 'stria-surface' });
  let writing: Promise<void> = Promise.resolve();
  return new Promise<number>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new StriaError('aborted', 'cancelled')));
    const answer = async (data: SurfaceAnswer): Promise<void> => {
      if (data.kind === 'fault') throw faultFromData(data.fault);
      if (data.kind === 'more') {
        const next = await pieces?.next();
        if (next && !next.done)
          worker.postMessage({ kind: 'planes', bytes: next.value } satisfies SurfaceTask, [next.value.buffer]);
      } else if (data.kind === 'piece') {
        writing = writing.then(() => write?.(data.bytes));
        await writing;
      } else if (data.kind === 'mesh') {
        onMesh?.(data.surface);
      } else {
        await writing;
        resolve(data.triangles);
      }
    };
    worker.onmessage = ({ data }: MessageEvent<SurfaceAnswer>) => void answer(data).catch(reject);
    worker.onerror = (event) => reject(new StriaError('internal', `the thread for surfaces ended: ${event.message}`));
    worker.postMessage(task, task.kind === 'finish' ? buffersOf(task.found) : []);
  }).finally(() => worker.terminate());
}

function buffersOf(found: readonly ExtractedSurface[]): ArrayBuffer[] {
  return [...new Set(found.flatMap(({ mesh }) => [mesh.positions.buffer, mesh.triangles.buffer] as ArrayBuffer[]))];
}

/** The planes of a time point, several at a time. */
async function* planesOf(
  volume: ExactVoxels,
  timePoint: number,
  onBytes: SurfaceJob['onBytes'],
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { dims, type } = volume.info;
  const [width, height, depth] = dims;
  const planeBytes = width * height * elementBytes(type);
  const count = Math.max(1, Math.floor(pieceBytes / planeBytes));
  for (let z = 0; z < depth; z += count) {
    const size: Dims3 = [width, height, Math.min(count, depth - z)];
    const bytes = new Uint8Array(planeBytes * size[2]);
    await readBlock(volume, { first: [0, 0, z], size, timePoint }, { bytes });
    onBytes?.((z + size[2]) * planeBytes, depth * planeBytes);
    yield bytes;
  }
}
