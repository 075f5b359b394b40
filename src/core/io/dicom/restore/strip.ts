import { joinBytes } from '../../common/byte-stream.ts';
import type { DataSet, Element } from '../parse/elements.ts';
import type { DicomHeader } from '../parse/header.ts';
import { profileAction } from '../parse/personal.ts';
import { explicitLittle } from '../parse/transfer-syntax.ts';
import { textOf, valueBytes } from '../parse/values.ts';
import { elementOf, textBytes } from './element-bytes.ts';

const patientIdentityRemoved = 0x00120062;
const deidentificationMethod = 0x00120063;
/** The meta information that stays: version, class, instance, transfer syntax, writer. Addresses and private elements are removed. */
const keptMeta = new Set([0x00020001, 0x00020002, 0x00020003, 0x00020010, 0x00020012, 0x00020013]);

/** Replaces identifiers consistently in all files of a series. */
export class NewUids {
  readonly #known = new Map<string, string>();

  of(uid: string): string {
    const known = this.#known.get(uid) ?? newUid();
    this.#known.set(uid, known);
    return known;
  }
}

/** PS3.5, B.2: a random UUID as one decimal number. */
function newUid(): string {
  return `2.25.${BigInt(`0x${crypto.randomUUID().replaceAll('-', '')}`)}`;
}

/**
 * The bytes before the pixels, without everything that PS3.15's basic profile names, including private elements and elements in
 * sequences.
 * @param changed the new bytes of changed elements; empty for removed ones
 */
export function strippedBefore(
  header: DicomHeader,
  uids: NewUids,
  { changed = new Map(), isPlain = false }: { changed?: ReadonlyMap<number, Uint8Array>; isPlain?: boolean } = {},
): Uint8Array {
  const { meta, dataSet } = header;
  const { encoding } = dataSet;
  const said = new Map(changed);
  said.set(patientIdentityRemoved, elementOf(patientIdentityRemoved, 'CS', textBytes('YES'), encoding));
  said.set(deidentificationMethod, elementOf(deidentificationMethod, 'LO', textBytes('DICOM PS3.15 Basic Profile'), encoding));
  const parts = strippedElements(dataSet, uids, said);
  return joinBytes([...(meta.elements.size > 0 ? [strippedMeta(meta, uids, isPlain)] : []), ...parts]);
}

function strippedElements(set: DataSet, uids: NewUids, changed: ReadonlyMap<number, Uint8Array>): Uint8Array[] {
  const parts = new Map<number, Uint8Array>(changed);
  for (const element of set.elements.values()) {
    if (changed.has(element.tag)) continue;
    const bytes = strippedElement(set, element, uids);
    if (bytes !== undefined) parts.set(element.tag, bytes);
  }
  return [...parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
}

function strippedElement(set: DataSet, element: Element, uids: NewUids): Uint8Array | undefined {
  const { tag, vr, items } = element;
  const { encoding } = set;
  const action = profileAction(tag);
  // Group lengths would be wrong, and they are optional.
  if (action === 'X' || (tag & 0xffff) === 0) return undefined;
  if (action === 'Z' || (action === 'D' && vr === 'SQ')) return elementOf(tag, vr, new Uint8Array(), encoding);
  if (items !== undefined) {
    const stripped = items.map((item) => {
      const own = joinBytes(strippedElements(item, uids, new Map()));
      return joinBytes([elementOf(0xfffee000, '', own, { ...item.encoding, isExplicit: false })]);
    });
    // Items of an unknown sequence are implicit in any file. The sequence then stays unknown.
    const isOther = items.some((item) => item.encoding.isExplicit !== encoding.isExplicit);
    return elementOf(tag, isOther ? 'UN' : 'SQ', joinBytes(stripped), encoding);
  }
  // An unreadable sequence may contain anything.
  if (vr === 'SQ') return undefined;
  if (action === 'U') {
    const replaced = textOf(set, tag)
      .split('\\')
      .filter(Boolean)
      .map((uid) => uids.of(uid));
    return elementOf(tag, 'UI', textBytes(replaced.join('\\')), encoding);
  }
  if (action === 'D') return elementOf(tag, vr, dummyOf(vr, valueBytes(set, element).byteLength, uids), encoding);
  return set.bytes.subarray(element.start, element.valueEnd);
}

/** A meaningless value of this representation. */
function dummyOf(vr: string, length: number, uids: NewUids): Uint8Array {
  switch (vr) {
    case 'DA':
      return textBytes('19000101');
    case 'TM':
      return textBytes('000000');
    case 'DT':
      return textBytes('19000101000000');
    case 'AS':
      return textBytes('000Y');
    case 'IS':
    case 'DS':
      return textBytes('0');
    case 'UI':
      return textBytes(uids.of(''));
    case 'PN':
    case 'LO':
    case 'SH':
    case 'ST':
    case 'LT':
    case 'UT':
    case 'UC':
    case 'CS':
    case 'AE':
      return textBytes('ANONYMOUS');
    default:
      return new Uint8Array(length);
  }
}

function strippedMeta(meta: DataSet, uids: NewUids, isPlain: boolean): Uint8Array {
  const parts = [...meta.elements.values()].flatMap((element): Uint8Array[] => {
    if (!keptMeta.has(element.tag)) return [];
    if (element.tag === 0x00020003)
      return [elementOf(element.tag, 'UI', textBytes(uids.of(textOf(meta, element.tag))), explicitLittle)];
    if (element.tag === 0x00020010 && isPlain)
      return [elementOf(element.tag, 'UI', textBytes(explicitLittle.uid), explicitLittle)];
    return [meta.bytes.subarray(element.start, element.valueEnd)];
  });
  const joined = joinBytes(parts);
  const length = elementOf(0x00020000, 'UL', new Uint8Array(Uint32Array.of(joined.byteLength).buffer), explicitLittle);
  // The preamble may contain anything, so it is cleared.
  return joinBytes([new Uint8Array(128), textBytes('DICM'), length, joined]);
}
