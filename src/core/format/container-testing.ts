import { memorySink, memorySource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import type { SourceDescription } from '../shared/source.ts';
import type { VolumeInfo } from '../shared/volume.ts';
import { checksum } from './checksum.ts';
import type { EncodedChunk } from './chunk.ts';
import { ContainerReader } from './container-reader.ts';
import { ContainerWriter, type NewContainer } from './container-writer.ts';
import type { ContainerHeader } from './header.ts';
import { align8, recordHeadLength } from './layout.ts';
import { encodeRecord, parseRecordHead, recordEnd } from './record.ts';

// Helpers for the tests of this folder, and for the script that makes testdata/.

export const smallVolume: VolumeInfo = {
  dims: [4, 4, 2, 1],
  type: 'u8',
  spacing: [0.5, 0.5, 2, 0],
  spatialUnit: 'mm',
  timeUnit: 'unknown',
  affine: [0.5, 0, 0, -1, 0, 0.5, 0, -1, 0, 0, 2, 0],
  slope: 1,
  intercept: 0,
};

/** A coded chunk with an arbitrary payload: the container does not examine payloads. */
export function codedChunk(payload: Uint8Array, codecId = 1, parameters = new Uint8Array(0)): EncodedChunk {
  const sum = checksum(payload);
  return { kind: 'coded', stages: [{ codecId, parameters }], payload, encodedChecksum: sum, decodedChecksum: sum };
}

export function constantChunk(...element: number[]): EncodedChunk {
  const bytes = Uint8Array.from(element);
  return { kind: 'constant', element: bytes, decodedChecksum: checksum(bytes) };
}

/** A ramp of 2-byte elements from `first` on. The container does not compute it. */
export function rampChunk(first: number, steps: readonly [number, number, number] = [1, 3, 9], modulus = 255): EncodedChunk {
  const element = Uint8Array.of(first % 256, first >> 8);
  return { kind: 'ramp', element, steps, modulus, decodedChecksum: checksum(element) };
}

export const rawSource: SourceDescription = {
  format: 'raw',
  endian: 'little',
  parts: [{ name: 'small.raw', before: new Uint8Array(0), hasVoxels: true, after: new Uint8Array(0) }],
};

/** Two chunks of 4×4×1: a raw one and a constant one. docs/FORMAT.md prints this file. */
export const smallContainer: NewContainer = {
  volume: smallVolume,
  chunkShape: [4, 4, 1, 1],
  sourceFormat: 'raw',
  writer: 'stria 0.1.0',
};

export const smallChunks: readonly EncodedChunk[] = [
  codedChunk(Uint8Array.from({ length: 16 }, (_, i) => 0x30 + i)),
  { kind: 'constant', element: Uint8Array.of(7), decodedChecksum: checksum(new Uint8Array(16).fill(7), 4) },
];

/** Writes a complete file. */
export async function writeContainer(
  container: NewContainer,
  chunks: readonly EncodedChunk[],
  source: SourceDescription = { ...rawSource, format: container.sourceFormat },
): Promise<Uint8Array<ArrayBuffer>> {
  const sink = memorySink();
  const writer = await ContainerWriter.create(sink, container);
  for (const [number, chunk] of chunks.entries()) await writer.chunk(number, chunk);
  await writer.finish(source);
  return sink.bytes();
}

/** A file with 12 chunks of several kinds, several layers and several source parts. */
export async function variedContainer(): Promise<{
  bytes: Uint8Array<ArrayBuffer>;
  chunks: EncodedChunk[];
  source: SourceDescription;
}> {
  const volume: VolumeInfo = { ...smallVolume, dims: [5, 4, 3, 2], type: 'u16', slope: Number.NaN, intercept: -0 };
  const chunks = [
    codedChunk(Uint8Array.of(1, 2, 3), 2, Uint8Array.of(0)),
    constantChunk(0, 0),
    codedChunk(Uint8Array.from({ length: 40 }, (_, i) => 255 - i)),
    codedChunk(new Uint8Array(0), 2, Uint8Array.of(1)),
    constantChunk(9, 1),
    constantChunk(9, 1),
    rampChunk(3),
    rampChunk(254),
    codedChunk(Uint8Array.of(8), 2, Uint8Array.of(0, 1, 2, 3, 4, 5, 6)),
    rampChunk(60_000, [65_535, 0, 1], 0),
    codedChunk(
      Uint8Array.from({ length: 9 }, (_, i) => i),
      300,
    ),
    codedChunk(Uint8Array.of(5, 5, 5, 5)),
  ];
  const text = (value: string) => new TextEncoder().encode(value);
  const source: SourceDescription = {
    format: 'nifti',
    endian: 'big',
    parts: [
      { name: 'scan.hdr', before: text('a header of 27 bytes, odd 27'), hasVoxels: false, after: new Uint8Array(0) },
      { name: 'scan.img', before: text('pad'), hasVoxels: true, after: text('behind') },
    ],
  };
  const bytes = await writeContainer({ volume, chunkShape: [3, 4, 1, 1], sourceFormat: 'nifti' }, chunks, source);
  return { bytes, chunks, source };
}

export interface Content {
  header: ContainerHeader;
  chunks: EncodedChunk[];
  source: SourceDescription;
}

/** Everything that a reader returns, and on request the checks of `stria verify`. */
export async function readAll(bytes: Uint8Array, verify = false): Promise<Content> {
  const reader = await ContainerReader.open(memorySource('test.stria', bytes));
  const chunks = await reader.readChunks(0, reader.chunkCount);
  const source = await reader.sourceDescription();
  if (verify) await reader.checkRecords();
  return { header: reader.header, chunks, source };
}

export async function faultOf(work: Promise<unknown>): Promise<StriaError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof StriaError) return error;
    throw error;
  }
  throw new Error('no fault was thrown');
}

export interface RawRecord {
  type: string;
  meta: Uint8Array;
  body: Uint8Array;
}

/** The records of a complete file, to be changed and joined again. */
export function splitRecords(bytes: Uint8Array): RawRecord[] {
  const records: RawRecord[] = [];
  for (let offset = 16; offset < bytes.byteLength; ) {
    const head = parseRecordHead(bytes.subarray(offset), offset);
    if (head === undefined) throw new Error(`no record at byte ${offset}`);
    const start = offset + recordHeadLength + head.meta.byteLength;
    records.push({ type: head.type, meta: head.meta, body: bytes.slice(start, start + head.bodyLength) });
    offset = recordEnd(head);
  }
  return records;
}

/** Joins these records to a file with valid checksums, as a hostile writer could. Updates TAIL's offsets. */
export function joinRecords(records: readonly RawRecord[], prologue: Uint8Array): Uint8Array<ArrayBuffer> {
  const parts = [prologue.slice(0, 16)];
  const places = new Map<string, { offset: number; length: number }>();
  let offset = 16;
  for (const { type, meta, body } of records) {
    const changed = body.slice();
    if (type === 'TAIL') {
      const view = new DataView(changed.buffer);
      for (const [at, name] of [
        [8, 'INDX'],
        [24, 'SRCE'],
      ] as const) {
        view.setBigUint64(at, BigInt(places.get(name)?.offset ?? 0), true);
        view.setBigUint64(at + 8, BigInt(places.get(name)?.length ?? 0), true);
      }
      view.setBigUint64(40, BigInt(offset), true);
    }
    const record = encodeRecord({ type, offset, meta, body: changed });
    places.set(type, { offset, length: align8(record.byteLength) });
    parts.push(record);
    offset += record.byteLength;
  }
  const joined = new Uint8Array(offset);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.byteLength;
  }
  return joined;
}
