import type { Mesh } from '../../../core/mesh/mesh.ts';
import type { SurfaceChoice } from '../../../core/mesh/surfaces.ts';
import { type FaultData, faultToData, StriaError } from '../../../core/shared/errors.ts';
import { colorsOf, labelColorIndex } from '../../viewer/colors/colormaps.ts';
import { isLabelShown } from '../../viewer/model/label-look.ts';
import {
  baseId,
  type LayerLook,
  type LayerStack,
  layerTime,
  type MeshLook,
  noLayers,
  volumeIdOf,
} from '../../viewer/model/layers.ts';
import { inBaseWorld } from '../../viewer/model/mesh-place.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { labelLookOf, labelTableOf } from '../labels/label-tables.ts';
import { layerVolume, type MeshFileSource, type MeshSource, type SurfaceSource } from '../state/layer-state.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import type { extractShown, SurfaceVolume } from './extract-shown.ts';

/** A mesh with its source and the first look of its layer. */
export interface NewMesh {
  readonly mesh: Mesh;
  readonly source: MeshSource | MeshFileSource;
  readonly look: Pick<MeshLook, 'name' | 'color' | 'of' | 'motion'>;
}

export interface ExtractionJob {
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

/** Whether the voxels that a surface is extracted from are loaded. If their files are missing: the names of the files. */
export type Readiness = 'ready' | 'waiting' | 'removed' | { readonly lost: readonly string[] } | { readonly fault: FaultData };

/** Colours of surfaces that are not of labels, in the order in which they are added. */
export const meshColors = ['#e8c39e', '#7fb2e5', '#e58a7f', '#8fd19e', '#c9a0dc', '#e5d57f'] as const;

/** Extracts surfaces of the shown volumes: chooses voxels and time point, places the meshes, and gives their layers a first look. */
export class SurfaceExtraction {
  readonly #store: AppStore;
  readonly #engine: () => Engine | undefined;
  readonly #volume: (id: string) => SurfaceVolume | undefined;
  readonly #extract: typeof extractShown;
  /** See `ShownJob.onlyGpu`. */
  onlyGpu = false;

  /** @param volume the voxels under an id (`volumeIdOf`) */
  constructor(
    store: AppStore,
    engine: () => Engine | undefined,
    volume: (id: string) => SurfaceVolume | undefined,
    extract: typeof extractShown,
  ) {
    this.#store = store;
    this.#engine = engine;
    this.#volume = volume;
    this.#extract = extract;
  }

  /** Extracts meshes where the layer's file places them; their looks move them with the layer. */
  async extracted(source: SurfaceSource, { signal, onProgress }: ExtractionJob): Promise<NewMesh[]> {
    const { from, surface, timePoint, smoothing } = source;
    const [look, volume] = [this.#lookWith(from), this.#volumeOf(from)];
    if (!volume) throw new StriaError('aborted', 'the volume was closed');
    const isBase = this.#isOfBase(from);
    const decimation = this.#decimationOf(from);
    if (decimation > 1 && !isBase) throw tooCoarse(decimation);
    const place = isBase || !look ? {} : { of: volumeIdOf(look), motion: look.motion };
    const found: NewMesh[] = [];
    const surfaces: readonly SurfaceChoice[] | 'labels' = 'all' in surface ? 'labels' : [surface];
    await this.#extract(
      volume,
      timePoint,
      { surfaces, smoothing, file: undefined },
      {
        signal,
        gpu: this.#engine()?.gpu,
        onlyGpu: this.onlyGpu,
        isOpen: () => this.#volumeOf(from) === volume,
        onBytes: onProgress,
        onMesh: ({ choice, mesh }) => {
          const state = this.#store.getState();
          const base = openDocument(state);
          // 'All labels' means the visible ones.
          if (!base || ('all' in surface && 'label' in choice && !isLabelShown(labelLookOf(state, from), choice.label))) return;
          const placed = isBase ? mesh : inBaseWorld(mesh, base.info, volume.info);
          found.push({
            mesh: placed,
            source: { ...source, surface: choice },
            look: { ...this.#lookOf(from, choice, found.length), ...place },
          });
        },
      },
    );
    if (found.length === 0) throw new StriaError('invalid-input', 'no voxel lies inside this surface: choose another value');
    return found;
  }

  #lookOf(from: string, choice: SurfaceChoice, index: number): Pick<MeshLook, 'name' | 'color'> {
    const state = this.#store.getState();
    if ('level' in choice) {
      const at = (this.stack.meshes.length + index) % meshColors.length;
      return { name: `Surface at ${Number(choice.level.toPrecision(6))}`, color: meshColors[at] as string };
    }
    const entry = labelTableOf(state, from).find(({ number }) => number === choice.label);
    const palette = colorsOf({ colormap: 'labels', inverted: false });
    const first = 3 * labelColorIndex(choice.label);
    const hex = [...palette.subarray(first, first + 3)].map((part) => part.toString(16).padStart(2, '0')).join('');
    return { name: entry?.name ?? `Label ${choice.label}`, color: entry?.color ?? `#${hex}` };
  }

  #isOfBase(from: string): boolean {
    const look = this.#lookWith(from);
    return from === baseId || (look !== undefined && volumeIdOf(look) === baseId);
  }

  /** The voxels that a layer, or the open volume (`baseId`), shows. */
  #volumeOf(from: string): SurfaceVolume | undefined {
    if (from === baseId) return this.#volume(baseId);
    const look = this.#lookWith(from);
    return look && this.#volume(volumeIdOf(look));
  }

  #lookWith(from: string): LayerLook | undefined {
    return this.stack.layers.find(({ id }) => id === from);
  }

  /** The shown index along t in a layer's volume. If the volume has channels, it is an index of the layer's channel. */
  shownTime(from: string): number {
    const timePoint = this.#engine()?.viewer.snapshot().state.timePoint ?? 0;
    const base = openDocument(this.#store.getState());
    const [look, volume] = [this.#lookWith(from), this.#volumeOf(from)];
    return base && look && volume ? layerTime(base.info, timePoint, volume.info, look.channel) : timePoint;
  }

  /** Whether every voxel of a layer, or of the open volume (`baseId`), is loaded. */
  readiness(from: string): Readiness {
    const state = this.#store.getState();
    const document = openDocument(state);
    if (from !== baseId && !this.#lookWith(from)) return 'removed';
    const volume = layerVolume(state.layers, from);
    if (volume?.kind === 'failed') return { fault: volume.fault };
    if (volume?.kind === 'lost') return { lost: volume.files };
    if (!this.#volumeOf(from) || (document?.isRefining === true && this.#isOfBase(from))) return 'waiting';
    const decimation = this.#decimationOf(from);
    return decimation > 1 ? { fault: faultToData(tooCoarse(decimation)) } : 'ready';
  }

  #decimationOf(from: string): number {
    const state = this.#store.getState();
    if (this.#isOfBase(from)) return openDocument(state)?.decimation ?? 1;
    const volume = layerVolume(state.layers, from);
    return volume?.kind === 'ready' ? volume.decimation : 1;
  }

  /** The looks of the view; none while there is no device. */
  get stack(): LayerStack {
    return this.#engine()?.viewer.snapshot().state.layers ?? noLayers;
  }
}

function tooCoarse(decimation: number): StriaError {
  return new StriaError('unsupported', `It needs all voxels, but the volume stays at 1/${decimation} resolution`);
}
