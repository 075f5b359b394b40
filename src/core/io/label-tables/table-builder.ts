import { StriaError } from '../../shared/errors.ts';
import { isLabelNumber, type LabelEntry, type LabelTable, longestLabelName, mostLabels } from '../../shared/label-table.ts';

/** Collects the labels of a table. Drops invalid ones, and keeps the last of those with the same number. */
export class TableBuilder {
  readonly #entries = new Map<number, LabelEntry>();

  /** Adds a label. @returns whether its number is valid. @throws StriaError `unsupported` if there are too many labels */
  add({ number, name = '', color, isHidden = false }: LabelEntry): boolean {
    if (!isLabelNumber(number)) return false;
    if (!this.#entries.has(number) && this.#entries.size === mostLabels)
      throw new StriaError('unsupported', `the table has more than ${mostLabels} labels`);
    const trimmed = name.replace(/\s+/g, ' ').trim().slice(0, longestLabelName);
    this.#entries.set(number, {
      number,
      ...(trimmed !== '' && { name: trimmed }),
      ...(color !== undefined && { color }),
      ...(isHidden && number !== 0 && { isHidden }),
    });
    return true;
  }

  table(): LabelTable {
    return [...this.#entries.values()];
  }
}
