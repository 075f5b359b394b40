import { joinBytes } from '../../common/byte-stream.ts';
import { type DataSet, type PixelElement, pixelTags } from '../parse/elements.ts';
import type { DicomHeader } from '../parse/header.ts';
import { explicitLittle } from '../parse/transfer-syntax.ts';
import { textOf } from '../parse/values.ts';
import { type PixelFormat, planeBytes } from '../pixels/pixel-format.ts';
import { elementHead, elementOf, textBytes } from './element-bytes.ts';
import { type NewUids, strippedBefore } from './strip.ts';

const preambleBytes = 128;
/** Extended Offset Table and its lengths. They describe fragments, which the restored file does not have. */
const fragmentTags = [0x7fe00001, 0x7fe00002];

/**
 * The bytes before the pixels of an explicit little-endian file with the data set of a compressed file. Elements stay unchanged,
 * byte for byte, except those that describe the layout of pixels.
 * @param uids if given, personal data is removed
 */
export function rewrittenBefore(
  header: DicomHeader,
  pixels: PixelElement,
  format: PixelFormat,
  uids: NewUids | undefined,
): Uint8Array {
  const { meta, dataSet, dataSetStart } = header;
  const changed = new Map<number, Uint8Array>(fragmentTags.map((tag) => [tag, new Uint8Array()]));
  if (format.samples === 3) {
    changed.set(0x00280004, elementOf(0x00280004, 'CS', textBytes('RGB'), explicitLittle));
    changed.set(0x00280006, elementOf(0x00280006, 'US', Uint8Array.of(0, 0), explicitLittle));
  }
  const length = planeBytes(format) * format.samples * format.frames;
  const head = elementHead(pixelTags.integers, format.bitsAllocated === 8 ? 'OB' : 'OW', length + (length % 2), explicitLittle);
  if (uids !== undefined) return joinBytes([strippedBefore(header, uids, { changed, isPlain: true }), head]);
  return joinBytes([metaBytes(meta), withChanges(dataSet, dataSetStart, pixels.start, changed), head]);
}

/** Preamble and meta information, with the plain transfer syntax. */
function metaBytes(meta: DataSet): Uint8Array {
  const elements = [...meta.elements.values()]
    .filter(({ tag }) => tag !== 0x00020000)
    .map((known) => {
      if (known.tag === 0x00020010) return elementOf(known.tag, 'UI', textBytes(explicitLittle.uid), explicitLittle);
      return meta.bytes.subarray(known.start, known.valueEnd);
    });
  if (textOf(meta, 0x00020010) === '') elements.push(elementOf(0x00020010, 'UI', textBytes(explicitLittle.uid), explicitLittle));
  const joined = joinBytes(elements);
  const length = elementOf(0x00020000, 'UL', new Uint8Array(Uint32Array.of(joined.byteLength).buffer), explicitLittle);
  return joinBytes([meta.bytes.subarray(0, preambleBytes), textBytes('DICM'), length, joined]);
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
