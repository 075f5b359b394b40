import { StriaError } from '../../shared/errors.ts';
import { withoutFolders } from '../common/siblings.ts';

/** Where the voxels lie, if not behind the header: one file, or several that follow each other. */
export interface DataFiles {
  readonly names: readonly string[];
  /** How many of the volume's first axes are in each of them. */
  readonly axes: number;
}

/** More files than this are taken for a broken header. */
const mostFiles = 100_000;

/**
 * What `ElementDataFile` says: `LOCAL` (undefined), a name, `LIST` with the names below it, or a pattern as `slice%03d.raw 1 60 1`.
 * @param list what follows the header
 * @throws StriaError `corrupt`, `unsupported`
 */
export function dataFiles(value: string, list: string, lengths: readonly number[], axes: number): DataFiles | undefined {
  if (/^local$/i.test(value)) return undefined;
  const named = /^LIST(?:\s+(\d+)D?)?$/i.exec(value);
  const isList = named !== null;
  const pattern = isList ? null : /^(.*%0?\d*[du].*?)\s+(-?\d{1,9})\s+(-?\d{1,9})\s+(-?\d{1,9})(?:\s+(\d+)D?)?$/.exec(value);
  if (!isList && pattern === null) return { names: [plainName(value)], axes };
  const ownAxes = Number(named?.[1] ?? pattern?.[5] ?? axes - 1);
  if (!(ownAxes >= 1 && ownAxes <= axes))
    throw new StriaError('corrupt', `each data file has ${ownAxes} of the MetaImage's ${axes} axes`);
  const count = lengths.slice(ownAxes).reduce((product, length) => product * length, 1);
  if (!(count <= mostFiles)) throw new StriaError('unsupported', `a MetaImage of ${count} files is not read`);
  const names = pattern ? numbered(pattern, count) : listed(list);
  if (names.length < count) {
    throw new StriaError('corrupt', `the MetaImage header names ${names.length} data files, but its volume has ${count} parts`);
  }
  return { names: names.slice(0, count), axes: ownAxes };
}

function listed(list: string): string[] {
  return list
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, mostFiles)
    .map(plainName);
}

/** Numbers as C's printf puts them into the pattern. */
function numbered([, pattern = '', first, last, step]: RegExpExecArray, count: number): string[] {
  const [low, high, by] = [Number(first), Number(last), Number(step)];
  const names: string[] = [];
  for (let number = low; by > 0 && number <= high && names.length < count; number += by) {
    const name = pattern.replace(/%(0?)(\d*)[du]/, (_, zero: string, width: string) =>
      String(number).padStart(Math.min(Number(width), 20), zero === '' ? ' ' : '0'),
    );
    names.push(plainName(name));
  }
  return names;
}

function plainName(value: string): string {
  const name = withoutFolders(value);
  if (name === '') throw new StriaError('corrupt', 'the MetaImage header names no data file');
  return name;
}
