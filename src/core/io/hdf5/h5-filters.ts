import { decodedFilterName } from './filters/decode-filter.ts';

/** A filter of a dataset. */
export interface H5Filter {
  readonly id: number;
  readonly name: string;
  readonly parameters: readonly number[];
}

/** The built-in filters are numbered up to this: deflate, shuffle, fletcher32, szip, nbit, scaleoffset. */
const lastBuiltIn = 6;
/** Built-in filters that do not compress: shuffle, fletcher32. */
const lengthKeeping = [2, 3];

/** As registered with The HDF Group. */
const otherNames: Readonly<Record<number, string>> = {
  305: 'LZO',
  307: 'bzip2',
  32013: 'ZFP',
  32017: 'SZ',
  32019: 'JPEG',
  32026: 'Blosc2',
};

export function filterName(id: number, name: string): string {
  return decodedFilterName(id) ?? otherNames[id] ?? (name === '' ? `number ${id}` : name);
}

export function isBuiltIn(filter: number): boolean {
  return filter >= 1 && filter <= lastBuiltIn;
}

/** Why values that went through these filters cannot be read; undefined if they can. */
export function filterProblem(filters: readonly H5Filter[]): string | undefined {
  const isOurs = ({ id }: H5Filter) => decodedFilterName(id) !== undefined;
  const foreign = filters.find((filter) => !isOurs(filter) && !isBuiltIn(filter.id));
  if (foreign !== undefined) return `its filter ${foreign.name} is not supported`;
  const compressing = filters.filter(({ id }) => !lengthKeeping.includes(id));
  if (compressing.length < 2 || !compressing.some(isOurs)) return undefined;
  return `its filters ${compressing.map(({ name }) => name).join(' and ')} are not supported together`;
}
