import type { Mesh } from '../../../core/mesh/mesh.ts';
import { type SurfaceChoice, surfaceName } from '../../../core/mesh/surfaces.ts';
import { writeMesh } from '../../../core/mesh/write/write-mesh.ts';
import type { ByteSink } from '../../../core/shared/bytes.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { colorParts } from '../../../core/shared/label-table.ts';
import { metresOf } from '../../../core/shared/volume.ts';
import type { Host } from '../../host/host.ts';
import { extractShown, type SurfaceVolume } from '../meshes/extract-shown.ts';
import type { SurfaceOptions } from '../state/output-options.ts';
import { outputStem } from '../state/output-state.ts';
import { tellReplaced } from '../state/replaced-volume.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import { DialogWork } from './dialog-work.ts';

/** Saves the isosurface of the open volume, or the surface of a label, as a mesh. Results come back through the store. */
export class SurfaceSaver {
  readonly #host: Pick<Host, 'saveAs'>;
  readonly #store: AppStore;
  readonly #volume: () => SurfaceVolume | undefined;
  readonly #work: DialogWork;

  /** @param volume the volume in GPU memory */
  constructor(host: Pick<Host, 'saveAs'>, store: AppStore, volume: () => SurfaceVolume | undefined) {
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

  /** Asks where to save, then extracts. @param surface the level, a physical value, or the label @param timePoint index along t */
  async save(surface: SurfaceChoice, timePoint: number): Promise<void> {
    const document = openDocument(this.#store.getState());
    const volume = this.#volume();
    if (!document || !volume) return;
    await this.#work.run(async (signal) => {
      const { format, smoothing } = this.#store.getState().output.surface;
      const stem = outputStem(document.name);
      const sink = await this.#host.saveAs(`${stem}-${'label' in surface ? `label-${surface.label}` : 'surface'}.${format}`);
      if (!sink) return;
      const settings = { surfaces: [surface], smoothing, file: { name: surfaceName(surface), format } };
      const { gpu } = this.#store.getState();
      const device = gpu.kind === 'ready' ? gpu.gpu : undefined;
      const isOpen = () => this.#volume() === volume;
      const triangles = await written(sink, signal, (write) =>
        extractShown(volume, timePoint, settings, { signal, write, gpu: device, isOpen }),
      ).catch((error: unknown) => {
        tellReplaced(this.#store, 'Surface', error, signal);
        throw error;
      });
      const { overlay } = this.#store.getState();
      const notice = `${sink.name} is saved: ${triangles.toLocaleString('en')} triangles`;
      this.#store.setState({ notice, overlay: overlay === 'surface' ? 'none' : overlay });
    });
  }

  /** Asks where to save, and writes a mesh layer. */
  async saveMesh({ name, mesh, color }: ShownSurface): Promise<void> {
    const document = openDocument(this.#store.getState());
    if (!document) return;
    await this.#work.run(async (signal) => {
      const { format } = this.#store.getState().output.surface;
      const sink = await this.#host.saveAs(`${outputStem(document.name)}-${name.replace(/[^\p{L}\p{N}.-]+/gu, '-')}.${format}`);
      if (!sink) return;
      const parts = colorParts(color).map((part) => part / 255) as [number, number, number];
      const metres = metresOf[document.info.spatialUnit];
      const triangles = await written(sink, signal, async (write) => {
        const file = { write, close: async () => undefined, abort: async () => undefined };
        await writeMesh(file, format, [{ name, mesh, color: parts }], metres);
        return mesh.triangles.length / 3;
      });
      this.#store.setState({ notice: `${sink.name} is saved: ${triangles.toLocaleString('en')} triangles` });
    });
  }
}

/** A mesh layer to save. */
export interface ShownSurface {
  readonly name: string;
  readonly mesh: Mesh;
  /** `#rrggbb`. */
  readonly color: string;
}

/** Writes a surface and closes the sink, or aborts it. @returns the number of triangles @throws StriaError `invalid-input` if it is 0 */
async function written(
  sink: ByteSink,
  signal: AbortSignal,
  extract: (write: (bytes: Uint8Array) => Promise<void>) => Promise<number>,
): Promise<number> {
  try {
    // The user may have cancelled while the dialog was open.
    signal.throwIfAborted();
    const triangles = await extract((bytes) => sink.write(bytes));
    if (triangles === 0) throw new StriaError('invalid-input', 'no voxel lies inside this surface: choose another value');
    signal.throwIfAborted();
    await sink.close();
    return triangles;
  } catch (error) {
    await sink.abort().catch(() => undefined);
    throw error;
  }
}
