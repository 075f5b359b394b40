import {
  changedLayer,
  type LayerLook,
  type LayerStack,
  movedLayer,
  placeOf,
  shownOrHidden,
  withoutLayer,
} from '../../viewer/model/layers.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { loadResident } from '../loading/load-resident.ts';
import type { AddingQueue } from '../state/adding-queue.ts';
import type { AppStore } from '../state/store.ts';
import { AddingLayers } from './adding-layers.ts';
import { LayerList } from './layer-list.ts';
import { LayerVolumes } from './layer-volumes.ts';
import type { LayerLoader } from './load-layer.ts';

/**
 * The layers over the open volume. Their list is a part of the view (`ViewState.layers`), so undo, sessions and a new device
 * restore it, and `volumes` follows it. This class changes the list.
 */
export class Layers {
  readonly volumes: LayerVolumes;
  readonly adding: AddingLayers;
  readonly #list: LayerList;

  constructor(store: AppStore, engine: () => Engine | undefined, queue: AddingQueue, load: LayerLoader = loadResident) {
    this.#list = new LayerList(store, engine);
    this.volumes = new LayerVolumes(this.#list, load);
    this.adding = new AddingLayers(queue, this.#list, this.volumes, load);
  }

  choose(id: string | undefined): void {
    if (id !== this.#chosen) this.#list.change({ chosen: id });
  }

  change(id: string, change: Partial<Omit<LayerLook, 'id'>>): void {
    this.#stack = changedLayer(this.#stack, id, change);
  }

  changeBase(change: Partial<LayerStack['base']>): void {
    this.#stack = { ...this.#stack, base: { ...this.#stack.base, ...change } };
  }

  /** An empty name changes nothing. */
  rename(id: string, name: string): void {
    const trimmed = name.trim().slice(0, 200);
    if (trimmed !== '') this.change(id, { name: trimmed });
  }

  /** Moves a layer to a place, 0 being the lowest. */
  moveTo(id: string, place: number): void {
    this.#stack = movedLayer(this.#stack, id, place);
  }

  /** Shows or hides a layer, or the open volume. Ends solo mode. */
  toggle(id: string): void {
    this.#stack = shownOrHidden({ ...this.#stack, solo: undefined }, id);
  }

  toggleChosen(): void {
    if (this.#chosen !== undefined) this.toggle(this.#chosen);
  }

  /** Shows only the chosen layer, or all visible ones again. */
  soloChosen(): void {
    this.#stack = { ...this.#stack, solo: this.#stack.solo === this.#chosen ? undefined : this.#chosen };
  }

  /** @param by 1: up, −1: down */
  moveChosen(by: 1 | -1): void {
    const at = placeOf(this.#stack, this.#chosen);
    if (this.#chosen !== undefined && at) this.moveTo(this.#chosen, at.place + by);
  }

  /** Chooses the layer below the removed one, or else the one above. */
  removeChosen(): void {
    const chosen = this.#chosen;
    if (chosen === undefined) return;
    const { layers, meshes } = this.#stack;
    const list = meshes.some(({ id }) => id === chosen) ? meshes : layers;
    const at = list.findIndex(({ id }) => id === chosen);
    this.#stack = withoutLayer(this.#stack, chosen);
    this.choose((list[at - 1] ?? list[at + 1])?.id);
  }

  get #chosen(): string | undefined {
    return this.#list.state.chosen;
  }

  get #stack(): LayerStack {
    return this.#list.stack;
  }

  set #stack(stack: LayerStack) {
    this.#list.stack = stack;
  }
}
