import { type LabelTable, mergedTable } from '../../../core/shared/label-table.ts';
import type { LabelCounts } from '../../../core/volume/label-counts.ts';
import { colormap } from '../../viewer/colors/colormaps.ts';
import { firstLabelLook, type LabelLook } from '../../viewer/model/label-look.ts';
import { baseId } from '../../viewer/model/layers.ts';
import { layerVolume } from '../state/layer-state.ts';
import { type AppState, openDocument } from '../state/store.ts';

/** The id of the volume whose labels commands change and whose table is shown: the chosen layer, else the open volume or the top layer. */
export function labelledVolume(state: AppState): string | undefined {
  if (!openDocument(state)) return undefined;
  const { stack, chosen } = state.layers;
  const layers = stack.layers.filter((look) => colormap(look.colormap).isCategorical).map(({ id }) => id);
  if (chosen !== undefined && layers.includes(chosen)) return chosen;
  return state.labels.isBaseLabels ? baseId : layers.at(-1);
}

export function labelLookOf({ layers: { stack } }: AppState, id: string): LabelLook {
  return (id === baseId ? stack.base.labels : stack.layers.find((look) => look.id === id)?.labels) ?? firstLabelLook;
}

const noTable: LabelTable = [];

/** The table of the volume's own file, or of a file beside it. */
function ownTable(state: AppState, id: string): LabelTable {
  if (id === baseId) return openDocument(state)?.labels?.table ?? noTable;
  const volume = layerVolume(state.layers, id);
  return (volume?.kind === 'ready' ? volume.labels?.table : undefined) ?? noTable;
}

/** Merged tables by the edits, then by the table that they edit. */
const merged = new WeakMap<LabelTable, WeakMap<LabelTable, LabelTable>>();

/** The names and colours of a volume's labels: its table with the user's edits. The same object while neither changes. */
export function labelTableOf(state: AppState, id: string): LabelTable {
  const { table: loaded, edits } = labelLookOf(state, id);
  const table = loaded === undefined ? ownTable(state, id) : (state.labels.loaded[loaded]?.table ?? ownTable(state, id));
  if (edits.length === 0) return table;
  const known = merged.get(edits) ?? new WeakMap<LabelTable, LabelTable>();
  merged.set(edits, known);
  const result = known.get(table) ?? mergedTable(table, edits);
  known.set(table, result);
  return result;
}

const names = new WeakMap<LabelTable, ReadonlyMap<number, string | undefined>>();

/** A label's name, if it has one. */
export function labelName(table: LabelTable, number: number): string | undefined {
  const known = names.get(table) ?? new Map(table.map((entry) => [entry.number, entry.name]));
  names.set(table, known);
  return known.get(number);
}

/** A row of the list of labels. */
export interface LabelRow {
  readonly number: number;
  readonly name: string | undefined;
  readonly color: string | undefined;
  /** The number of voxels; undefined if they cannot be counted. */
  readonly voxels: number | undefined;
}

export const labelOrders = ['number', 'name', 'voxels'] as const;
export type LabelOrder = (typeof labelOrders)[number];

/**
 * The labels of a volume that match a search: the labels in its voxels or, if they cannot be counted, in its table. The
 * background, 0, is left out.
 */
export function labelRows(
  table: LabelTable,
  counts: LabelCounts | undefined,
  { order, isDescending, search }: { readonly order: LabelOrder; readonly isDescending: boolean; readonly search: string },
): readonly LabelRow[] {
  const byNumber = new Map(table.map((entry) => [entry.number, entry]));
  const wanted = search.trim().toLowerCase();
  const rows = [...(counts?.keys() ?? byNumber.keys())]
    .filter((number) => number !== 0)
    .map((number) => {
      const { name, color } = byNumber.get(number) ?? {};
      return { number, name, color, voxels: counts?.get(number) };
    })
    .filter(({ number, name }) => String(number) === wanted || (name ?? String(number)).toLowerCase().includes(wanted));
  const compare: Readonly<Record<LabelOrder, (a: LabelRow, b: LabelRow) => number>> = {
    number: (a, b) => a.number - b.number,
    // Labels without a name come last.
    name: (a, b) => collator.compare(a.name ?? '\uffff', b.name ?? '\uffff') || a.number - b.number,
    voxels: (a, b) => (a.voxels ?? 0) - (b.voxels ?? 0) || a.number - b.number,
  };
  const sorted = rows.sort(compare[order]);
  return isDescending ? sorted.reverse() : sorted;
}

const collator = new Intl.Collator(undefined, { numeric: true });
