import { type SurfaceChoice, surfaceName } from '../../../core/mesh/surfaces.ts';
import type { ByteSink } from '../../../core/shared/bytes.ts';
import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import { type Dims3, elementBytes } from '../../../core/shared/volume.ts';
import type { ExactVoxels, VoxelPiece } from '../../../core/volume/volume-source.ts';
import type { Host } from '../../host/host.ts';
import type { SurfaceOptions } from '../state/output-options.ts';
import { outputStem } from '../state/output-state.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import { DialogWork } from './dialog-work.ts';
import type { SurfaceAnswer, SurfaceTask } from './surface-protocol.ts';

/** How much is read from the GPU at a time. */
const pieceBytes = 2 ** 23;

/** Saves the isosurface of the open volume, or the surface of a label, as a mesh. Results come back through the store. */
export class SurfaceSaver {
  readonly #host: Pick<Host, 'saveAs'>;
  readonly #store: AppStore;
  readonly #volume: () => ExactVoxels | undefined;
  readonly #work: DialogWork;

  /** @param volume the volume in GPU memory */
  constructor(host: Pick<Host, 'saveAs'>, store: AppStore, volume: () => ExactVoxels | undefined) {
    this.#host = host;
    this.#store = store;
    this.#volume = volume;
    this.#work = new DialogWork(store, 'surfaceWork');
    store.subscribe(({ document }, before) => {
      if (document.kind !== 'ready' && before.document.kind === 'ready') this.cancel();
    });
  }

  set(change: Partial<SurfaceOptions>): void {
    this.#store.setState(({ output }) => ({ output: { ...output, surface: { ...output.surface, ...change } } }));
    this.#work.send({ kind: 'choose' });
  }

  cancel(): void {
    this.#work.send({ kind: 'cancel' });
  }

  /** Asks where, then extracts. @param surface in physical values, at the time point that is shown */
  async save(surface: SurfaceChoice, timePoint: number): Promise<void> {
    const document = openDocument(this.#store.getState());
    const volume = this.#volume();
    if (!document || !volume) return;
    await this.#work.run(async (signal) => {
      const { format, smoothing } = this.#store.getState().output.surface;
      const stem = outputStem(document.name);
      const sink = await this.#host.saveAs(`${stem}-${'label' in surface ? `label-${surface.label}` : 'surface'}.${format}`);
      if (!sink) return;
      const begin: SurfaceTask = {
        kind: 'begin',
        info: { ...volume.info, dims: volume.info.dims.with(3, 1) as unknown as typeof volume.info.dims },
        surface,
        name: surfaceName(surface),
        format,
        smoothing,
      };
      const triangles = await written(sink, begin, volume, timePoint, signal);
      const { overlay } = this.#store.getState();
      const notice = `${sink.name} is saved: ${triangles.toLocaleString('en')} triangles`;
      this.#store.setState({ notice, overlay: overlay === 'surface' ? 'none' : overlay });
    });
  }
}

/** Writes the surface, or nothing. @returns the number of its triangles */
async function written(
  sink: ByteSink,
  begin: SurfaceTask,
  volume: ExactVoxels,
  timePoint: number,
  signal: AbortSignal,
): Promise<number> {
  try {
    // People may have cancelled while they were asked where.
    signal.throwIfAborted();
    const triangles = await extracted(begin, volume, timePoint, signal, (bytes) => sink.write(bytes));
    if (triangles === 0) throw new StriaError('invalid-input', 'no voxel lies inside this surface: choose another value');
    signal.throwIfAborted();
    await sink.close();
    return triangles;
  } catch (error) {
    await sink.abort().catch(() => undefined);
    throw error;
  }
}

/** Feeds a thread with the planes that it asks for, and passes on the pieces of the file in order. */
function extracted(
  begin: SurfaceTask,
  volume: ExactVoxels,
  timePoint: number,
  signal: AbortSignal,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<number> {
  const worker = new Worker(new URL('./surface.worker.ts', import.meta.url), { type: 'module', name: 'stria-surface' });
  const pieces = planesOf(volume, timePoint);
  let writing: Promise<void> = Promise.resolve();
  return new Promise<number>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new StriaError('aborted', 'cancelled')));
    const answer = async (data: SurfaceAnswer): Promise<void> => {
      if (data.kind === 'fault') throw faultFromData(data.fault);
      if (data.kind === 'more') {
        const { value, done } = await pieces.next();
        if (!done) worker.postMessage({ kind: 'planes', bytes: value } satisfies SurfaceTask, [value.buffer]);
      } else if (data.kind === 'piece') {
        writing = writing.then(() => write(data.bytes));
        await writing;
      } else {
        await writing;
        resolve(data.triangles);
      }
    };
    worker.onmessage = ({ data }: MessageEvent<SurfaceAnswer>) => void answer(data).catch(reject);
    worker.onerror = (event) => reject(new StriaError('internal', `the thread for surfaces ended: ${event.message}`));
    worker.postMessage(begin);
  }).finally(() => worker.terminate());
}

/** The planes of a time point, some at a time. */
async function* planesOf(volume: ExactVoxels, timePoint: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { dims, type } = volume.info;
  const [width, height, depth] = dims;
  const planeBytes = width * height * elementBytes(type);
  const count = Math.max(1, Math.floor(pieceBytes / planeBytes));
  for (let z = 0; z < depth; z += count) {
    const size: Dims3 = [width, height, Math.min(count, depth - z)];
    const bytes = new Uint8Array(planeBytes * size[2]);
    await volume.readBox({ first: [0, 0, z], size, timePoint }, (piece) => copyRows(piece, bytes, z, size));
    yield bytes;
  }
}

/** Copies the part of a piece that lies in planes from `z` on. */
function copyRows({ first, size, values, rowLength }: VoxelPiece, bytes: Uint8Array, z: number, planes: Dims3): void {
  const source = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const width = values.BYTES_PER_ELEMENT;
  const across = Math.min(size[0], planes[0] - first[0]) * width;
  for (let plane = Math.max(0, z - first[2]); plane < Math.min(size[2], z + planes[2] - first[2]); plane++) {
    for (let row = 0; row < size[1]; row++) {
      const from = (plane * size[1] + row) * rowLength * width;
      const to = (((first[2] + plane - z) * planes[1] + first[1] + row) * planes[0] + first[0]) * width;
      bytes.set(source.subarray(from, from + across), to);
    }
  }
}
