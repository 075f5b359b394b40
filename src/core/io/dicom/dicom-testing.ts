import { joinBytes } from '../common/byte-stream.ts';

// DICOM files for tests, built from PS3.5 and PS3.10, not with this folder's code.

export type TestValue = string | number | readonly number[] | Uint8Array | readonly TestElements[];
/** Value representations and values, keyed by tag: `{ 0x00280010: ['US', 512] }`. */
export type TestElements = Readonly<Record<number, readonly [vr: string, value: TestValue]>>;

export const uids = {
  implicit: '1.2.840.10008.1.2',
  explicit: '1.2.840.10008.1.2.1',
  deflated: '1.2.840.10008.1.2.1.99',
  big: '1.2.840.10008.1.2.2',
  rle: '1.2.840.10008.1.2.5',
} as const;

export interface TestEncoding {
  readonly isExplicit: boolean;
  readonly isLittle: boolean;
  /** Whether sequences and items end with delimiters. */
  readonly isDelimited?: boolean;
}

const longVrs = ['OB', 'OD', 'OF', 'OL', 'OV', 'OW', 'SQ', 'SV', 'UC', 'UN', 'UR', 'UT', 'UV'];
const widths: Readonly<Record<string, number>> = { US: 2, SS: 2, UL: 4, SL: 4, FL: 4, FD: 8, AT: 4 };

export function elementBytes(elements: TestElements, encoding: TestEncoding): Uint8Array<ArrayBuffer> {
  const tags = Object.keys(elements).map(Number);
  tags.sort((a, b) => a - b);
  return joinBytes(tags.map((tag) => oneElement(tag, ...(elements[tag] as TestElements[number]), encoding)));
}

function oneElement(tag: number, vr: string, value: TestValue, encoding: TestEncoding): Uint8Array {
  const bytes = valueBytes(vr, value, encoding);
  const isDelimited = vr === 'SQ' && encoding.isDelimited === true;
  const length = isDelimited ? 0xffffffff : bytes.byteLength;
  const end = isDelimited ? [head(0xfffee0dd, 0, encoding)] : [];
  if (!encoding.isExplicit) return joinBytes([head(tag, length, encoding), bytes, ...end]);
  const isLong = longVrs.includes(vr);
  const start = new DataView(new ArrayBuffer(isLong ? 12 : 8));
  start.setUint16(0, tag >>> 16, encoding.isLittle);
  start.setUint16(2, tag & 0xffff, encoding.isLittle);
  start.setUint8(4, vr.charCodeAt(0));
  start.setUint8(5, vr.charCodeAt(1));
  if (isLong) start.setUint32(8, length, encoding.isLittle);
  else start.setUint16(6, length, encoding.isLittle);
  return joinBytes([new Uint8Array(start.buffer), bytes, ...end]);
}

/** Tag and length of four bytes: an implicit element, an item, a delimiter. */
export function head(tag: number, length: number, { isLittle }: Pick<TestEncoding, 'isLittle'>): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setUint16(0, tag >>> 16, isLittle);
  view.setUint16(2, tag & 0xffff, isLittle);
  view.setUint32(4, length, isLittle);
  return new Uint8Array(view.buffer);
}

function valueBytes(vr: string, value: TestValue, encoding: TestEncoding): Uint8Array {
  if (value instanceof Uint8Array) return padded(value, vr === 'UI' || vr.startsWith('O') || vr === 'UN' ? 0 : 0x20);
  if (vr === 'SQ') return joinBytes((value as readonly TestElements[]).map((item) => itemBytes(item, encoding)));
  const width = widths[vr];
  const list = Array.isArray(value) ? (value as readonly number[]) : [value as string | number];
  if (width === undefined) return padded(new TextEncoder().encode(list.join('\\')), vr === 'UI' ? 0 : 0x20);
  const view = new DataView(new ArrayBuffer(width * list.length));
  for (const [index, number] of list.entries()) {
    const at = index * width;
    const { isLittle } = encoding;
    if (vr === 'FL') view.setFloat32(at, Number(number), isLittle);
    else if (vr === 'FD') view.setFloat64(at, Number(number), isLittle);
    else if (vr === 'AT') {
      view.setUint16(at, Number(number) >>> 16, isLittle);
      view.setUint16(at + 2, Number(number) & 0xffff, isLittle);
    } else if (width === 2) view.setInt16(at, Number(number), isLittle);
    else view.setInt32(at, Number(number), isLittle);
  }
  return new Uint8Array(view.buffer);
}

function itemBytes(item: TestElements, encoding: TestEncoding): Uint8Array {
  const bytes = elementBytes(item, encoding);
  if (!encoding.isDelimited) return joinBytes([head(0xfffee000, bytes.byteLength, encoding), bytes]);
  return joinBytes([head(0xfffee000, 0xffffffff, encoding), bytes, head(0xfffee00d, 0, encoding)]);
}

function padded(bytes: Uint8Array, padding: number): Uint8Array {
  return bytes.byteLength % 2 === 0 ? bytes : joinBytes([bytes, Uint8Array.of(padding)]);
}

/** Preamble, meta information and data set. `pack` deflates the data set. */
export function dicomFile(
  elements: TestElements,
  { syntax = uids.explicit as string, isDelimited = false, after = new Uint8Array(), pack = (bytes: Uint8Array) => bytes } = {},
): Uint8Array<ArrayBuffer> {
  const isLittle = syntax !== uids.big;
  const encoding = { isExplicit: syntax !== uids.implicit, isLittle, isDelimited };
  const dataSet = joinBytes([elementBytes(elements, encoding), after]);
  return joinBytes([metaBytes(syntax), pack(dataSet)]);
}

/** Preamble and meta information. */
function metaBytes(syntax: string): Uint8Array {
  const meta = elementBytes(
    { 131073: ['OB', Uint8Array.of(0, 1)], 131074: ['UI', '1.2.840.10008.5.1.4.1.1.2'], 131088: ['UI', syntax] },
    { isExplicit: true, isLittle: true },
  );
  const length = elementBytes({ 131072: ['UL', meta.byteLength] }, { isExplicit: true, isLittle: true });
  return joinBytes([new Uint8Array(128), new TextEncoder().encode('DICM'), length, meta]);
}

/** Pixels in fragments after an offset table, which is usually empty. They are the last element of a file. */
export function fragmentBytes(frames: readonly Uint8Array[], vr = 'OB', table = new Uint8Array()): Uint8Array<ArrayBuffer> {
  const little = { isLittle: true };
  const start = joinBytes([
    head(0x7fe00010, 0, little).subarray(0, 4),
    new TextEncoder().encode(vr),
    Uint8Array.of(0, 0, 255, 255, 255, 255),
  ]);
  const items = frames.map((frame) => {
    const even = padded(frame, 0);
    return joinBytes([head(0xfffee000, even.byteLength, little), even]);
  });
  return joinBytes([start, head(0xfffee000, table.byteLength, little), table, ...items, head(0xfffee0dd, 0, little)]);
}

export interface TestSlice {
  readonly columns?: number;
  readonly rows?: number;
  /** In millimetres along the patient's axis. */
  readonly z?: number;
  readonly instance?: number;
  readonly pixels: Uint8Array;
  readonly more?: TestElements;
}

/** The elements of a CT slice of signed 16 bits, as a scanner would write them. */
export function ctSlice({ columns = 4, rows = 3, z = 0, instance = 1, pixels, more = {} }: TestSlice): TestElements {
  return {
    524296: ['CS', 'ORIGINAL\\PRIMARY\\AXIAL'],
    524310: ['UI', '1.2.840.10008.5.1.4.1.1.2'],
    524312: ['UI', `1.2.3.4.${instance}`],
    524320: ['DA', '20240229'],
    524384: ['CS', 'CT'],
    528432: ['LO', 'Head'],
    528446: ['LO', 'Bone 0.6'],
    1048592: ['PN', 'Doe^Jane'],
    1048608: ['LO', 'P-17'],
    2097165: ['UI', '1.2.3'],
    2097166: ['UI', '1.2.3.4'],
    2097169: ['IS', '3'],
    2097171: ['IS', String(instance)],
    2097202: ['DS', `-10\\-20\\${z}`],
    2097207: ['DS', '1\\0\\0\\0\\1\\0'],
    2621442: ['US', 1],
    2621444: ['CS', 'MONOCHROME2'],
    2621456: ['US', rows],
    2621457: ['US', columns],
    2621488: ['DS', '0.5\\0.25'],
    2621696: ['US', 16],
    2621697: ['US', 16],
    2621698: ['US', 15],
    2621699: ['US', 1],
    2625616: ['DS', '40\\400'],
    2625617: ['DS', '80\\1000'],
    2625618: ['DS', '-1024'],
    2625619: ['DS', '1'],
    2625621: ['LO', 'BRAIN\\BONE'],
    2145386512: ['OW', pixels],
    ...more,
  };
}
