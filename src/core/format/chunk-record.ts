import { chunkName } from '../shared/chunk-name.ts';
import { StriaError } from '../shared/errors.ts';
import { ByteBuilder, ByteCursor } from './byte-cursor.ts';
import type { Checksum } from './checksum.ts';
import type { ChunkStage, CodedChunk, CodedOutline } from './chunk.ts';
import { align8, maxStages, recordTypes } from './layout.ts';
import { numberInRecord, placeOfNumber } from './level.ts';
import { parseRecord, type RecordHead, type RecordParts, recordLength, recordParts, type StriaRecord } from './record.ts';

/** Most chunks of a volume share one list of stages. */
const encodedStages = new WeakMap<readonly ChunkStage[], Uint8Array<ArrayBuffer>>();

/** The stages of a chunk as written in CHNK and INDX: their number, then the codec and parameters of each. */
export function encodeStages(stages: readonly ChunkStage[]): Uint8Array<ArrayBuffer> {
  const known = encodedStages.get(stages);
  if (known) return known;
  if (stages.length < 1 || stages.length > maxStages) {
    throw new StriaError('internal', `a chunk has 1 to ${maxStages} stages, not ${stages.length}`);
  }
  const builder = new ByteBuilder().u8(stages.length);
  for (const { codecId, parameters } of stages) {
    if (!Number.isInteger(codecId) || codecId < 1 || codecId > 0xffff) {
      throw new StriaError('internal', `${codecId} is not a codec id: ids are from 1 to 65535`);
    }
    if (parameters.byteLength > 255) {
      throw new StriaError('internal', `codec ${codecId} has ${parameters.byteLength} bytes of parameters; the limit is 255`);
    }
    builder.u16(codecId).u8(parameters.byteLength).bytes(parameters);
  }
  const bytes = builder.build();
  encodedStages.set(stages, bytes);
  return bytes;
}

export function decodeStages(cursor: ByteCursor): ChunkStage[] {
  const count = cursor.u8();
  if (count < 1 || count > maxStages)
    throw cursor.corrupt(`names ${count} stages for a chunk; the limit is ${maxStages}, and at least 1 is needed`);
  return Array.from({ length: count }, () => {
    const codecId = cursor.u16();
    if (codecId === 0) throw cursor.corrupt('names codec 0, which does not exist');
    return { codecId, parameters: cursor.bytes(cursor.u8()) };
  });
}

/** The contents of CHNK's meta bytes. */
export interface ChunkMeta {
  readonly number: number;
  readonly decodedChecksum: Checksum;
  readonly stages: readonly ChunkStage[];
}

/** Length of CHNK's meta bytes for stages of `stagesLength` bytes. */
export function chunkMetaLength(stagesLength: number): number {
  return align8(16 + stagesLength);
}

/** Length of a chunk's record, with its head and padding. */
export function chunkRecordLength({ stages, payload }: CodedOutline): number {
  return recordLength(chunkMetaLength(encodeStages(stages).byteLength), payload.byteLength);
}

/**
 * A complete CHNK or `lchk` record in parts, of which the payload is not copied. docs/FORMAT.md, 'CHNK' and 'Levels'.
 * @param level 0 for the volume itself
 */
export function chunkRecordParts(number: number, chunk: CodedChunk, offset: number, level = 0): RecordParts {
  const { decodedChecksum, stages, payload: body, encodedChecksum: bodyChecksum } = chunk;
  const encoded = encodeStages(stages);
  // Without a builder: thousands of chunks are written one after the other.
  const meta = new Uint8Array(chunkMetaLength(encoded.byteLength));
  const view = new DataView(meta.buffer);
  view.setBigUint64(0, BigInt(numberInRecord(level, number)), true);
  view.setUint32(8, decodedChecksum.sum, true);
  view.setUint32(12, decodedChecksum.cross, true);
  meta.set(encoded, 16);
  return recordParts({ type: recordTypeOf(level), offset, meta, body, bodyChecksum });
}

function recordTypeOf(level: number): string {
  return level === 0 ? recordTypes.chunk : recordTypes.levelChunk;
}

/** @throws StriaError `corrupt` */
export function parseChunkMeta(head: RecordHead): ChunkMeta {
  const cursor = new ByteCursor(head.meta, `the chunk record at byte ${head.offset}`);
  const number = cursor.u64();
  const decodedChecksum = cursor.checksum();
  const stages = decodeStages(cursor);
  cursor.zeros(cursor.remaining % 8);
  return { number, decodedChecksum, stages };
}

/**
 * Parses the bytes of a CHNK record, or of a level's `lchk`, that was read at `offset`. The payload is a copy in a buffer of its own.
 * @throws StriaError `corrupt` for any wrong byte, and for the record of another chunk
 */
export function parseChunkRecord(bytes: Uint8Array, offset: number, number: number, level = 0): CodedChunk {
  const chunk = chunkOfRecord(parseRecord(bytes, offset, recordTypeOf(level)), offset, number, level);
  return { ...chunk, payload: chunk.payload.slice() };
}

/**
 * Like `parseChunkRecord`, but the payload shares the memory of `bytes`, and the decoder must compare it with
 * `encodedChecksum`.
 */
export function parseUncheckedRecord(bytes: Uint8Array, offset: number, number: number, level = 0): CodedChunk {
  return chunkOfRecord(parseRecord(bytes, offset, recordTypeOf(level), false), offset, number, level);
}

function chunkOfRecord(record: StriaRecord, offset: number, number: number, level: number): CodedChunk {
  const meta = parseChunkMeta(record);
  if (meta.number !== numberInRecord(level, number)) {
    const found = placeOfNumber(meta.number);
    const ofLevel = found.level === 0 ? '' : ` of level ${found.level}`;
    throw new StriaError('corrupt', `the record at byte ${offset} belongs to ${chunkName(found.number)}${ofLevel}`);
  }
  return {
    kind: 'coded',
    stages: meta.stages,
    payload: record.body,
    encodedChecksum: record.bodyChecksum,
    decodedChecksum: meta.decodedChecksum,
  };
}
