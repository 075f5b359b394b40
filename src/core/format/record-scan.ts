import type { ByteSource } from '../shared/bytes.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { addChecksums, type Checksum, checksum, sameChecksum } from './checksum.ts';
import { maxMetaLength, prologueLength, recordHeadLength } from './layout.ts';
import { parseRecordHead, type RecordHead, readExactly, recordEnd } from './record.ts';

/** What a scan finds, front to back. Offsets are in bytes of the file. */
export type Found =
  /** A valid head, and a body within the file, damaged or not. */
  | { readonly kind: 'record'; readonly offset: number; readonly head: RecordHead }
  /** A valid head, and a body that the end of the file cuts off. The scan ends here. */
  | { readonly kind: 'cut'; readonly offset: number; readonly head: RecordHead }
  /** No head begins within these bytes. */
  | { readonly kind: 'damaged'; readonly offset: number; readonly end: number };

const longestHead = recordHeadLength + maxMetaLength;
const headBlock = 16_384;
const searchBlock = 2 ** 20;

/**
 * Walks from record to record without an index. After damage it tries each multiple of 8. A head's checksum covers its offset
 * in the file, so neither voxels nor an embedded .stria file can look like a record. Reads heads only. `onProgress` counts
 * bytes of the file.
 */
export async function* scanRecords(source: ByteSource, options?: JobOptions): AsyncGenerator<Found> {
  let block: Uint8Array = new Uint8Array(0);
  let blockStart = 0;
  let offset = prologueLength;
  while (offset < source.size) {
    throwIfAborted(options?.signal);
    options?.onProgress?.({ stage: 'Scanning', done: offset, total: source.size });
    if (offset < blockStart || Math.min(offset + longestHead, source.size) > blockStart + block.byteLength) {
      blockStart = offset;
      block = await readExactly(source, offset, Math.min(headBlock, source.size - offset), options);
    }
    const head = parseRecordHead(block.subarray(offset - blockStart), offset);
    if (head === undefined) {
      const end = await nextHead(source, offset + 8, options);
      yield { kind: 'damaged', offset, end };
      offset = end;
    } else if (bodyStart(head) + head.bodyLength > source.size) {
      yield { kind: 'cut', offset, head };
      return;
    } else {
      yield { kind: 'record', offset, head };
      offset = recordEnd(head);
    }
  }
}

/** The offset of the first valid head from `from` on, or the source's size. */
async function nextHead(source: ByteSource, from: number, options?: JobOptions): Promise<number> {
  for (let start = from; start < source.size; start += searchBlock) {
    throwIfAborted(options?.signal);
    options?.onProgress?.({ stage: 'Scanning', done: start, total: source.size });
    // Blocks overlap by one head, so that a head on the border is seen whole.
    const bytes = await readExactly(source, start, Math.min(searchBlock + longestHead, source.size - start), options);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const last = Math.min(searchBlock - 8, bytes.byteLength - recordHeadLength);
    for (let at = 0; at <= last; at += 8) {
      // Most offsets fail one of these two tests, without a function call.
      if (view.getUint8(at) < 65 || view.getUint16(at + 4, true) !== 0) continue;
      if (parseRecordHead(bytes.subarray(at), start + at) !== undefined) return start + at;
    }
  }
  return source.size;
}

function bodyStart(head: RecordHead): number {
  return head.offset + recordHeadLength + head.meta.byteLength;
}

/** The fault of a record's body. If only the padding is wrong, the body is still intact. */
export interface BodyFault {
  readonly whole: boolean;
  readonly message: string;
}

/** Reads a record's body in pieces and checks it; undefined if it is intact. The file must hold the whole body. */
export async function bodyFault(source: ByteSource, head: RecordHead, options?: JobOptions): Promise<BodyFault | undefined> {
  const start = bodyStart(head);
  const end = start + head.bodyLength;
  let sum: Checksum = { sum: 0, cross: 0 };
  for (let at = start; at < end; at += searchBlock) {
    throwIfAborted(options?.signal);
    const bytes = await readExactly(source, at, Math.min(searchBlock, end - at), options);
    sum = addChecksums(sum, checksum(bytes, undefined, (at - start) / 4));
  }
  if (!sameChecksum(sum, head.bodyChecksum)) return { whole: false, message: 'its content does not match its checksum' };
  const padding = await source.read(end, recordEnd(head) - end, options);
  if (padding.byteLength !== recordEnd(head) - end)
    return { whole: true, message: 'the file ends within the zero bytes after it' };
  return padding.some((byte) => byte !== 0) ? { whole: true, message: 'the bytes after it are not zero' } : undefined;
}
