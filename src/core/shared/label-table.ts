/** What a file or a person says about one label. */
export interface LabelEntry {
  /** The stored value of its voxels: a whole number of 32 bits, signed or unsigned. */
  readonly number: number;
  readonly name?: string | undefined;
  /** `#rrggbb`. */
  readonly color?: string | undefined;
  /** The table says that it is not shown. */
  readonly isHidden?: boolean | undefined;
}

/** Labels in the order of their file, each number once. */
export type LabelTable = readonly LabelEntry[];

/** More labels than this are a sign that a volume holds intensities. */
export const mostLabels = 2 ** 16;

export const longestLabelName = 200;

export function isLabelNumber(number: number): boolean {
  return Number.isInteger(number) && number >= -(2 ** 31) && number < 2 ** 32;
}

/** `#rrggbb` of three numbers of 0 to 255. Undefined if they are not. */
export function hexColor(rgb: readonly number[]): string | undefined {
  if (rgb.length !== 3 || rgb.some((part) => !(part >= 0 && part <= 255))) return undefined;
  return `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

/** Both tables as one, in the order of the first; where both name a label, what the second says holds. */
export function mergedTable(table: LabelTable, over: LabelTable): LabelTable {
  const byNumber = new Map<number, LabelEntry>(table.map((entry) => [entry.number, entry]));
  for (const entry of over) {
    const said = Object.entries(entry).filter(([, value]) => value !== undefined);
    byNumber.set(entry.number, { ...byNumber.get(entry.number), ...(Object.fromEntries(said) as unknown as LabelEntry) });
  }
  return [...byNumber.values()];
}

/** What a volume's own file says about its labels. */
export interface OwnLabels {
  /** The header says that the voxels are labels. */
  readonly areLabels?: boolean | undefined;
  readonly table?: LabelTable | undefined;
}
