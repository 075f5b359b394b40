import { joinBytes } from '../../common/byte-stream.ts';
import type { Encoding } from '../parse/elements.ts';

const longVrs = new Set(['OB', 'OD', 'OF', 'OL', 'OV', 'OW', 'SQ', 'SV', 'UC', 'UN', 'UR', 'UT', 'UV']);

/** An element, padded to an even length. */
export function elementOf(tag: number, vr: string, value: Uint8Array, encoding: Encoding): Uint8Array<ArrayBuffer> {
  const isText = !(vr === 'UI' || vr.startsWith('O') || vr === 'UN');
  const even = value.byteLength % 2 === 0 ? value : joinBytes([value, Uint8Array.of(isText ? 0x20 : 0)]);
  return joinBytes([elementHead(tag, vr, even.byteLength, encoding), even]);
}

/** Tag, value representation and length. */
export function elementHead(
  tag: number,
  vr: string,
  length: number,
  { isExplicit, isLittle }: Encoding,
): Uint8Array<ArrayBuffer> {
  const isLong = longVrs.has(vr);
  const view = new DataView(new ArrayBuffer(isExplicit && isLong ? 12 : 8));
  view.setUint16(0, tag >>> 16, isLittle);
  view.setUint16(2, tag & 0xffff, isLittle);
  if (!isExplicit) {
    view.setUint32(4, length, isLittle);
    return new Uint8Array(view.buffer);
  }
  view.setUint8(4, vr.charCodeAt(0));
  view.setUint8(5, vr.charCodeAt(1));
  if (isLong) view.setUint32(8, length, isLittle);
  else view.setUint16(6, length, isLittle);
  return new Uint8Array(view.buffer);
}

export const textBytes = (value: string) => new TextEncoder().encode(value);
