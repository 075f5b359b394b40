import text from './dictionary.txt?raw';

interface KnownTag {
  readonly vr: string;
  readonly name: string;
}

let known: ReadonlyMap<number, KnownTag> | undefined;

/** Codes in dictionary.txt for elements with several possible value representations. */
const readAs: Readonly<Record<string, string>> = { XS: 'US', OX: 'OW', NO: 'UN' };

/** dictionary.txt has a line for each element of PS3.6: tag, value representation, name. */
function dictionary(): ReadonlyMap<number, KnownTag> {
  known ??= new Map(
    text.split('\n').flatMap((line): [number, KnownTag][] => {
      const vr = line.slice(9, 11);
      return line.length > 12 ? [[Number.parseInt(line.slice(0, 8), 16), { vr: readAs[vr] ?? vr, name: line.slice(12) }]] : [];
    }),
  );
  return known;
}

function find(tag: number): KnownTag | undefined {
  const group = tag >>> 16;
  // Curves and overlays repeat in groups 5000 to 501E and 6000 to 601E.
  const isRepeated = (group >= 0x5000 && group <= 0x501e) || (group >= 0x6000 && group <= 0x601e);
  return dictionary().get(isRepeated ? (tag & 0xf000ffff) >>> 0 : tag);
}

/** The value representation of an element in the standard; `UN` for unknown elements. */
export function vrOf(tag: number): string {
  if ((tag & 0xffff) === 0) return 'UL';
  if (isPrivate(tag)) return (tag & 0xffff) >= 0x10 && (tag & 0xffff) <= 0xff ? 'LO' : 'UN';
  return find(tag)?.vr ?? 'UN';
}

/** The element's name: `Patient's Name`. */
export function nameOf(tag: number): string {
  if (isPrivate(tag)) return 'Private';
  return find(tag)?.name ?? ((tag & 0xffff) === 0 ? 'Group Length' : 'Unknown');
}

export function isPrivate(tag: number): boolean {
  return ((tag >>> 16) & 1) === 1;
}
