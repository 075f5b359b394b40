import { maxTextLength } from '../../../core/format/layout.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { sourceOf } from '../../host/file-source.ts';
import type { Host, HostFile } from '../../host/host.ts';
import { mostMeshes } from '../../viewer/model/layers.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import { withStacks } from '../loading/picture-stacks.ts';
import { withSeries } from '../loading/series-files.ts';
import { pinnedAgain } from '../measure/time-curves.ts';
import { readSession } from '../session/session-file.ts';
import { viewFrom } from '../session/stored-view.ts';
import {
  partName,
  type SavedLayers,
  type SavedSession,
  type SessionSource,
  type WaitingSession,
} from '../state/saved-session.ts';
import type { Settings } from '../state/settings.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import { PartFinder } from './part-finder.ts';
import { findSurfaces, listedSurfaces, type SessionMeshes } from './saved-surfaces.ts';
import { candidatesOf } from './session-files.ts';
import type { SessionDocument, SessionLayers } from './session-needs.ts';

export interface SessionNeeds {
  readonly host: Pick<Host, 'openRelative' | 'openAddress'>;
  readonly store: AppStore;
  /** The open document and its life. */
  readonly document: SessionDocument;
  readonly layers: Pick<SessionLayers, 'restore'>;
  readonly meshes: Pick<SessionMeshes, 'restore'>;
  /** Sets the tables of labels that the looks of a restored view refer to. */
  restoreTables(tables: SavedLayers['tables']): void;
  set(change: Partial<Settings>): void;
  playAlong(axis: 'x' | 'y' | 'z' | 't'): void;
}

/** Opens sessions: finds their files, and restores their views. */
export class SavedSessions {
  readonly #needs: SessionNeeds;
  readonly #finder: PartFinder;
  /** Counts requests, so that outdated ones stop. */
  #turn = 0;

  constructor(needs: SessionNeeds) {
    this.#needs = needs;
    this.#finder = new PartFinder(needs.host);
  }

  /** Opens a session. Its volume is among the given files, or where the session says. Failures become the document's state. */
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

  /** Continues with a waiting session when the user has given files. */
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
      const part = found[index] ? { one: found[index] } : await this.#finder.find(file, wanted, candidates);
      if (!this.#isWanted(turn, file)) return;
      all.push(part.one);
      reasons.push(part.reason);
      // Stop here, so that a session cannot make Stria contact one host after another.
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

  /** Whether nothing else was opened meanwhile and the user has not cancelled. */
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

  /** The requests that load the layers, by id, and the sources of layers whose files were not found. */
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
        const one = await this.#finder.findNamed(session, part, withSeries(given));
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
    const surfaces = await findSurfaces(saved.layers, (part) => this.#finder.findNamed(file, part, given));
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
    // Only now: the change of the document has removed earlier pinned curves.
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

/** The request for a source without a file; undefined for files. */
function madeFrom(source: SessionSource): OpenRequest | undefined {
  if ('sample' in source) return { kind: 'sample', sample: source.sample };
  if (!('space' in source)) return undefined;
  const { name, ...space } = source.space;
  return { kind: 'space', name, space };
}
