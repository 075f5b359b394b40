import type { LabelEntry, LabelTable } from '../../../core/shared/label-table.ts';

/** The names, colours and visibility of a volume's labels. A part of the view, so undo and sessions restore it. */
export interface LabelLook {
  /** The id of the table that was loaded for it; undefined for the table of the volume's own file, if there is one. */
  readonly table: string | undefined;
  /** The user's changes to the table. */
  readonly edits: LabelTable;
  /** Which labels are drawn, except those in `except`, for which the opposite holds. */
  readonly shows: 'all' | 'none';
  readonly except: readonly number[];
}

export const firstLabelLook: LabelLook = { table: undefined, edits: [], shows: 'all', except: [] };

/** The initial look of labels. Some tables say which labels are hidden. */
export function firstLabelLookOf(table: LabelTable = []): LabelLook {
  const except = table.filter(({ isHidden }) => isHidden).map(({ number }) => number);
  return except.length === 0 ? firstLabelLook : { ...firstLabelLook, except };
}

/** Labels as they are drawn: their table with all edits, and their visibility. Replaced when anything in it changes. */
export interface ShownLabels extends Pick<LabelLook, 'shows' | 'except'> {
  readonly table: LabelTable;
}

export function isLabelShown({ shows, except }: Pick<LabelLook, 'shows' | 'except'>, number: number): boolean {
  return except.includes(number) !== (shows === 'all');
}

/** The look with a label shown or hidden. */
export function withLabelShown(look: LabelLook, number: number, isShown: boolean): LabelLook {
  const others = look.except.filter((other) => other !== number);
  return { ...look, except: isShown === (look.shows === 'all') ? others : [...others, number] };
}

/** The look with a user's settings for a label. */
export function withLabelEdit(look: LabelLook, edit: LabelEntry): LabelLook {
  const before = look.edits.find(({ number }) => number === edit.number);
  return { ...look, edits: [...look.edits.filter((other) => other !== before), { ...before, ...edit }] };
}
