import { StriaError } from '../../shared/errors.ts';
import { type SourceDescription, safeName } from '../../shared/source.ts';
import type { Endian, VolumeInfo } from '../../shared/volume.ts';
import { joinBytes } from './byte-stream.ts';
import { deflateBytes, inflateToLength } from './deflated-bytes.ts';

/** One file of a source with several: its bytes before the voxels, its planes of voxels, and its bytes after them. */
export interface SourceFile {
  /** With its folders, separated by `/`. */
  readonly name: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly endian: Endian;
  /** Samples per pixel. In the volume, different samples are different channels along t. */
  readonly samples: number;
  /** Whether each sample is a separate plane in the file. Otherwise samples are interleaved. */
  readonly isPlanar: boolean;
  /** The numbers of the first sample's planes: t × (number of slices) + z. A file without voxels has none. */
  readonly planes: readonly number[];
  /** Whether the source's file was different but had the same values, because its pixels were compressed. */
  readonly isRewritten: boolean;
}

const what = 'the table of files';
const maxFiles = 2 ** 18;
/** The limit for the data that is kept from all files in addition to their voxels, before it is deflated. */
export const maxTableBytes = 2 ** 27;

/** The table as bytes: docs/FORMAT.md, 'Files'. */
export function encodeFilesTable(files: readonly SourceFile[]): Uint8Array<ArrayBuffer> {
  const rows = files.map(({ name, before, after, endian, samples, isPlanar, planes, isRewritten }) => ({
    name: safePath(name),
    before: before.byteLength,
    after: after.byteLength,
    endian,
    samples,
    planar: isPlanar,
    planes,
    rewritten: isRewritten,
  }));
  const json = new TextEncoder().encode(JSON.stringify({ files: rows }));
  const content = joinBytes([word(json.byteLength), json, ...files.flatMap(({ before, after }) => [before, after])]);
  return joinBytes([word(content.byteLength), deflateBytes(content)]);
}

/** A path of plain names. */
function safePath(path: string): string {
  return path.split('/').map(safeName).join('/');
}

function word(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer);
}

/** Whether such a table describes a source's files. */
export function hasFilesTable({ format, parts }: SourceDescription): boolean {
  return format === 'dicom' && (parts[0]?.before.byteLength ?? 0) > 0;
}

/**
 * The inverse of `encodeFilesTable`. Validates everything.
 * @throws StriaError `corrupt`
 */
export function parseFilesTable(bytes: Uint8Array, { dims }: Pick<VolumeInfo, 'dims'>): SourceFile[] {
  const content = inflated(bytes);
  const jsonLength = content.byteLength < 4 ? Number.NaN : new DataView(content.buffer, content.byteOffset).getUint32(0, true);
  if (!(4 + jsonLength <= content.byteLength)) throw wrong('ends early');
  const rows = parseRows(content.subarray(4, 4 + jsonLength));
  let at = 4 + jsonLength;
  const take = (length: number) => {
    if (at + length > content.byteLength) throw wrong('ends early');
    at += length;
    return content.subarray(at - length, at);
  };
  const names = new Set<string>();
  const files = rows.map((row): SourceFile => {
    const { name, endian, planar, rewritten } = row;
    if (typeof name !== 'string' || name !== safePath(name) || name.length > 4096)
      throw wrong('has a name that is not a plain path');
    if (names.has(name)) throw wrong('has two files of the same name');
    names.add(name);
    if (endian !== 'little' && endian !== 'big') throw wrong('has an invalid byte order');
    if (typeof planar !== 'boolean' || typeof rewritten !== 'boolean') throw wrong('has a file without its flags');
    const samples = whole(row.samples, 1, Math.min(64, dims[3]));
    if (dims[3] % samples !== 0) throw wrong(`has a file of ${samples} samples, by which t is not divisible`);
    if (!Array.isArray(row.planes)) throw wrong('has a file without its planes');
    const most = (dims[2] * dims[3]) / samples - 1;
    const planes = row.planes.map((plane) => whole(plane, 0, most));
    const before = take(whole(row.before, 0, maxTableBytes));
    const after = take(whole(row.after, 0, maxTableBytes));
    return { name, before, after, endian, samples, isPlanar: planar, planes, isRewritten: rewritten };
  });
  if (at !== content.byteLength) throw wrong('is longer than its files');
  // If a hundred thousand files shared one plane, a small container would expand without limit.
  if (files.reduce((count, { planes }) => count + planes.length, 0) > dims[2] * dims[3])
    throw wrong('assigns planes to several files');
  return files;
}

function parseRows(bytes: Uint8Array): Record<string, unknown>[] {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new StriaError('corrupt', `${what} is not JSON`, { cause });
  }
  const files = typeof value === 'object' && value !== null && 'files' in value ? value.files : undefined;
  if (!Array.isArray(files) || files.length === 0 || files.length > maxFiles) throw wrong('has no list of files');
  if (files.some((file) => typeof file !== 'object' || file === null)) throw wrong('has a file that is not an object');
  return files as Record<string, unknown>[];
}

function whole(value: unknown, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw wrong(`has ${JSON.stringify(value)} instead of a whole number from ${least} to ${most}`);
  }
  return value;
}

/** Unpacks no more than the length that the table states. */
function inflated(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength < 4) throw wrong('ends early');
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (length > 2 * maxTableBytes) throw wrong(`states a length of ${length} bytes`);
  return inflateToLength(bytes.subarray(4), length, what);
}

function wrong(says: string): StriaError {
  return new StriaError('corrupt', `${what} ${says}`);
}
