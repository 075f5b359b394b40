import { StriaError } from './errors.ts';

/** Properties of one label, given by a file or by the user. */
export interface LabelEntry {
  /** The stored value of its voxels: a whole number of 32 bits, signed or unsigned. */
  readonly number: number;
  readonly name?: string | undefined;
  /** `#rrggbb`. */
  readonly color?: string | undefined;
  /** Whether the table hides the label. */
  readonly isHidden?: boolean | undefined;
}

/** Labels in the order of their file, each number once. */
export type LabelTable = readonly LabelEntry[];

/** More labels than this are a sign that a volume holds intensities. */
export const mostLabels = 2 ** 16;

/** The fault of a volume with more than `mostLabels` different numbers. */
export function tooManyLabels(): StriaError {
  return new StriaError('unsupported', `the volume has more than ${mostLabels} different numbers; it looks like an image`);
}

export const longestLabelName = 200;

export function isLabelNumber(number: number): boolean {
  return Number.isInteger(number) && number >= -(2 ** 31) && number < 2 ** 32;
}

/** `#rrggbb` of three numbers from 0 to 255. Undefined if a number is out of range. */
export function hexColor(rgb: readonly number[]): string | undefined {
  if (rgb.length !== 3 || rgb.some((part) => !(part >= 0 && part <= 255))) return undefined;
  return `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

/** Merges two tables in the order of the first. If both name a label, the second table's entry wins. */
export function mergedTable(table: LabelTable, over: LabelTable): LabelTable {
  const byNumber = new Map<number, LabelEntry>(table.map((entry) => [entry.number, entry]));
  for (const entry of over) {
    const said = Object.entries(entry).filter(([, value]) => value !== undefined);
    byNumber.set(entry.number, { ...byNumber.get(entry.number), ...(Object.fromEntries(said) as unknown as LabelEntry) });
  }
  return [...byNumber.values()];
}

/** Information about labels in a volume's own file. */
export interface OwnLabels {
  /** The header says that the voxels are labels. */
  readonly areLabels?: boolean | undefined;
  readonly table?: LabelTable | undefined;
}

/** Red, green and blue of `#rrggbb`, each from 0 to 255. */
export function colorParts(color: string): readonly [red: number, green: number, blue: number] {
  const bits = Number.parseInt(color.slice(1), 16);
  return [bits >>> 16, (bits >>> 8) & 255, bits & 255];
}

/** Extensions of files that other programs use for label tables. */
const tableEndings = ['tsv', 'csv', 'label', 'lut', 'ctbl', 'txt'] as const;

/** Whether a file's name can only be that of a label table, not of anything else that Stria opens. */
export function isTableName(name: string): boolean {
  return /\.(tsv|csv|label|lut|ctbl|txt|niml\.lt)$/i.test(name);
}

/** The possible names of a label table beside a volume. @param stem the volume's name without its extensions */
export function tableNamesFor(stem: string): readonly string[] {
  return tableEndings.map((ending) => `${stem}.${ending}`);
}
