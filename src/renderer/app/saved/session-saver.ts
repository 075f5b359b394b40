import { StriaError } from '../../../core/shared/errors.ts';
import type { Host, HostSink } from '../../host/host.ts';
import { baseId, type LayerStack, volumeIdOf } from '../../viewer/model/layers.ts';
import { codecChoice } from '../compress/compress-protocol.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import { curvePlace } from '../measure/time-curves.ts';
import { sessionName, writeSession } from '../session/session-file.ts';
import { storableCurves } from '../session/stored-curves.ts';
import { sampleTitle } from '../state/samples.ts';
import type { SavedLayer, SavedLayers, SavedSession } from '../state/saved-session.ts';
import { defaultSettings } from '../state/settings.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import { type SessionMeshes, type SurfaceSources, savedSurfaces } from './saved-surfaces.ts';
import { sourceIn } from './session-files.ts';
import type { SessionDocument, SessionLayers } from './session-needs.ts';

export interface SaverNeeds {
  readonly host: Pick<Host, 'saveAs'>;
  readonly store: AppStore;
  readonly document: Pick<SessionDocument, 'request'>;
  readonly layers: Pick<SessionLayers, 'requestOf' | 'lostSourceOf'>;
  readonly meshes: SessionMeshes;
}

/** Where the layers and surfaces of a stack, and the tables of labels, come from. */
interface StackSources {
  readonly volumes: ReadonlyMap<string, readonly [request: OpenRequest | undefined, lost: SavedLayer['source']]>;
  readonly surfaces: SurfaceSources;
  readonly tables: SavedLayers['tables'];
}

/** Saves the view of the open volume as a session. */
export class SessionSaver {
  readonly #needs: SaverNeeds;

  constructor(needs: SaverNeeds) {
    this.#needs = needs;
  }

  /**
   * Asks where to save, and writes the session. @returns a message for the user; undefined if the user cancelled
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
    // The volume may be closed while the user is asked or files are read. Its layers and surfaces are then forgotten.
    const sources = this.#sourcesOf(stack);
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
      const layers = await this.#layersIn(stack, sources, sink);
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

  #sourcesOf({ layers, meshes }: LayerStack): StackSources {
    const { layers: known, meshes: made, store } = this.#needs;
    const volumes = layers.map(volumeIdOf).map((id) => [id, [known.requestOf(id), known.lostSourceOf(id)]] as const);
    const surfaces = meshes.map(({ id }) => [id, [made.sourceOf(id), made.fileOf(id), made.lostFileOf(id)]] as const);
    return { volumes: new Map(volumes), surfaces: new Map(surfaces), tables: store.getState().labels.loaded };
  }

  async #layersIn({ layers, meshes, ...rest }: LayerStack, sources: StackSources, sink: HostSink): Promise<SavedLayers> {
    const list: SavedLayer[] = [];
    const owners = new Map<string, string>();
    for (const look of layers) {
      const id = volumeIdOf(look);
      const [request, lost] = sources.volumes.get(id) ?? [];
      const owner = id === baseId ? baseId : owners.get(id);
      if (owner !== undefined) list.push({ source: undefined, look: { ...look, of: owner } });
      else if (request || lost) {
        // The layer that the voxels were loaded for may have been removed.
        owners.set(id, look.id);
        list.push({ source: request ? await sourceIn(request, sink) : lost, look: { ...look, of: undefined } });
      }
    }
    const used = [rest.base.labels, ...list.map(({ look }) => look.labels)].map(({ table }) => table);
    const loaded = Object.entries(sources.tables);
    const volumes = [baseId, ...list.map(({ look }) => look.id)];
    return {
      ...rest,
      list,
      ...(await savedSurfaces(meshes, volumes, sources.surfaces, sink)),
      tables: Object.fromEntries(loaded.filter(([id]) => used.includes(id))),
    };
  }
}

function nameOf(request: OpenRequest): string {
  if (request.kind === 'sample') return sampleTitle(request.sample);
  return request.kind === 'space' ? request.name : request.file.name;
}

function compressionOf({ codec, axis, prefer, effort }: ReturnType<typeof codecChoice>): SavedSession['compression'] {
  return { codec, axis, prefer: prefer ?? defaultSettings.prefer, effort: effort ?? defaultSettings.effort };
}
