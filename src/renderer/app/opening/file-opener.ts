import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import type { Host, HostFile } from '../../host/host.ts';
import type { Comparison } from '../compare/comparison.ts';
import type { CompressQueue } from '../compress/queue.ts';
import type { DocumentLife } from '../document/document-life.ts';
import type { LeaveGuard } from '../document/leave-guard.ts';
import type { Playback } from '../document/playback.ts';
import type { Labels } from '../labels/labels.ts';
import type { AddingLayers } from '../layers/adding-layers.ts';
import type { Alignment } from '../layers/alignment.ts';
import type { SecondVolume } from '../layers/second-volume.ts';
import { completed, completes } from '../loading/companions.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import { suggestLayouts } from '../loading/raw-layout.ts';
import { VolumeList } from '../loading/volume-list.ts';
import type { AddingMeshes } from '../meshes/adding-meshes.ts';
import type { SurfaceFiles } from '../meshes/surface-files.ts';
import type { LostFiles } from '../saved/lost-files.ts';
import type { SavedSessions } from '../saved/saved-sessions.ts';
import { isSessionName } from '../session/session-file.ts';
import { isSameDocument } from '../state/document-state.ts';
import { orNotice } from '../state/or-notice.ts';
import { askNext } from '../state/questions.ts';
import { type SampleChoice, sampleTitle } from '../state/samples.ts';
import { isInViewer } from '../state/shown.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import { OpeningTurns } from './opening-turns.ts';
import { splitSurfaces, volumesIn } from './volume-files.ts';

/** The parts of the app that may receive files. */
export interface OpenerNeeds {
  readonly host: Pick<Host, 'openRecent'>;
  readonly store: AppStore;
  readonly document: Pick<DocumentLife, 'open' | 'ask' | 'fail'>;
  readonly leaving: Pick<LeaveGuard, 'before'>;
  readonly queue: Pick<CompressQueue, 'add'>;
  readonly playback: Pick<Playback, 'playNext'>;
  readonly sessions: Pick<SavedSessions, 'open' | 'complete'>;
  readonly lostFiles: Pick<LostFiles, 'takeSurfaces'>;
  readonly comparison: Pick<Comparison, 'open'>;
  readonly second: Pick<SecondVolume, 'ask'>;
  readonly layers: Pick<AddingLayers, 'addAll'>;
  readonly meshes: Pick<AddingMeshes, 'addFiles'>;
  readonly surfaceFiles: Pick<SurfaceFiles, 'add' | 'join' | 'keepFor' | 'open'>;
  readonly labels: Pick<Labels, 'load' | 'takes'>;
  readonly alignment: Pick<Alignment, 'mayTake' | 'take'>;
  /** Resolves once the GPU is ready or known to be missing. Files may arrive before. */
  gpuOpened(): Promise<void>;
  /** Ends the introduction of the first start. @returns whether its sample was open; the user need not be asked about closing it */
  makeWay(): boolean;
  /** Shows the inspector's list of layers. */
  showLayers(): void;
}

/** Decides how to open files: as a volume, layers, surfaces, a session, a table, a matrix, or work for the queue. */
export class FileOpener {
  readonly #needs: OpenerNeeds;
  readonly #turns: OpeningTurns;
  /** Counts the recent files that were asked for. */
  #recentTurn = 0;

  constructor(needs: OpenerNeeds) {
    this.#needs = needs;
    this.#turns = new OpeningTurns(needs.store);
  }

  /**
   * Opens one volume, or compresses several as a queue. Without a GPU everything goes to the queue. While the user is asked a question,
   * the files wait.
   */
  open(files: readonly HostFile[]): void {
    this.#take(files, false);
  }

  /** Like `open`, for a file whose search the document shows. It comes before files that wait for the end of that search. */
  openSought(file: HostFile): void {
    this.#take([file], true);
  }

  #take(files: readonly HostFile[], isSought: boolean): void {
    const { store, alignment, gpuOpened } = this.#needs;
    const open = async () => {
      await gpuOpened();
      await orNotice(store, async () => {
        const [file] = files;
        // A text file may hold a matrix or something else.
        const isMatrix = file && alignment.mayTake(files) && (await alignment.take(file));
        if (isMatrix) return;
        // A layer may have asked which volume to add since this turn began.
        await askNext(store, () => this.#open(files));
      });
    };
    void this.#turns.take(files, open, isSought);
  }

  /** Adds volumes and surfaces as layers over the open volume, one after the other. */
  addLayers(files: readonly HostFile[]): void {
    const { store, layers, showLayers } = this.#needs;
    const { meshes, others } = splitSurfaces(files);
    if (openDocument(store.getState())?.space && others.length > 0) {
      // Surfaces are open without a volume: the first volume is opened under them, and the others become its layers.
      const [first, ...more] = volumesIn(others).map(({ primary }) => primary);
      if (first) this.#openVolume(first, [...more, ...meshes]);
      return;
    }
    showLayers();
    const volumes = volumesIn(others).map(({ primary }) => ({ request: fileRequest(primary), name: primary.name }));
    const areAdded = layers.addAll(volumes);
    // If one of these volumes cannot be added, the list shows the reason, and the surfaces are not added.
    if (meshes.length > 0) void orNotice(store, () => this.#addSurfaces(meshes, volumes.length > 0 ? areAdded : true));
  }

  /** Compares the first volume of these files with the open one. */
  compare(files: readonly HostFile[]): void {
    const [first] = volumesIn(files);
    if (first) void this.#needs.comparison.open({ kind: 'file', file: first.primary }, first.primary.name);
  }

  /** Opens one of the volumes of a file or folder. */
  openChoice(file: HostFile, dataset: string, label: string): void {
    const { leaving, document } = this.#needs;
    leaving.before(() => void document.open({ kind: 'file', file, dataset, label }));
  }

  /** Lists the volumes of a file or folder. The caller ends the list. */
  listVolumes(file: HostFile): VolumeList {
    return new VolumeList(file);
  }

  /** Opens a file together with what was missing beside it. */
  complete(file: HostFile, missing: readonly string[], given: readonly HostFile[]): void {
    void this.#needs.document.open({ kind: 'file', file: completed(file, missing, given) });
  }

  /** A server may answer late. If the user has opened something else by then, nothing happens. */
  openRecent(id: string, name: string): void {
    const { host, store, leaving, document } = this.#needs;
    const before = store.getState().document;
    const turn = ++this.#recentTurn;
    const isWanted = () => turn === this.#recentTurn && isSameDocument(store.getState().document, before);
    host.openRecent(id).then(
      (file) => {
        if (isWanted()) this.open([file]);
      },
      (error: unknown) => {
        if (isWanted()) leaving.before(() => document.fail(name, error));
      },
    );
  }

  openSample(sample: SampleChoice): void {
    const { leaving, document, gpuOpened, makeWay, surfaceFiles } = this.#needs;
    void gpuOpened().then(() => {
      makeWay();
      leaving.before(() => {
        surfaceFiles.keepFor(sampleTitle(sample), []);
        void document.open({ kind: 'sample', sample });
      });
    });
  }

  openRaw(file: HostFile, raw: RawLayout): void {
    void this.#needs.document.open({ kind: 'file', file, raw });
  }

  /** Asks for the layout of a file that no reader recognises. */
  askLayout(file: HostFile): void {
    this.#needs.document.ask({ kind: 'layout', file, suggestions: suggestLayouts(file.name, file.size) });
  }

  #open(files: readonly HostFile[]): void {
    const { store, labels, leaving, sessions } = this.#needs;
    const session = files.find(({ name }) => isSessionName(name));
    const { document, gpu } = store.getState();
    const { meshes, others } = splitSurfaces(files);
    if (labels.takes(others)) {
      for (const file of others) void labels.load(file);
      this.#showSurfaces(meshes);
      return;
    }
    if (session && gpu.kind === 'failed') {
      store.setState({ notice: 'A session needs a GPU to be shown, and there is none here' });
      return;
    }
    if (session) {
      const given = files.filter(({ name }) => !isSessionName(name));
      leaving.before(() => void sessions.open(session, given));
      return;
    }
    if (document.kind === 'waiting' && files.length > 0) {
      void sessions.complete(document.session, files);
      return;
    }
    if (document.kind === 'failed' && document.incomplete && completes(files, document.fault.missing)) {
      this.complete(document.incomplete, document.fault.missing ?? [], files);
      return;
    }
    if (others.length > 0) this.#openVolumes(others, meshes);
    else this.#showSurfaces(meshes);
  }

  /** @param meshes surfaces to show over the volume */
  #openVolumes(files: readonly HostFile[], meshes: readonly HostFile[]): void {
    const { store, makeWay, queue, second } = this.#needs;
    const { gpu, settings } = store.getState();
    const datasets = volumesIn(files);
    const [first] = datasets;
    if (!first) return;
    if (datasets.length > 1 || gpu.kind === 'failed') {
      queue.add(datasets);
      this.#showSurfaces(meshes);
      return;
    }
    const { primary: file } = first;
    const isFirst = makeWay();
    const open = () => this.#openVolume(file, meshes);
    const isAlone = isFirst || !isInViewer(store.getState()) || openDocument(store.getState())?.space !== undefined;
    if (isAlone || settings.openingSecond === 'replace') {
      open();
      return;
    }
    const compare = () => {
      this.compare(files);
      if (meshes.length > 0) this.addLayers(meshes);
    };
    second.ask(file.name, { layer: () => this.addLayers([...files, ...meshes]), compare, replace: open });
  }

  /** Opens a volume in place of what is open. @param over surfaces to show over it, and volumes to add as layers */
  #openVolume(file: HostFile, over: readonly HostFile[]): void {
    const { document, leaving, playback, surfaceFiles } = this.#needs;
    leaving.before(() => {
      if (file.pictures) playback.playNext();
      surfaceFiles.keepFor(file.name, over);
      void document.open(fileRequest(file));
    });
  }

  /** Shows surfaces over the open volume, or without one. */
  #showSurfaces(meshes: readonly HostFile[]): void {
    const { store, leaving, makeWay, showLayers, surfaceFiles } = this.#needs;
    if (meshes.length === 0) return;
    if (store.getState().gpu.kind === 'failed') {
      store.setState({ notice: 'A surface needs a GPU to be shown, and there is none here' });
      return;
    }
    const isFirst = makeWay();
    // Even while there is no device, since the volume stays open.
    if (openDocument(store.getState()) && !isFirst) this.addLayers(meshes);
    else {
      showLayers();
      if (!surfaceFiles.join(meshes)) leaving.before(() => void surfaceFiles.open(meshes));
    }
  }

  /** Adds surfaces to the open volume or space, if they are wanted. A file that a surface of the session lacks restores that surface instead. */
  async #addSurfaces(files: readonly HostFile[], isWanted: boolean | Promise<boolean>): Promise<void> {
    const { store, lostFiles, surfaceFiles, meshes } = this.#needs;
    const { document } = store.getState();
    const others = await lostFiles.takeSurfaces(files);
    if (!isSameDocument(store.getState().document, document)) return;
    if (openDocument(store.getState())?.space) await surfaceFiles.add(others);
    else await meshes.addFiles(others, isWanted);
  }
}

function fileRequest(file: HostFile): OpenRequest {
  return { kind: 'file', file, dataset: file.dataset?.id, label: file.dataset?.label };
}
