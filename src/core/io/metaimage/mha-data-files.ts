import { StriaError } from '../../shared/errors.ts';
import { allWithoutFolders } from '../common/siblings.ts';

/** The files that hold the voxels, if they do not follow the header: one file, or several in order. */
export interface DataFiles {
  readonly names: readonly string[];
  /** The number of the volume's first axes that each of them covers. */
  readonly axes: number;
}

/** A header with more files than this is probably broken. */
const mostFiles = 100_000;

/**
 * Parses `ElementDataFile`: `LOCAL` (undefined), a name, `LIST` with names below it, or a pattern such as `slice%03d.raw 1 60 1`.
 * @param list the text after the header
 * @throws StriaError `corrupt`, `unsupported`
 */
export function dataFiles(value: string, list: string, lengths: readonly number[], axes: number): DataFiles | undefined {
  if (/^local$/i.test(value)) return undefined;
  const named = /^LIST(?:\s+(\d+)D?)?$/i.exec(value);
  const isList = named !== null;
  const pattern = isList ? null : /^(.*%0?\d*[du].*?)\s+(-?\d{1,9})\s+(-?\d{1,9})\s+(-?\d{1,9})(?:\s+(\d+)D?)?$/.exec(value);
  if (!isList && pattern === null) return { names: plainNames([value]), axes };
  const ownAxes = Number(named?.[1] ?? pattern?.[5] ?? axes - 1);
  if (!(ownAxes >= 1 && ownAxes <= axes))
    throw new StriaError('corrupt', `each data file has ${ownAxes} of the MetaImage's ${axes} axes`);
  const count = lengths.slice(ownAxes).reduce((product, length) => product * length, 1);
  if (!(count <= mostFiles)) throw new StriaError('unsupported', `a MetaImage of ${count} files is not supported`);
  const names = pattern ? numbered(pattern, count) : listed(list);
  if (names.length < count) {
    throw new StriaError('corrupt', `the MetaImage header names ${names.length} data files, but its volume has ${count} parts`);
  }
  return { names: plainNames(names.slice(0, count)), axes: ownAxes };
}

function listed(list: string): string[] {
  return list
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, mostFiles);
}

/** Inserts numbers into the pattern, as C's printf does. */
function numbered([, pattern = '', first, last, step]: RegExpExecArray, count: number): string[] {
  const [low, high, by] = [Number(first), Number(last), Number(step)];
  const names: string[] = [];
  for (let number = low; by > 0 && number <= high && names.length < count; number += by) {
    const name = pattern.replace(/%(0?)(\d*)[du]/, (_, zero: string, width: string) =>
      String(number).padStart(Math.min(Number(width), 20), zero === '' ? ' ' : '0'),
    );
    names.push(name);
  }
  return names;
}

function plainNames(paths: readonly string[]): string[] {
  const names = allWithoutFolders(paths);
  if (names.includes('')) throw new StriaError('corrupt', 'the MetaImage header names no data file');
  return names;
}
