import { maxTextLength } from '../../../core/format/layout.ts';
import { StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { sourceOf } from '../../host/file-source.ts';
import type { Host, HostFile, HostSink } from '../../host/host.ts';
import { baseId, type LayerStack, mostMeshes, volumeIdOf } from '../../viewer/model/layers.ts';
import { codecChoice } from '../compress/compress-protocol.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import { withStacks } from '../loading/picture-stacks.ts';
import { withSeries } from '../loading/series-files.ts';
import { curvePlace, pinnedAgain } from '../measure/time-curves.ts';
import { readSession, sessionName, writeSession } from '../session/session-file.ts';
import { storableCurves } from '../session/stored-curves.ts';
import { viewFrom } from '../session/stored-view.ts';
import { sampleTitle } from '../state/samples.ts';
import {
  partName,
  type SavedLayer,
  type SavedLayers,
  type SavedSession,
  type SessionPart,
  type SessionSource,
  type WaitingSession,
} from '../state/saved-session.ts';
import { defaultSettings, type Settings } from '../state/settings.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import { findSurfaces, foundSurfaces, listedSurfaces, type SessionMeshes, savedSurfaces } from './saved-surfaces.ts';
import { candidatesOf, type FoundPart, fittingOne, sourceIn, whyAnother } from './session-files.ts';

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

/** What sessions need of the layers; `LayerVolumes` provides it. */
export interface SessionLayers {
  /** What a layer was loaded from. */
  requestOf(id: string): OpenRequest | undefined;
  /** Loads the layers of the view that is shown. @param lost what those were made from whose files were not found */
  restore(requests: ReadonlyMap<string, OpenRequest>, lost?: ReadonlyMap<string, SessionSource>): void;
  /** What a layer was made from, if its files were not found. */
  lostSourceOf(id: string): SessionSource | undefined;
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

/** Saves the open volume's view and restores it. */
export class SavedSessions {
  readonly #needs: SessionNeeds;
  /** Counts requests, so that an outdated one stops. */
  #turn = 0;

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
      viewpoints: viewer.views.viewpoints(),
      layout: state.settings.layout,
      sliceAxis: state.sliceAxis,
      showChunks: state.showChunks,
      clipHandles: state.clipHandles,
      compression: compressionOf(codecChoice(state)),
      measurements: state.measurements,
      pinnedCurves: curves.map(({ times: _, unit: __, ...curve }) => curve),
      playback: { ...state.settings.playback, axis: state.playback?.isOpen ? state.playback.stack.axis : undefined },
    };
    const sink = await host.saveAs(sessionName(nameOf(request)));
    if (!sink) return undefined;
    try {
      const layers = await this.#layersIn(stack, sink);
      await sink.write(writeSession({ source: await sourceIn(request, sink), ...looks, layers }));
      await sink.close();
      store.setState({ savedMeasurements: looks.measurements });
    } catch (error) {
      await sink.abort().catch(() => undefined);
      throw error;
    }
    const left = state.pinnedCurves.slice(curves.length);
    const without = left.length > 0 ? `, without pinned curves that are too long: ${left.map(curvePlace).join(', ')}` : '';
    return `${sink.name} is saved${without}`;
  }

  async #layersIn({ layers, meshes, ...rest }: LayerStack, sink: HostSink): Promise<SavedLayers> {
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
    return {
      ...rest,
      list,
      ...(await savedSurfaces(meshes, volumes, this.#needs.meshes, sink)),
      tables: Object.fromEntries(loaded.filter(([id]) => used.includes(id))),
    };
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
      if (!this.#isWanted(turn, file)) return;
      const made = madeFrom(saved.source);
      if (made) return await this.#show(file, saved, made, given, turn);
      if (!('files' in saved.source)) return;
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
    if (!('files' in saved.source)) return;
    const { files, raw, dataset } = saved.source;
    const together = withSeries(given);
    const reasons: (string | undefined)[] = [];
    const all: (HostFile | undefined)[] = [];
    for (const [index, wanted] of files.entries()) {
      const candidates = candidatesOf(wanted, together, files.length === 1);
      const part = found[index] ? { one: found[index] } : await this.#findPart(file, wanted, candidates);
      if (!this.#isWanted(turn, file)) return;
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
    const fitting = await fittingOne(part, given);
    if (fitting.one) return fitting;
    if (part.address !== undefined) return this.#findAddress(part.address, part);
    const beside = await this.#needs.host.openRelative(session, part.path);
    const whyNot = beside && (await whyAnother(beside, part));
    return beside && whyNot === undefined ? { one: beside } : { reason: whyNot ?? fitting.reason };
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
  #isWanted(turn: number, file: HostFile): boolean {
    const { document } = this.#needs.store.getState();
    if (turn !== this.#turn) return false;
    return document.kind === 'waiting'
      ? document.session.file === file
      : document.kind === 'loading' && document.name === file.name;
  }

  #failed(turn: number, file: HostFile, error: unknown): void {
    if (!this.#isWanted(turn, file)) return;
    this.#needs.document.fail(file.name, error);
  }

  /** Loads a layer whose files were not found. @returns why the given files are not the right ones */
  async findLayer(id: string, given: readonly HostFile[]): Promise<string | undefined> {
    const { layers } = this.#needs;
    const source = layers.lostSourceOf(id);
    if (!source || !('files' in source)) return undefined;
    const together = withSeries(given);
    const found: HostFile[] = [];
    for (const part of source.files) {
      const { one, reason } = await fittingOne(part, candidatesOf(part, together, source.files.length === 1));
      if (!one) return reason ?? `${partName(part)} is not among the chosen files`;
      found.push(one);
    }
    const [primary] = withStacks(found);
    if (!primary || layers.lostSourceOf(id) !== source) return undefined;
    layers.restore(new Map([[id, { kind: 'file', file: primary, raw: source.raw, dataset: source.dataset }]]));
    return undefined;
  }

  /** Reads a surface whose file was not found, and all others whose files were given, too. @returns as `findLayer` */
  async findSurface(id: string, given: readonly HostFile[]): Promise<string | undefined> {
    const [part] = this.#needs.meshes.lostFileOf(id)?.source.files ?? [];
    if (!part) return undefined;
    const { one, reason } = await fittingOne(part, candidatesOf(part, given, true));
    if (!one) return reason ?? `${partName(part)} is not among the chosen files`;
    await this.takeSurfaces(given);
    return undefined;
  }

  /** Reads surfaces whose files were not found from the given files. @returns the files of which none was missing */
  async takeSurfaces(given: readonly HostFile[]): Promise<readonly HostFile[]> {
    const { store, meshes } = this.#needs;
    const ids = store.getState().layers.stack.meshes.map(({ id }) => id);
    const found = await foundSurfaces(ids, meshes, given);
    if (found.size > 0) meshes.restore(found);
    const taken = new Set([...found.values()].map(({ file }) => file));
    return given.filter((file) => !taken.has(file));
  }

  /** What the layers are loaded from, by id, and those whose files were not found. */
  async #findLayers({ list }: SavedLayers, session: HostFile, given: readonly HostFile[], turn: number) {
    const requests = new Map<string, OpenRequest>();
    const lost = new Map<string, SessionSource>();
    for (const { source, look } of list) {
      if (!source) continue;
      const made = madeFrom(source);
      if (made) requests.set(look.id, made);
      if (!('files' in source)) continue;
      const found: HostFile[] = [];
      for (const part of source.files) {
        const candidates = withSeries(given).filter(({ name }) => name === partName(part));
        // A file that cannot be read is like one that is not there.
        const { one } = await this.#findPart(session, part, candidates).catch((): FoundPart => ({}));
        if (!this.#isWanted(turn, session)) return { requests, lost };
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
    if (!this.#isWanted(turn, file)) return;
    const surfaces = await findSurfaces(saved.layers, (part) => this.#findMeshFile(file, part, given));
    if (!this.#isWanted(turn, file)) return;
    const { looks, left } = listedSurfaces(saved.layers);
    const { rate, pace, atEnd, axis } = saved.playback;
    set({ layout: saved.layout, ...saved.compression, playback: { rate, pace, atEnd } });
    const opening: OpenRequest = {
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
              meshes: looks,
            },
          });
          viewer.views.startFrom(saved.viewpoints);
          const { measurements, sliceAxis, showChunks, clipHandles } = saved;
          store.setState({ measurements, savedMeasurements: measurements, sliceAxis, showChunks, clipHandles });
        },
      },
    };
    await document.open(opening);
    const opened = openDocument(store.getState());
    if (!opened || document.request !== opening) return;
    // With the document's own change, curves pinned before have gone.
    store.setState({ pinnedCurves: pinnedAgain(saved.pinnedCurves, opened.info) });
    this.#needs.restoreTables(saved.layers.tables);
    layers.restore(requests, lost);
    this.#needs.meshes.restore(surfaces.sources, surfaces.lost);
    const missing = [
      ...saved.layers.list.filter(({ look }) => lost.has(look.id)).map(({ look }) => look),
      ...looks.filter(({ id }) => surfaces.lost.has(id)),
    ];
    const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name).join(', ');
    const words = [
      ...(missing.length > 0 ? [`Not found: ${names(missing)}. Choose the layer in the list to find its file`] : []),
      ...(left.length > 0 ? [`More than ${mostMeshes} surfaces. Left out: ${names(left.map(({ look }) => look))}`] : []),
    ];
    if (words.length > 0) store.setState({ notice: words.join('. ') });
    if (axis) playAlong(axis);
  }
}

/** What is opened without a file. */
function madeFrom(source: SessionSource): OpenRequest | undefined {
  if ('sample' in source) return { kind: 'sample', sample: source.sample };
  if (!('space' in source)) return undefined;
  const { name, ...space } = source.space;
  return { kind: 'space', name, space };
}

function nameOf(request: OpenRequest): string {
  if (request.kind === 'sample') return sampleTitle(request.sample);
  return request.kind === 'space' ? request.name : request.file.name;
}

function compressionOf({ codec, axis, prefer, effort }: ReturnType<typeof codecChoice>): SavedSession['compression'] {
  return { codec, axis, prefer: prefer ?? defaultSettings.prefer, effort: effort ?? defaultSettings.effort };
}
