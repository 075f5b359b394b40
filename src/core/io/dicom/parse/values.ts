import { vrOf } from './dictionary.ts';
import type { DataSet, Element } from './elements.ts';

/** The maximum number of values that are read from one element. Lookup tables have 65536, frame offsets a few thousand. */
const maxNumbers = 2 ** 20;

const latin = new TextDecoder('latin1');

/** An element's numbers, in any representation; empty if it has none. @param isSigned for elements that may be either */
export function numbersOf(set: DataSet | undefined, tag: number, isSigned = false): number[] {
  const element = set?.elements.get(tag);
  if (set === undefined || element === undefined) return [];
  const vr = element.vr === 'UN' ? vrOf(tag) : element.vr;
  if (vr === 'DS' || vr === 'IS' || vr === 'UN' || vr === 'LO' || vr === 'SH' || vr === 'CS' || vr === 'ST' || vr === 'UT') {
    return textsOf(set, tag).map((text) => (text === '' ? Number.NaN : Number(text)));
  }
  return binaryNumbers(set, element, vr, isSigned);
}

function binaryNumbers({ bytes, encoding: { isLittle } }: DataSet, element: Element, vr: string, isSigned: boolean): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset + element.valueStart, element.valueEnd - element.valueStart);
  const list = (width: number, read: (at: number) => number) =>
    Array.from({ length: Math.min(maxNumbers, Math.floor(view.byteLength / width)) }, (_, index) => read(index * width));
  switch (vr) {
    case 'US':
    case 'OW':
      return list(2, (at) => (isSigned ? view.getInt16(at, isLittle) : view.getUint16(at, isLittle)));
    case 'SS':
      return list(2, (at) => view.getInt16(at, isLittle));
    case 'UL':
    case 'OL':
      return list(4, (at) => view.getUint32(at, isLittle));
    case 'SL':
      return list(4, (at) => view.getInt32(at, isLittle));
    case 'AT':
      return list(4, (at) => view.getUint16(at, isLittle) * 0x10000 + view.getUint16(at + 2, isLittle));
    case 'FL':
    case 'OF':
      return list(4, (at) => view.getFloat32(at, isLittle));
    case 'FD':
    case 'OD':
      return list(8, (at) => view.getFloat64(at, isLittle));
    case 'UV':
    case 'OV':
      return list(8, (at) => Number(view.getBigUint64(at, isLittle)));
    case 'SV':
      return list(8, (at) => Number(view.getBigInt64(at, isLittle)));
    case 'OB':
      return list(1, (at) => view.getUint8(at));
    default:
      return [];
  }
}

/** One of an element's numbers; undefined if there is none or it is not finite. */
export function numberOf(set: DataSet | undefined, tag: number, index = 0): number | undefined {
  const number = numbersOf(set, tag)[index];
  return number !== undefined && Number.isFinite(number) ? number : undefined;
}

/** An element's value as text, without padding; '' if there is none. */
export function textOf(set: DataSet | undefined, tag: number): string {
  const element = set?.elements.get(tag);
  if (set === undefined || element === undefined || element.items !== undefined) return '';
  return latin.decode(valueBytes(set, element)).replace(/^ +|[ \0]+$/g, '');
}

/** The same for names and descriptions, which use the file's character set. */
export function namedText(set: DataSet | undefined, tag: number, decoder: TextDecoder): string {
  const element = set?.elements.get(tag);
  if (set === undefined || element === undefined || element.items !== undefined) return '';
  return decoder.decode(valueBytes(set, element)).replace(/^ +|[ \0]+$/g, '');
}

/** The values of a text element. They are separated by backslashes. */
export function textsOf(set: DataSet | undefined, tag: number): string[] {
  const text = textOf(set, tag);
  return text === '' ? [] : text.split('\\', maxNumbers).map((part) => part.trim());
}

export function itemsOf(set: DataSet | undefined, tag: number): readonly DataSet[] {
  return set?.elements.get(tag)?.items ?? [];
}

export function valueBytes(set: DataSet, element: Element): Uint8Array {
  return set.bytes.subarray(element.valueStart, element.valueEnd);
}

/** Maps Specific Character Set to the platform's encoding names. PS3.3, C.12.1.1.2. */
const charsets: Readonly<Record<string, string>> = {
  'ISO_IR 101': 'iso-8859-2',
  'ISO_IR 109': 'iso-8859-3',
  'ISO_IR 110': 'iso-8859-4',
  'ISO_IR 144': 'iso-8859-5',
  'ISO_IR 127': 'iso-8859-6',
  'ISO_IR 126': 'iso-8859-7',
  'ISO_IR 138': 'iso-8859-8',
  'ISO_IR 148': 'iso-8859-9',
  'ISO_IR 166': 'windows-874',
  'ISO_IR 13': 'shift_jis',
  'ISO_IR 87': 'iso-2022-jp',
  'ISO_IR 149': 'euc-kr',
  'ISO_IR 58': 'gb18030',
  'ISO_IR 192': 'utf-8',
  GB18030: 'gb18030',
  GBK: 'gbk',
};

/** A decoder for the text of a file. If there are several character sets, uses the last known one, because the first is mostly ASCII. */
export function decoderOf(set: DataSet): TextDecoder {
  const names = textsOf(set, 0x00080005).map((name) => charsets[name.replace('ISO 2022 IR', 'ISO_IR')]);
  return new TextDecoder(names.findLast((name) => name !== undefined) ?? 'latin1');
}
