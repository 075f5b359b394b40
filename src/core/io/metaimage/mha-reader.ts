import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { SourcePart } from '../../shared/source.ts';
import { storedBytes } from '../../shared/stored-voxels.ts';
import {
  type ByteStream,
  gunzippedBytes,
  inflatedBytes,
  isGzip,
  nameWithoutGzip,
  openBytes,
  plainBytes,
} from '../common/byte-stream.ts';
import { joinedBytes } from '../common/joined-bytes.ts';
import { findSibling } from '../common/siblings.ts';
import { volumeAt } from '../common/stored-volume.ts';
import { readBefore } from '../common/streamed-volume.ts';
import { startFromEnd } from '../common/text-header.ts';
import type { OpenOptions, OpenVolume, VolumeReader } from '../common/volume-reader.ts';
import type { DataFiles } from './mha-data-files.ts';
import { type MhaHeader, parseMhaHeader } from './mha-header.ts';
import { isMetaImage, type MhaText, mhaHeaderLimit, parseMhaText, withMhaFields } from './mha-text.ts';

const gzippedFromEnd = 'a HeaderSize of -1 is not read from a gzipped file; gunzip it first';

/**
 * MetaImage: `.mha`, and `.mhd` with one or several data files, with or without zlib, in both byte orders.
 *
 * The source's description keeps the header verbatim, except that it always describes uncompressed voxels in one file. For
 * compressed voxels, `CompressedData` becomes False, `CompressedDataSize` is omitted, and a data file `.zraw` becomes `.raw`. For
 * several data files, `ElementDataFile` names one, and the parts that `HeaderSize` skips are not kept.
 */
export const mhaReader: VolumeReader = {
  format: 'mha',

  recognises(name, head) {
    return isMetaImage(head) || /\.(mha|mhd)(\.gz)?$/i.test(name);
  },

  /** @throws StriaError `corrupt`, `unsupported`, `not-readable` (a data file is missing), `aborted` */
  async open(source, options) {
    const stream = await openBytes(source, options);
    const head = await stream.read(0, mhaHeaderLimit, options);
    const text = parseMhaText(head);
    const isList = /^LIST\b/i.test(text.fields.get('elementdatafile')?.value ?? '');
    const list = isList ? new TextDecoder().decode(head.subarray(text.bytes.byteLength)) : '';
    const header = parseMhaHeader(text, list);
    const { data } = header;
    if (data === undefined) return openLocal(source, stream, text, header, options);
    return data.names.length === 1 && !isList
      ? openDetached(source, text, head, header, data.names[0] as string, options)
      : openSeveral(source, text, header, data, options);
  },
};

async function openLocal(
  source: ByteSource,
  stream: ByteStream,
  text: MhaText,
  header: MhaHeader,
  options: JobOptions,
): Promise<OpenVolume> {
  const name = nameWithoutGzip(source.name);
  const from = text.bytes.byteLength;
  if (header.isCompressed) {
    const content = await uncompressed(stream, from, header, options);
    const before = uncompressedHeader(text, undefined);
    return mhaVolume(content, 0, header, () => [part(name, before, true)]);
  }
  const start =
    header.headerSize < 0
      ? startFromEnd(stream, from, storedBytes(header.info, header.stored), gzippedFromEnd)
      : from + header.headerSize;
  const before = await readBefore(stream, start, options);
  return mhaVolume(stream, start, header, (after) => [part(name, before, true, after)]);
}

async function openDetached(
  source: ByteSource,
  text: MhaText,
  head: Uint8Array,
  header: MhaHeader,
  dataFile: string,
  options: OpenOptions & JobOptions,
): Promise<OpenVolume> {
  const data = await findSibling(source.name, [dataFile], options);
  const name = nameWithoutGzip(source.name);
  if (header.isCompressed) {
    const content = await uncompressed(plainBytes(data), header.headerSize, header, options);
    const dataName = dataFile.replace(/\.zraw$/i, '.raw');
    const parts = [part(name, uncompressedHeader(text, dataName), false), part(dataName, new Uint8Array(), true)];
    return mhaVolume(content, 0, header, () => parts);
  }
  const stream = plainBytes(data);
  const start =
    header.headerSize < 0 ? startFromEnd(stream, 0, storedBytes(header.info, header.stored), gzippedFromEnd) : header.headerSize;
  const before = await readBefore(stream, start, options);
  return mhaVolume(stream, start, header, (after) => [part(name, head, false), part(dataFile, before, true, after)]);
}

/** Opens several data files as one. */
async function openSeveral(
  source: ByteSource,
  text: MhaText,
  header: MhaHeader,
  { names }: DataFiles,
  options: OpenOptions & JobOptions,
): Promise<OpenVolume> {
  if (header.isCompressed) {
    throw new StriaError('unsupported', 'a compressed MetaImage in several data files is not supported; save it as one .mha');
  }
  const length = storedBytes(header.info, header.stored) / names.length;
  const stretches = [];
  for (const name of names) {
    const stream = plainBytes(await findSibling(source.name, [name], options));
    const start = header.headerSize < 0 ? (stream.size ?? 0) - length : header.headerSize;
    if (start < 0 || start + length > stream.sizeLimit) throw endsEarly(name, length);
    stretches.push({ stream, start, length });
  }
  const stream = joinedBytes(stretches, (index) => endsEarly(names[index] as string, length));
  const name = nameWithoutGzip(source.name);
  const dataName = `${name.replace(/\.[^.]*$/, '')}.raw`;
  const values = new Map([
    ['elementdatafile', dataName],
    ['headersize', undefined],
  ]);
  const parts = [part(name, withMhaFields(text, values), false), part(dataName, new Uint8Array(), true)];
  return mhaVolume(stream, 0, header, () => parts);
}

function endsEarly(name: string, length: number): StriaError {
  return new StriaError('corrupt', `the data file ${name} ends early: it must have ${length} bytes of voxels`);
}

/** The content of the zlib stream at byte `start`. Like MetaIO, also accepts gzip. */
async function uncompressed(stream: ByteStream, start: number, header: MhaHeader, options: JobOptions): Promise<ByteStream> {
  const head = await stream.read(start, 2, options);
  if (isGzip(head)) return gunzippedBytes(stream, start);
  const [method = 0, flags = 0] = head;
  if ((method & 15) !== 8 || (256 * method + flags) % 31 !== 0) {
    throw new StriaError('corrupt', 'the MetaImage header promises compressed voxels, but none follow it');
  }
  return inflatedBytes(stream, start, header.compressedBytes ?? Number.MAX_SAFE_INTEGER);
}

/** The header, changed for uncompressed voxels. */
function uncompressedHeader(text: MhaText, dataFile: string | undefined): Uint8Array {
  const values = new Map<string, string | undefined>([
    ['compresseddata', 'False'],
    ['compresseddatasize', undefined],
  ]);
  if (dataFile !== undefined) {
    values.set('elementdatafile', dataFile);
    values.set('headersize', undefined);
  }
  return withMhaFields(text, values);
}

function part(name: string, before: Uint8Array, hasVoxels: boolean, after: Uint8Array = new Uint8Array()): SourcePart {
  return { name, before, hasVoxels, after };
}

function mhaVolume(
  stream: ByteStream,
  start: number,
  { info, endian, stored }: MhaHeader,
  parts: (after: Uint8Array) => SourcePart[],
): OpenVolume {
  return volumeAt({ info, format: 'mha', endian, stream, start, parts }, stored);
}
