import { hexColor, type LabelEntry, type LabelTable } from '../../shared/label-table.ts';
import { TableBuilder } from './table-builder.ts';

/** A longer line cannot be a line of a table. */
const longestLine = 4096;

/** A line of a format: its label; `skip` for a comment; undefined for anything else. */
type LineReader = (line: string) => LabelEntry | undefined;

/**
 * The labels of a text with one label per line, in the first of these formats in which most lines are written:
 * - ITK-SNAP's label descriptions: number, red, green, blue, opacity, two flags (shown in slices, shown in 3D), name in quotes;
 * - FSLeyes' `.lut`: number, red, green, blue from 0 to 1, name;
 * - FreeSurfer's and 3D Slicer's colour tables: number, name, red, green, blue, alpha from 0 to 255;
 * - CSV and TSV with a header row (`csvLabels`), or without one: number, name, red, green, blue;
 * - number and name.
 * @returns an empty list if the text has none of these formats. @throws StriaError `unsupported`
 */
export function lineLabels(text: string): LabelTable {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => (line.length > longestLine ? '?' : line.trim()))
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('//'));
  const headed = csvLabels(lines);
  if (headed.length > 0) return headed;
  for (const reader of [snapLine, lutLine, colorTableLine, csvLine, nameLine]) {
    const entries = lines.map(reader).filter((entry) => entry !== undefined);
    if (entries.length === 0 || entries.length <= lines.length / 2) continue;
    const builder = new TableBuilder();
    for (const entry of entries) builder.add(entry);
    return builder.table();
  }
  return [];
}

const snapLine: LineReader = (line) => {
  const [, number, red, green, blue, shown, name] =
    /^(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+[\d.eE+-]+\s+([01])\s+[01]\s+"(.*)"$/.exec(line) ?? [];
  if (number === undefined) return undefined;
  return { number: Number(number), name, color: hexColor([red, green, blue].map(Number)), isHidden: shown === '0' };
};

const lutLine: LineReader = (line) => {
  const [, number, red, green, blue, name = ''] =
    /^(\d+)\s+([01](?:\.\d*)?)\s+([01](?:\.\d*)?)\s+([01](?:\.\d*)?)(\s.*)?$/.exec(line) ?? [];
  if (number === undefined) return undefined;
  return { number: Number(number), name, color: hexColor([red, green, blue].map((part) => 255 * Number(part))) };
};

const colorTableLine: LineReader = (line) => {
  const words = line.split(/\s+/);
  const [number, ...rest] = words;
  // A name may have spaces: the colour is at the end, with alpha or without.
  const parts = trailingNumbers(rest).slice(0, 4);
  const named = rest.slice(0, rest.length - parts.length);
  if (!isWhole(number) || parts.length < 3 || named.length === 0) return undefined;
  const color = hexColor(parts.slice(0, 3).map(Number));
  return color === undefined ? undefined : { number: Number(number), name: named.join(' '), color };
};

const csvLine: LineReader = (line) => {
  const fields = fieldsOf(line, delimiterOf(line));
  const [number, name] = fields;
  const color = colorOf(fields.slice(2));
  if (!isWhole(number) || name === undefined || (isBare(name) && color === undefined)) return undefined;
  return { number: Number(number), name, color };
};

const nameLine: LineReader = (line) => {
  const [, number, name] = /^(-?\d+)\s+(.*)$/.exec(line) ?? [];
  return number === undefined || isBare(name ?? '') ? undefined : { number: Number(number), name };
};

/** Words that name a column of a CSV, in lower case without spaces and underscores. */
const columnWords = {
  number: ['number', 'index', 'value', 'labelvalue', 'labelnumber', 'id', 'labelid', 'key', 'no', 'no.', '#', 'label'],
  name: ['name', 'labelname', 'structure', 'structurename', 'region', 'description', 'class', 'label', 'abbreviation', 'acronym'],
  color: ['color', 'colour', 'hex', 'rgb', 'colorhextriplet'],
  red: ['r', 'red'],
  green: ['g', 'green'],
  blue: ['b', 'blue'],
} as const;

/** The labels of a CSV or TSV whose first line names its columns, as BIDS prescribes for `_dseg.tsv`. Empty if it does not. */
function csvLabels([head = '', ...lines]: readonly string[]): LabelTable {
  const delimiter = delimiterOf(head);
  const titles = fieldsOf(head, delimiter).map((title) => title.toLowerCase().replace(/[\s_]+/g, ''));
  const taken = new Set<number>();
  const columnOf = (kind: keyof typeof columnWords): number => {
    const known: readonly string[] = columnWords[kind];
    const found = known.map((word) => titles.indexOf(word)).find((at) => at >= 0 && !taken.has(at)) ?? -1;
    taken.add(found);
    return found;
  };
  const [number, name, color, red, green, blue] = (['number', 'name', 'color', 'red', 'green', 'blue'] as const).map(
    columnOf,
  ) as [number, number, number, number, number, number];
  if (delimiter === undefined || number < 0 || (name < 0 && color < 0 && red < 0)) return [];
  const builder = new TableBuilder();
  for (const line of lines) {
    const fields = fieldsOf(line, delimiter);
    if (!isWhole(fields[number])) continue;
    const parts = [red, green, blue].map((at) => fields[at] ?? '');
    builder.add({ number: Number(fields[number]), name: fields[name], color: colorOf([fields[color] ?? '']) ?? colorOf(parts) });
  }
  return builder.table();
}

/** The colour in the fields after a name: `#rrggbb`, or red, green and blue from 0 to 255, or from 0 to 1 if there is a decimal point. */
function colorOf(fields: readonly string[]): string | undefined {
  const [first = '', ...others] = fields.map((field) => field.trim());
  const hex = /^#?([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(first)?.[1];
  if (hex !== undefined && (first.startsWith('#') || others.length < 2)) return `#${hex.toLowerCase()}`;
  const parts = [first, ...others].slice(0, 3);
  if (parts.length < 3 || !parts.every((part) => /^\d+(\.\d*)?$/.test(part))) return undefined;
  const areFractions = parts.some((part) => part.includes('.')) && parts.every((part) => Number(part) <= 1);
  return hexColor(parts.map((part) => Number(part) * (areFractions ? 255 : 1)));
}

function delimiterOf(line: string): string | undefined {
  return ['\t', ';', ','].find((candidate) => line.includes(candidate));
}

/** The fields of a line. A field in double quotes may contain delimiters and doubled quotes. */
function fieldsOf(line: string, delimiter: string | undefined): readonly string[] {
  if (delimiter === undefined) return [line];
  if (!line.includes('"')) return line.split(delimiter).map((field) => field.trim());
  const fields: string[] = [];
  let [field, isQuoted] = ['', false];
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string;
    if (character === '"' && isQuoted && line[at + 1] === '"') {
      field += character;
      at++;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      fields.push(field.trim());
      field = '';
    } else field += character;
  }
  return [...fields, field.trim()];
}

function trailingNumbers(words: readonly string[]): readonly string[] {
  const first = words.findLastIndex((word) => !/^\d+$/.test(word)) + 1;
  return words.slice(Math.max(first, words.length - 4));
}

/** Whether a text consists only of numbers. */
function isBare(text: string): boolean {
  return /^[\d\s.+-]*$/.test(text);
}

function isWhole(text: string | undefined): boolean {
  return text !== undefined && /^[+-]?\d{1,10}$/.test(text);
}
