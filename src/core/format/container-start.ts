import type { ByteSource } from '../shared/bytes.ts';
import { StriaError, toStriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import type { ChunkGrid } from './chunk-grid.ts';
import { type ContainerHeader, checkVersion, parseHeader } from './header.ts';
import { maxTextLength, prologueLength, recordHeadLength, recordTypes, signature } from './layout.ts';
import { parseRecordHead, type RecordHead, readExactly, readRecord, recordLength } from './record.ts';
import { endLength } from './tail.ts';

/** Length of the first and the last read of a file, which usually cover the header and the whole index. */
export const edgeLength = 65_536;

/** Whether a file's first bytes (at least 8) are those of a container. */
export function isContainer(head: Uint8Array): boolean {
  return head.byteLength >= signature.byteLength && signature.every((byte, at) => byte === head[at]);
}

/** Whether a file's first bytes have the word of the signature. Without the rest, they were altered by a transfer as text. */
export function hasContainerName(head: Uint8Array): boolean {
  return signature.subarray(1, 6).every((byte, at) => byte === head[at + 1]);
}

/** The start of a container. */
export interface FileStart {
  readonly header: ContainerHeader;
  readonly grid: ChunkGrid;
  readonly record: RecordHead;
}

/** @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted` */
export async function readStart(source: ByteSource, options?: JobOptions): Promise<FileStart> {
  const bytes = await readExactly(source, 0, Math.min(source.size, edgeLength), options);
  if (!isContainer(bytes)) throw notAContainer(bytes);
  if (bytes.byteLength < prologueLength + recordHeadLength + endLength) {
    throw new StriaError(
      'corrupt',
      `the file ends within its header, after ${source.size} bytes, so nothing can be read from it`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [major, minor] = [view.getUint16(8, true), view.getUint16(10, true)];
  if (view.getUint32(12, true) !== 0) throw new StriaError('corrupt', 'the first 16 bytes are damaged');
  checkVersion(major, minor);
  const head = parseRecordHead(bytes.subarray(prologueLength), prologueLength);
  if (head?.type !== recordTypes.header) throw damagedHeader();
  if (head.bodyLength > maxTextLength) throw new StriaError('corrupt', `the header is longer than ${maxTextLength} bytes`);
  const length = recordLength(head.meta.byteLength, head.bodyLength);
  const record = await readRecord(source, recordTypes.header, prologueLength, length, options).catch((error: unknown) => {
    throw toStriaError(error).tag === 'corrupt' ? damagedHeader(error) : error;
  });
  const { header, grid, version } = parseHeader(record.body);
  if (version.major !== major || version.minor !== minor) {
    throw new StriaError('corrupt', `the file gives two versions, ${major}.${minor} and ${version.major}.${version.minor}`);
  }
  return { header, grid, record: head };
}

function damagedHeader(cause?: unknown): StriaError {
  const message = "the header at the start is damaged or cut off; 'stria recover' may find its copy near the end";
  return new StriaError('corrupt', message, { cause });
}

function notAContainer(bytes: Uint8Array): StriaError {
  if (!hasContainerName(bytes)) {
    return new StriaError('corrupt', 'this is not a .stria file: its signature is missing');
  }
  return new StriaError('corrupt', 'the file was altered by a transfer as text; transfer it again as binary');
}
