import { GpuMesh } from '../../core/draw/gpu-mesh.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import type { OpenVolume } from '../../core/io/common/volume-reader.ts';
import type { Mesh } from '../../core/mesh/mesh.ts';
import { readMesh } from '../../core/mesh/read/read-mesh.ts';
import { extractSurfaces } from '../../core/mesh/surfaces.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import { metresOf, type VolumeInfo } from '../../core/shared/volume.ts';
import { surfacesInOrder } from '../../renderer/app/session/stored-meshes.ts';
import { baseId, isLayerShown, type MeshLook, volumeIdOf } from '../../renderer/viewer/model/layers.ts';
import { inBaseWorld } from '../../renderer/viewer/model/mesh-place.ts';
import { shownInfo } from '../../renderer/viewer/model/shown-info.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withFile } from './files.ts';
import { checkSame, layerNote } from './picture-session.ts';
import { type PictureSession, placeOf, type SessionHosts } from './session-places.ts';

type SavedMesh = PictureSession['saved']['layers']['meshes'][number];
type SavedMeshFile = PictureSession['saved']['layers']['meshFiles'][number];

/** The visible meshes of a session, extracted from their volumes or read from their files. Free them with `destroy`. */
export class PictureMeshes {
  readonly #session: PictureSession | undefined;
  readonly #terminal: Pick<Terminal, 'note'>;
  /** The surfaces of each mesh of the session in world coordinates of its volume, with that volume. */
  readonly #extracted = new Map<SavedMesh, { readonly mesh: Mesh; readonly info: VolumeInfo }>();
  readonly #onGpu = new Map<string, GpuMesh>();
  readonly #looks: MeshLook[] = [];

  constructor(session: PictureSession | undefined, terminal: Pick<Terminal, 'note'>) {
    this.#session = session;
    this.#terminal = terminal;
  }

  /** By the ids of `looks`. */
  get meshes(): ReadonlyMap<string, GpuMesh> {
    return this.#onGpu;
  }

  get looks(): readonly MeshLook[] {
    return this.#looks;
  }

  /** Extracts the surfaces of a volume. @param id the volume's id in the meshes (`volumeIdOf`) @throws StriaError `aborted`, `device-lost` */
  async extract(id: string, open: OpenVolume, job: JobOptions): Promise<void> {
    if (!this.#session) return;
    const { layers } = this.#session.saved;
    const volumes = new Map(layers.list.map(({ look }) => [look.id, volumeIdOf(look)]));
    const info = shownInfo(open.info, open.format);
    for (const saved of layers.meshes) {
      const { from, surface, timePoint, smoothing } = saved.source;
      if ((volumes.get(from) ?? from) !== id || !isDrawn(this.#session, saved.look)) continue;
      await this.#orNote(saved.look, async () => {
        const [found] = await extractSurfaces(open, { surfaces: [surface], t: timePoint, smoothing }, job);
        if (found) this.#extracted.set(saved, { mesh: found.mesh, info });
      });
    }
  }

  /** Uploads the meshes to the GPU in world coordinates of the volume. @param paths receives the files that are read */
  async upload(gpu: Gpu, base: VolumeInfo, hosts: SessionHosts, job: JobOptions, paths: string[]): Promise<void> {
    const session = this.#session;
    if (!session) return;
    const { list } = session.saved.layers;
    for (const saved of surfacesInOrder(session.saved.layers)) {
      if ('object' in saved) {
        if (!isDrawn(session, saved.look)) continue;
        await this.#orNote(saved.look, async () =>
          this.#add(gpu, await this.#read(session, saved, base, hosts, job, paths), saved.look),
        );
        continue;
      }
      const { mesh, info } = this.#extracted.get(saved) ?? {};
      if (!mesh || !info) continue;
      const layer = list.find(({ look }) => look.id === saved.source.from)?.look;
      const isBase = !layer || volumeIdOf(layer) === baseId;
      await this.#orNote(saved.look, async () =>
        this.#add(gpu, isBase ? mesh : inBaseWorld(mesh, base, info), {
          ...saved.look,
          motion: isBase ? undefined : layer.motion,
        }),
      );
    }
  }

  destroy(): void {
    for (const mesh of this.#onGpu.values()) mesh.destroy();
    this.#onGpu.clear();
  }

  #add(gpu: Gpu, mesh: Mesh, look: MeshLook): void {
    this.#onGpu.set(look.id, new GpuMesh(gpu, mesh));
    this.#looks.push(look);
  }

  async #read(
    session: PictureSession,
    { source, object }: SavedMeshFile,
    base: VolumeInfo,
    hosts: SessionHosts,
    job: JobOptions,
    paths: string[],
  ): Promise<Mesh> {
    const [file] = source.files;
    if (!file) throw new StriaError('corrupt', 'the session names no file for it');
    const path = placeOf(session, file);
    hosts.check(path);
    await checkSame(path, file, job);
    paths.push(path);
    const { meshes } = await withFile(path, job, (opened) => readMesh(opened, { metres: metresOf[base.spatialUnit], ...job }));
    const found = meshes[object];
    if (!found) throw new StriaError('invalid-input', `the file has no object ${object + 1}`);
    return found.mesh;
  }

  async #orNote({ name }: MeshLook, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#terminal.note(layerNote(this.#session as PictureSession, name, error));
    }
  }
}

function isDrawn({ saved }: PictureSession, look: MeshLook): boolean {
  return isLayerShown({ ...saved.layers, layers: [], meshes: [] }, look);
}
