import { fingerprint } from '../../../core/format/fingerprint.ts';
import { maxTextLength } from '../../../core/format/layout.ts';
import { StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { sourceOf } from '../../host/file-source.ts';
import type { Host, HostFile, HostSink } from '../../host/host.ts';
import { baseId, type LayerStack, volumeIdOf } from '../../viewer/model/layers.ts';
import { codecChoice } from '../compress/compress-protocol.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import { withStacks } from '../loading/picture-stacks.ts';
import { withSeries } from '../loading/series-files.ts';
import { curvePlace, pinnedAgain } from '../measure/time-curves.ts';
import { readSession, sessionName, writeSession } from '../session/session-file.ts';
import { storableCurves } from '../session/stored-curves.ts';
import { viewFrom } from '../session/stored-view.ts';
import { isSameDocument } from '../state/document-state.ts';
import { sampleTitle } from '../state/samples.ts';
import {
  partName,
  type SavedLayer,
  type SavedLayers,
  type SavedMesh,
  type SavedMeshFile,
  type SavedSession,
  type SessionFiles,
  type SessionPart,
  type SessionSource,
  type WaitingSession,
} from '../state/saved-session.ts';
import { defaultSettings, type Settings } from '../state/settings.ts';
import { type AppState, type AppStore, openDocument } from '../state/store.ts';
import { formatCount } from '../words/units.ts';
import { type FoundMesh, foundMeshFiles } from './mesh-files.ts';
import { surfacesToSave } from './surfaces-to-save.ts';

export interface SessionNeeds {
  readonly host: Pick<Host, 'saveAs' | 'openRelative' | 'openAddress'>;
  readonly store: AppStore;
  /** The open document and its life. */
  readonly document: SessionDocument;
  readonly layers: SessionLayers;
  readonly meshes: SessionMeshes;
  /** Gives the tables of labels to which the looks of a restored view refer. */
  restoreTables(tables: SavedLayers['tables']): void;
  set(change: Partial<Settings>): void;
  playAlong(axis: 'x' | 'y' | 'z' | 't'): void;
}

/** What sessions need of the layers; `Layers` provides it. */
export interface SessionLayers {
  /** What a layer was loaded from. */
  requestOf(id: string): OpenRequest | undefined;
  /** Loads the layers of the view that is shown. @param lost what those were made from whose files were not found */
  restore(requests: ReadonlyMap<string, OpenRequest>, lost?: ReadonlyMap<string, SessionSource>): void;
  /** What a layer was made from, if its files were not found. */
  lostSourceOf(id: string): SessionSource | undefined;
}

/** What sessions need of the meshes; `Meshes` provides it. */
export interface SessionMeshes {
  sourceOf(id: string): SavedMesh['source'] | undefined;
  /** The file that a layer was read from. */
  fileOf(id: string): FoundMesh['source'] | undefined;
  /** Extracts them again, or reads their files. */
  restore(saved: readonly (SavedMesh | FoundMesh)[]): Promise<void>;
}

/** What sessions need of the document; `DocumentLife` provides it. */
export interface SessionDocument {
  readonly request: OpenRequest | undefined;
  /** Frees the open volume, and starts looking for the volume of a session. */
  seek(name: string): void;
  ask(question: { readonly kind: 'waiting'; readonly session: WaitingSession }): void;
  fail(name: string, error: unknown): void;
  /** Resolves when it is shown, or has failed. */
  open(request: OpenRequest): Promise<void>;
}

/** The content of this many pictures of a stack is checked; for the others only the size. */
const mostPrints = 16;

/** Saves the open volume's view and restores it. */
export class SavedSessions {
  readonly #needs: SessionNeeds;
  /** Counts requests, so that an outdated one stops. */
  #turn = 0;
  /** Those of layers whose files were not found. */
  #lostMeshes: readonly SavedMesh[] = [];
  /** Of the volume that a session opened: meshes whose files were not found. */
  #lostFiles: { readonly of: AppState['document']; readonly list: readonly SavedMeshFile[] } | undefined;

  constructor(needs: SessionNeeds) {
    this.#needs = needs;
  }

  /**
   * Asks where to save, and writes. @returns what to tell people; undefined if they chose no place
   * @throws StriaError of the host; `invalid-input` if nothing is open
   */
  async save(): Promise<string | undefined> {
    const { host, store } = this.#needs;
    const { request } = this.#needs.document;
    const state = store.getState();
    if (!request || state.gpu.kind !== 'ready' || !openDocument(state)) {
      throw new StriaError('invalid-input', 'there is no open volume to save a session of');
    }
    const { viewer } = state.gpu;
    const { layers: stack, ...view } = viewer.snapshot().state;
    const curves = storableCurves(state.pinnedCurves);
    const looks = {
      view: view as unknown as SavedSession['view'],
      viewpoints: viewer.viewpoints(),
      layout: state.settings.layout,
      sliceAxis: state.sliceAxis,
      showChunks: state.showChunks,
      clipHandles: state.clipHandles,
      compression: compressionOf(codecChoice(state)),
      measurements: state.measurements,
      pinnedCurves: curves.map(({ times: _, unit: __, ...curve }) => curve),
      playback: { ...state.settings.playback, axis: state.playback?.isOpen ? state.playback.stack.axis : undefined },
    };
    const sink = await host.saveAs(sessionName(request.kind === 'file' ? request.file.name : sampleTitle(request.sample)));
    if (!sink) return undefined;
    try {
      const { layers, left } = await this.#layersIn(stack, sink);
      await sink.write(writeSession({ source: await sourceIn(request, sink), ...looks, layers }));
      await sink.close();
      store.setState({ savedMeasurements: looks.measurements });
      const long = state.pinnedCurves.slice(curves.length);
      const surfaces = `surfaces that were not found, of which there are too many: ${left.map(({ look }) => look.name).join(', ')}`;
      const without = [
        ...(long.length > 0 ? [`pinned curves that are too long: ${long.map(curvePlace).join(', ')}`] : []),
        ...(left.length > 0 ? [surfaces] : []),
      ];
      return `${sink.name} is saved${without.length > 0 ? `, without ${without.join(', and without ')}` : ''}`;
    } catch (error) {
      await sink.abort().catch(() => undefined);
      throw error;
    }
  }

  /** @returns also the surfaces that a session has no room for */
  async #layersIn({ layers, meshes, ...rest }: LayerStack, sink: HostSink) {
    const list: SavedLayer[] = [];
    const owners = new Map<string, string>();
    for (const look of layers) {
      const id = volumeIdOf(look);
      const request = this.#needs.layers.requestOf(id);
      const lost = this.#needs.layers.lostSourceOf(id);
      const owner = id === baseId ? baseId : owners.get(id);
      if (owner !== undefined) list.push({ source: undefined, look: { ...look, of: owner } });
      else if (request || lost) {
        // The layer with which the voxels were loaded may have been removed.
        owners.set(id, look.id);
        list.push({ source: request ? await sourceIn(request, sink) : lost, look: { ...look, of: undefined } });
      }
    }
    const used = [rest.base.labels, ...list.map(({ look }) => look.labels)].map(({ table }) => table);
    const loaded = Object.entries(this.#needs.store.getState().labels.loaded);
    const volumes = [baseId, ...list.map(({ look }) => look.id)];
    const surfaces = meshes.flatMap((look) => {
      const source = this.#needs.meshes.sourceOf(look.id);
      // That of a removed layer could not be extracted again.
      return source && volumes.includes(source.from) ? [{ source, look }] : [];
    });
    const lostSurfaces = this.#lostMeshes.filter(
      ({ source }) => this.#needs.layers.lostSourceOf(source.from) && volumes.includes(source.from),
    );
    const lost = this.#lostFiles;
    const isHere = lost !== undefined && isSameDocument(lost.of, this.#needs.store.getState().document);
    const { left, ...saved } = surfacesToSave(
      { meshes: surfaces, meshFiles: await this.#meshFilesIn(meshes, sink) },
      { meshes: lostSurfaces, meshFiles: isHere ? lost.list : [] },
    );
    const tables = Object.fromEntries(loaded.filter(([id]) => used.includes(id)));
    return { layers: { ...rest, list, ...saved, tables } satisfies SavedLayers, left };
  }

  async #meshFilesIn(meshes: LayerStack['meshes'], sink: HostSink): Promise<readonly SavedMeshFile[]> {
    const list: SavedMeshFile[] = [];
    for (const look of meshes) {
      const read = this.#needs.meshes.fileOf(look.id);
      if (read) list.push({ source: await filesIn({ kind: 'file', file: read.file }, sink), object: read.object, look });
    }
    return list;
  }

  /** Opens a session. Its volume is given with it, or is where the session says. Failures become the document's state. */
  async open(file: HostFile, given: readonly HostFile[]): Promise<void> {
    const turn = ++this.#turn;
    this.#needs.document.seek(file.name);
    try {
      if (file.size > maxTextLength) {
        throw new StriaError('corrupt', `the session has ${file.size} bytes; the limit is ${maxTextLength}`);
      }
      const saved = readSession(await sourceOf(file.handle).read(0, file.size));
      if (!this.#isWanted(turn)) return;
      if ('sample' in saved.source)
        return await this.#show(file, saved, { kind: 'sample', sample: saved.source.sample }, given, turn);
      const missing = saved.source.files.map((part) => ({ name: partName(part), reason: undefined }));
      await this.complete({ file, saved, missing, found: [] }, given);
    } catch (error) {
      this.#failed(turn, file, error);
    }
  }

  /** Continues with a session when some of its files were given. */
  async complete(waiting: WaitingSession, given: readonly HostFile[]): Promise<void> {
    const turn = ++this.#turn;
    try {
      await this.#complete(waiting, given, turn);
    } catch (error) {
      this.#failed(turn, waiting.file, error);
    }
  }

  async #complete({ file, saved, found }: WaitingSession, given: readonly HostFile[], turn: number): Promise<void> {
    const { document } = this.#needs;
    if ('sample' in saved.source) return;
    const { files, raw, dataset } = saved.source;
    const together = withSeries(given);
    const reasons: (string | undefined)[] = [];
    const all: (HostFile | undefined)[] = [];
    for (const [index, wanted] of files.entries()) {
      const candidates = candidatesOf(wanted, together, files.length === 1);
      const part = found[index] ? { one: found[index] } : await this.#findPart(file, wanted, candidates);
      if (!this.#isWanted(turn)) return;
      all.push(part.one);
      reasons.push(part.reason);
      // Otherwise a session could ask about one host after another.
      if (!part.one && wanted.address !== undefined) break;
    }
    const whole = all.filter((one) => one !== undefined);
    if (whole.length < files.length) {
      const missing = files.flatMap((part, index) => (all[index] ? [] : [{ name: partName(part), reason: reasons[index] }]));
      document.ask({ kind: 'waiting', session: { file, saved, missing, found: files.map((_, index) => all[index]) } });
      return;
    }
    const [primary] = withStacks(whole);
    if (primary) await this.#show(file, saved, { kind: 'file', file: primary, raw, dataset }, given, turn);
  }

  /** The file that a session means: the first fitting one of those given, else the one where it says. Or why none fits. */
  async #findPart(session: HostFile, part: SessionPart, given: readonly HostFile[]): Promise<FoundPart> {
    let reason: string | undefined;
    for (const one of given) {
      reason = await whyAnother(one, part);
      if (reason === undefined) return { one };
    }
    if (part.address !== undefined) return this.#findAddress(part.address, part);
    const beside = await this.#needs.host.openRelative(session, part.path);
    const whyNot = beside && (await whyAnother(beside, part));
    return beside && whyNot === undefined ? { one: beside } : { reason: whyNot ?? reason };
  }

  /** A file that cannot be read is like one that is not there. */
  async #findMeshFile(session: HostFile, part: SessionPart, given: readonly HostFile[]): Promise<HostFile | undefined> {
    const named = given.filter(({ name }) => name === partName(part));
    const { one } = await this.#findPart(session, part, named).catch((): FoundPart => ({}));
    return one;
  }

  async #findAddress(address: string, part: SessionPart): Promise<FoundPart> {
    try {
      const one = await this.#needs.host.openAddress(address);
      const reason = await whyAnother(one, part);
      return reason === undefined ? { one } : { reason };
    } catch (error) {
      return { reason: toStriaError(error).message };
    }
  }

  /** Nothing else was opened meanwhile, and the user has not cancelled. */
  #isWanted(turn: number): boolean {
    const { kind } = this.#needs.store.getState().document;
    return turn === this.#turn && (kind === 'loading' || kind === 'waiting');
  }

  #failed(turn: number, file: HostFile, error: unknown): void {
    if (!this.#isWanted(turn)) return;
    this.#needs.document.fail(file.name, error);
  }

  /** Loads a layer whose files were not found. @returns why the given files are not the right ones */
  async findLayer(id: string, given: readonly HostFile[]): Promise<string | undefined> {
    const { layers, meshes } = this.#needs;
    const source = layers.lostSourceOf(id);
    if (!source || 'sample' in source) return undefined;
    const together = withSeries(given);
    const found: HostFile[] = [];
    for (const part of source.files) {
      let reason: string | undefined = `${partName(part)} is not among the chosen files`;
      for (const one of candidatesOf(part, together, source.files.length === 1)) {
        reason = await whyAnother(one, part);
        if (reason !== undefined) continue;
        found.push(one);
        break;
      }
      if (reason !== undefined) return reason;
    }
    const [primary] = withStacks(found);
    if (!primary || layers.lostSourceOf(id) !== source) return undefined;
    layers.restore(new Map([[id, { kind: 'file', file: primary, raw: source.raw, dataset: source.dataset }]]));
    const isOfLayer = ({ source: { from } }: SavedMesh) => from === id;
    const surfaces = this.#lostMeshes.filter(isOfLayer);
    this.#lostMeshes = this.#lostMeshes.filter((mesh) => !isOfLayer(mesh));
    void meshes.restore(surfaces);
    return undefined;
  }

  /** What the layers are loaded from, by id, and those whose files were not found. */
  async #findLayers({ list }: SavedLayers, session: HostFile, given: readonly HostFile[], turn: number) {
    const requests = new Map<string, OpenRequest>();
    const lost = new Map<string, SessionSource>();
    for (const { source, look } of list) {
      if (!source) continue;
      if ('sample' in source) {
        requests.set(look.id, { kind: 'sample', sample: source.sample });
        continue;
      }
      const found: HostFile[] = [];
      for (const part of source.files) {
        const candidates = withSeries(given).filter(({ name }) => name === partName(part));
        // A file that cannot be read is like one that is not there.
        const { one } = await this.#findPart(session, part, candidates).catch((): FoundPart => ({}));
        if (!this.#isWanted(turn)) return { requests, lost };
        if (one) found.push(one);
        else if (part.address !== undefined) break;
      }
      const [primary] = found.length === source.files.length ? withStacks(found) : [];
      if (primary) requests.set(look.id, { kind: 'file', file: primary, raw: source.raw, dataset: source.dataset });
      else lost.set(look.id, source);
    }
    return { requests, lost };
  }

  async #show(
    file: HostFile,
    saved: SavedSession,
    request: OpenRequest,
    given: readonly HostFile[],
    turn: number,
  ): Promise<void> {
    const { store, document, set, playAlong, layers } = this.#needs;
    const { requests, lost } = await this.#findLayers(saved.layers, file, given, turn);
    if (!this.#isWanted(turn)) return;
    const meshFiles = await foundMeshFiles(saved.layers.meshFiles, (part) => this.#findMeshFile(file, part, given));
    if (!this.#isWanted(turn)) return;
    const { rate, pace, atEnd, axis } = saved.playback;
    set({ layout: saved.layout, ...saved.compression, playback: { rate, pace, atEnd } });
    await document.open({
      ...request,
      session: {
        file,
        restore: (viewer) => {
          const { base, solo, list } = saved.layers;
          viewer.set({
            ...viewFrom(saved.view, viewer.snapshot().state),
            layers: {
              base,
              solo,
              layers: list.map(({ look }) => look),
              meshes: [],
            },
          });
          viewer.startFrom(saved.viewpoints);
          const { measurements, sliceAxis, showChunks, clipHandles } = saved;
          store.setState({ measurements, savedMeasurements: measurements, sliceAxis, showChunks, clipHandles });
        },
      },
    });
    const opened = openDocument(store.getState());
    if (!opened) return;
    // With the document's own change, curves pinned before have gone.
    store.setState({ pinnedCurves: pinnedAgain(saved.pinnedCurves, opened.info) });
    this.#needs.restoreTables(saved.layers.tables);
    layers.restore(requests, lost);
    const { list, meshes } = saved.layers;
    const volumes = new Map(list.map(({ look }) => [look.id, volumeIdOf(look)]));
    const isLoaded = (id: string | undefined) => id !== undefined && (id === baseId || requests.has(id));
    const isThere = ({ source: { from } }: SavedMesh) => isLoaded(from === baseId ? baseId : volumes.get(from));
    this.#lostMeshes = meshes.filter((mesh) => !isThere(mesh));
    void this.#needs.meshes.restore([...meshes.filter(isThere), ...meshFiles.found]);
    this.#lostFiles = { of: store.getState().document, list: meshFiles.lost };
    const missing = list.flatMap(({ look }) => (lost.has(look.id) ? [look.name] : []));
    const layerWords = `Not found: ${missing.join(', ')}. Choose the layer in the list to find its file`;
    const meshWords = `Surfaces that were not found: ${meshFiles.lost.map(({ look }) => look.name).join(', ')}. Open their files to add them`;
    const words = [...(missing.length > 0 ? [layerWords] : []), ...(meshFiles.lost.length > 0 ? [meshWords] : [])];
    if (words.length > 0) store.setState({ notice: words.join('. ') });
    if (axis) playAlong(axis);
  }
}

/** Given files that may be a part: those of its name, or one that is given for the only part. */
function candidatesOf(part: SessionPart, given: readonly HostFile[], isOnly: boolean): readonly HostFile[] {
  const named = given.filter(({ name }) => name === partName(part));
  return named.length === 0 && isOnly && given.length === 1 ? given : named;
}

interface FoundPart {
  readonly one?: HostFile;
  readonly reason?: string | undefined;
}

function compressionOf({ codec, axis, prefer, effort }: ReturnType<typeof codecChoice>): SavedSession['compression'] {
  return { codec, axis, prefer: prefer ?? defaultSettings.prefer, effort: effort ?? defaultSettings.effort };
}

async function sourceIn(request: OpenRequest, sink: HostSink): Promise<SessionSource> {
  return request.kind === 'sample' ? { sample: request.sample } : filesIn(request, sink);
}

async function filesIn({ file, raw, dataset }: Extract<OpenRequest, { kind: 'file' }>, sink: HostSink): Promise<SessionFiles> {
  if (file.folder) return { files: [{ path: file.name, address: file.address, size: 0 }], folder: true, dataset };
  const parts = file.stackOf ?? [file];
  const every = Math.ceil(parts.length / mostPrints);
  const files: SessionPart[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.address !== undefined) {
      files.push({ path: part.name, address: part.address, size: part.size });
      continue;
    }
    const print = index % every === 0 ? await fingerprint(sourceOf(part.handle)) : undefined;
    files.push({ path: (await sink.relativePath?.(part)) ?? part.name, size: part.size, fingerprint: print });
  }
  return { files, raw, dataset };
}

/**
 * Why a file is not the session's, or undefined if it is. The size is compared first, so that the content is read only if
 * that matches.
 */
async function whyAnother(candidate: HostFile, part: SessionPart): Promise<string | undefined> {
  if (candidate.folder) return undefined;
  if (candidate.size !== part.size)
    return `${candidate.name} has ${formatCount(candidate.size)} bytes, not ${formatCount(part.size)}`;
  if (part.fingerprint === undefined || (await fingerprint(sourceOf(candidate.handle))) === part.fingerprint) return undefined;
  return `${candidate.name} is as long, but holds something else`;
}
