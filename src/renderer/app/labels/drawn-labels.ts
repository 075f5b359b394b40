import type { ShownLabels } from '../../viewer/model/label-look.ts';
import { baseId } from '../../viewer/model/layers.ts';
import type { AppState } from '../state/store.ts';
import { labelLookOf, labelTableOf } from './label-tables.ts';

/** The labels that the viewer draws, by volume. */
export class DrawnLabels {
  #drawn: ReadonlyMap<string, ShownLabels> = new Map();

  /** Forgets what was drawn, since another viewer draws now. */
  reset(): void {
    this.#drawn = new Map();
  }

  /** Passes the labels of all volumes to the viewer. Unchanged ones stay the same object, so their colours are not uploaded again. */
  draw(state: AppState): void {
    if (state.gpu.kind !== 'ready') return;
    const ids = [baseId, ...state.layers.stack.layers.map(({ id }) => id)];
    const drawn = new Map(ids.map((id) => [id, this.#labelsOf(state, id)]));
    if (drawn.size === this.#drawn.size && ids.every((id) => drawn.get(id) === this.#drawn.get(id))) return;
    this.#drawn = drawn;
    state.gpu.viewer.setLabels(drawn);
  }

  #labelsOf(state: AppState, id: string): ShownLabels {
    const { shows, except } = labelLookOf(state, id);
    const table = labelTableOf(state, id);
    const before = this.#drawn.get(id);
    return before && before.table === table && before.shows === shows && before.except === except
      ? before
      : { table, shows, except };
  }
}
