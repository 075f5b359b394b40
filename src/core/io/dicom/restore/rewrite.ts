import { joinBytes } from '../../common/byte-stream.ts';
import { type DataSet, type PixelElement, pixelTags } from '../parse/elements.ts';
import type { DicomHeader } from '../parse/header.ts';
import { explicitLittle } from '../parse/transfer-syntax.ts';
import { textOf } from '../parse/values.ts';
import { type PixelFormat, planeBytes } from '../pixels/pixel-format.ts';

const preambleBytes = 128;
const longVrs = new Set(['OB', 'OW', 'UN', 'UT', 'SQ']);
/** Extended Offset Table and its lengths: of fragments that are no more. */
const fragmentTags = [0x7fe00001, 0x7fe00002];

/** One explicit little-endian element. */
function element(tag: number, vr: string, value: Uint8Array): Uint8Array<ArrayBuffer> {
  const even = value.byteLength % 2 === 0 ? value : joinBytes([value, Uint8Array.of(vr === 'UI' || vr === 'OB' ? 0 : 0x20)]);
  return joinBytes([elementHead(tag, vr, even.byteLength), even]);
}

function elementHead(tag: number, vr: string, length: number): Uint8Array<ArrayBuffer> {
  const isLong = longVrs.has(vr);
  const view = new DataView(new ArrayBuffer(isLong ? 12 : 8));
  view.setUint16(0, tag >>> 16, true);
  view.setUint16(2, tag & 0xffff, true);
  view.setUint8(4, vr.charCodeAt(0));
  view.setUint8(5, vr.charCodeAt(1));
  if (isLong) view.setUint32(8, length, true);
  else view.setUint16(6, length, true);
  return new Uint8Array(view.buffer);
}

const text = (value: string) => new TextEncoder().encode(value);

/**
 * What stands in front of the voxels in an explicit little-endian file with the data set of a compressed one. Elements stay as they are,
 * byte for byte, but for those that tell how pixels lie.
 */
export function rewrittenBefore(header: DicomHeader, pixels: PixelElement, format: PixelFormat): Uint8Array {
  const { meta, dataSet, dataSetStart } = header;
  const changed = new Map<number, Uint8Array>(fragmentTags.map((tag) => [tag, new Uint8Array()]));
  if (format.samples === 3) {
    changed.set(0x00280004, element(0x00280004, 'CS', text('RGB')));
    changed.set(0x00280006, element(0x00280006, 'US', Uint8Array.of(0, 0)));
  }
  const length = planeBytes(format) * format.samples * format.frames;
  const head = elementHead(pixelTags.integers, format.bitsAllocated === 8 ? 'OB' : 'OW', length + (length % 2));
  return joinBytes([metaBytes(meta), withChanges(dataSet, dataSetStart, pixels.start, changed), head]);
}

/** Preamble and meta information, with the plain transfer syntax. */
function metaBytes(meta: DataSet): Uint8Array {
  const elements = [...meta.elements.values()]
    .filter(({ tag }) => tag !== 0x00020000)
    .map((known) => {
      if (known.tag === 0x00020010) return element(known.tag, 'UI', text(explicitLittle.uid));
      return meta.bytes.subarray(known.start, known.valueEnd);
    });
  if (textOf(meta, 0x00020010) === '') elements.push(element(0x00020010, 'UI', text(explicitLittle.uid)));
  const joined = joinBytes(elements);
  const length = element(0x00020000, 'UL', new Uint8Array(Uint32Array.of(joined.byteLength).buffer));
  return joinBytes([meta.bytes.subarray(0, preambleBytes), text('DICM'), length, joined]);
}

function withChanges(
  { bytes, elements }: DataSet,
  start: number,
  end: number,
  changed: ReadonlyMap<number, Uint8Array>,
): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = start;
  for (const known of [...elements.values()].sort((a, b) => a.start - b.start)) {
    const replacement = changed.get(known.tag);
    if (replacement === undefined) continue;
    parts.push(bytes.subarray(at, known.start), replacement);
    at = known.valueEnd;
  }
  parts.push(bytes.subarray(at, end));
  return joinBytes(parts);
}
