import type { NamedMesh } from '../../../core/mesh/mesh-formats.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { metresOf } from '../../../core/shared/volume.ts';
import type { HostFile } from '../../host/host.ts';
import type { MeshFileSource, MeshSource } from '../state/layer-state.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import type { readInThread } from './mesh-file-thread.ts';
import { type ExtractionJob, meshColors, type NewMesh, type SurfaceExtraction } from './surface-extraction.ts';

/** Makes meshes from their sources: extracts them from volumes, or reads them from files. */
export class MeshSources {
  readonly extraction: SurfaceExtraction;
  readonly #store: AppStore;
  readonly #read: typeof readInThread;
  /** The file that `one` read last, so that it is read only once for all its objects. */
  #lastFile: { readonly file: HostFile; readonly meshes: readonly NewMesh[] } | undefined;

  constructor(store: AppStore, extraction: SurfaceExtraction, read: typeof readInThread) {
    this.#store = store;
    this.extraction = extraction;
    this.#read = read;
  }

  /** The meshes of a file, in world coordinates of the open volume. @throws StriaError `aborted`, and those of reading */
  async ofFile(file: HostFile, { signal }: Pick<ExtractionJob, 'signal'>): Promise<readonly NewMesh[]> {
    const document = openDocument(this.#store.getState());
    if (!document) throw new StriaError('aborted', 'the volume was closed');
    return this.ofRead(file, await this.#read(file, metresOf[document.info.spatialUnit], signal));
  }

  /** The meshes of a file that was already read, in the open volume's unit of length. */
  ofRead(file: HostFile, found: readonly NamedMesh[]): readonly NewMesh[] {
    const { length } = this.extraction.stack.meshes;
    return found.map(({ name, mesh }, object) => ({
      mesh,
      source: { file, object },
      look: { name, color: meshColors[(length + object) % meshColors.length] as string },
    }));
  }

  /** The mesh of one source. @throws StriaError `aborted`, `invalid-input`, and those of reading or extracting */
  async one(source: MeshSource | MeshFileSource, job: ExtractionJob): Promise<NewMesh> {
    if ('file' in source) return this.#objectOf(source, job);
    const [first] = await this.extraction.extracted(source, job);
    return first as NewMesh;
  }

  /** Frees the file that `one` keeps. */
  forgetFile(): void {
    this.#lastFile = undefined;
  }

  async #objectOf({ file, object }: MeshFileSource, job: ExtractionJob): Promise<NewMesh> {
    if (this.#lastFile?.file !== file) this.#lastFile = { file, meshes: await this.ofFile(file, job) };
    const mesh = this.#lastFile.meshes[object];
    if (!mesh) throw new StriaError('invalid-input', `${file.name} has no object ${object + 1}`);
    return mesh;
  }
}
