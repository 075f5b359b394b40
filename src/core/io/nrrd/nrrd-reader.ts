import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { SourcePart } from '../../shared/source.ts';
import { storedBytes } from '../../shared/stored-voxels.ts';
import {
  type ByteStream,
  gunzippedBytes,
  isGzip,
  joinBytes,
  nameWithoutGzip,
  openBytes,
  plainBytes,
  readWhole,
} from '../common/byte-stream.ts';
import { findSibling } from '../common/siblings.ts';
import { volumeAt } from '../common/stored-volume.ts';
import { beforeLimit, readBefore } from '../common/streamed-volume.ts';
import { startFromEnd } from '../common/text-header.ts';
import type { OpenOptions, OpenVolume, VolumeReader } from '../common/volume-reader.ts';
import { type NrrdHeader, parseNrrdHeader } from './nrrd-header.ts';
import { isNrrd, type NrrdText, nrrdHeaderLimit, parseNrrdText, withFields } from './nrrd-text.ts';

const gzippedFromEnd = 'a byte skip of -1 is not supported in a gzipped file; gunzip it first';

/**
 * NRRD, attached (`.nrrd`) and detached (`.nhdr` with one data file), encodings raw and gzip, both byte orders.
 *
 * The source's description is verbatim except for gzip: because it describes uncompressed voxels, the value of `encoding`
 * becomes `raw`, and a data file's name loses its `.gz`. The bytes that `line skip` and `byte skip` skip are kept before the
 * voxels.
 */
export const nrrdReader: VolumeReader = {
  format: 'nrrd',

  recognises(name, head) {
    return isNrrd(head) || /\.(nrrd|nhdr)(\.gz)?$/i.test(name);
  },

  /** @throws StriaError `corrupt`, `unsupported`, `not-readable` (the data file is missing), `aborted` */
  async open(source, options) {
    const stream = await openBytes(source, options);
    const text = parseNrrdText(await stream.read(0, nrrdHeaderLimit, options));
    const header = parseNrrdHeader(text);
    return header.dataFile === undefined
      ? openAttached(source, stream, text, header, options)
      : openDetached(source, stream, text, header, header.dataFile, options);
  },
};

async function openAttached(
  source: ByteSource,
  stream: ByteStream,
  text: NrrdText,
  header: NrrdHeader,
  options: JobOptions,
): Promise<OpenVolume> {
  const voxels = await findVoxels(stream, text.bytes.byteLength, header, options);
  const name = nameWithoutGzip(source.name);
  const before = joinBytes([uncompressedHeader(text, header), voxels.skipped]);
  return nrrdVolume(voxels, header, (after) => [{ name, before, hasVoxels: true, after }]);
}

async function openDetached(
  source: ByteSource,
  stream: ByteStream,
  text: NrrdText,
  header: NrrdHeader,
  dataFile: string,
  options: OpenOptions & JobOptions,
): Promise<OpenVolume> {
  const data = await findSibling(source.name, [dataFile], options);
  const whole = await readWhole(stream, nrrdHeaderLimit, options);
  const headerPart: SourcePart = {
    name: nameWithoutGzip(source.name),
    before: joinBytes([uncompressedHeader(text, header), whole.subarray(text.bytes.byteLength)]),
    hasVoxels: false,
    after: new Uint8Array(),
  };
  const voxels = await findVoxels(plainBytes(data), 0, header, options);
  const name = header.isGzip ? nameWithoutGzip(dataFile) : dataFile;
  return nrrdVolume(voxels, header, (after) => [headerPart, { name, before: voxels.skipped, hasVoxels: true, after }]);
}

/** A header for uncompressed voxels: unchanged if they already were. */
function uncompressedHeader(text: NrrdText, header: NrrdHeader): Uint8Array {
  if (!header.isGzip) return text.bytes;
  const values = new Map([['encoding', 'raw']]);
  const dataFile = text.fields.get('datafile')?.value;
  if (dataFile !== undefined) values.set('datafile', nameWithoutGzip(dataFile));
  return withFields(text, values);
}

interface FoundVoxels {
  readonly stream: ByteStream;
  readonly start: number;
  /** The uncompressed bytes between the header (or the start of the data file) and the voxels. */
  readonly skipped: Uint8Array;
}

/** @param from the end of the header in `stream`, 0 for a data file */
async function findVoxels(stream: ByteStream, from: number, header: NrrdHeader, options: JobOptions): Promise<FoundVoxels> {
  const behindLines = await skipLines(stream, from, header.lineSkip, options);
  const lines = await stream.read(from, behindLines - from, options);
  if (header.isGzip) {
    if (!isGzip(await stream.read(behindLines, 2, options))) {
      throw new StriaError('corrupt', 'the NRRD header says gzip, but the data is not gzip');
    }
    const content = gunzippedBytes(stream, behindLines);
    const skipped = await readBefore(content, header.byteSkip, options);
    return { stream: content, start: header.byteSkip, skipped: joinBytes([lines, skipped]) };
  }
  const start =
    header.byteSkip < 0
      ? startFromEnd(stream, behindLines, storedBytes(header.info, header.stored), gzippedFromEnd)
      : behindLines + header.byteSkip;
  return { stream, start, skipped: (await readBefore(stream, start, options)).subarray(from) };
}

async function skipLines(stream: ByteStream, from: number, count: number, options: JobOptions): Promise<number> {
  if (count === 0) return from;
  let left = count;
  let at = from;
  for await (const piece of stream.pieces(from, options)) {
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, end + 1)) {
      left--;
      if (left === 0) return at + end + 1;
    }
    at += piece.byteLength;
    if (at - from > beforeLimit) break;
  }
  throw new StriaError('corrupt', `the NRRD header skips ${count} lines, but there are only ${count - left}`);
}

function nrrdVolume(voxels: FoundVoxels, header: NrrdHeader, parts: (after: Uint8Array) => SourcePart[]): OpenVolume {
  const { info, endian, stored } = header;
  const { stream, start } = voxels;
  return volumeAt({ info, format: 'nrrd', endian, stream, start, parts }, stored);
}
