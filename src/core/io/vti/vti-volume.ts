import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { volumeBytes } from '../../shared/volume.ts';
import { nameWithoutGzip, openBytes } from '../common/byte-stream.ts';
import { storedVolume } from '../common/stored-volume.ts';
import { readBefore, streamedVolume } from '../common/streamed-volume.ts';
import type { OpenOptions, OpenVolume } from '../common/volume-reader.ts';
import { parseVtiHeader } from './vti-header.ts';
import { decodedValues, textValues } from './vti-values.ts';
import { vtiFooter, vtiHeader } from './vti-writer.ts';
import { readVtiMarkup } from './vti-xml.ts';

/** @throws StriaError `corrupt`, `unsupported`, `aborted` */
export async function openVti(source: ByteSource, options: OpenOptions & JobOptions): Promise<OpenVolume> {
  const stream = await openBytes(source, options);
  const markup = await readVtiMarkup(stream, options);
  const { info, endian, components, lengthBytes, isZlib } = parseVtiHeader(markup);
  const { array, appended } = markup;
  const format = array.attributes.format ?? 'ascii';
  const name = nameWithoutGzip(source.name);
  const total = volumeBytes(info);
  const stored = components > 1 ? { samples: components } : undefined;
  const opened = (place: Parameters<typeof streamedVolume>[0]) => (stored ? storedVolume(place, stored) : streamedVolume(place));
  const rewritten = (order: typeof endian) => () => [
    { name, before: vtiHeader(info, order), hasVoxels: true, after: vtiFooter() },
  ];
  if (format === 'ascii') {
    const values = textValues(stream, array.contentAt, info.type);
    return opened({ info, format: 'vti', endian: 'little', stream: values, start: 0, parts: rewritten('little') });
  }
  if (format !== 'binary' && format !== 'appended') throw new StriaError('corrupt', `VTK has no format '${format.slice(0, 60)}'`);
  const isBase64 = appended === undefined || appended.encoding !== 'raw';
  if (appended && isBase64 && appended.encoding !== 'base64') {
    throw new StriaError('corrupt', `VTK has no encoding '${appended.encoding.slice(0, 60)}'`);
  }
  const offset = Number(array.attributes.offset ?? 0);
  if (!Number.isSafeInteger(offset) || offset < 0) throw new StriaError('corrupt', `the VTK file's offset is '${offset}'`);
  const at = format === 'appended' ? (appended?.at ?? 0) + offset : await contentStart(array.contentAt);
  const values = await decodedValues(stream, at, total, { isBase64, isZlib, lengthBytes, endian }, options);
  if (isBase64 || isZlib) return opened({ info, format: 'vti', endian, stream: values, start: 0, parts: rewritten(endian) });
  const start = at + lengthBytes;
  const before = await readBefore(stream, start, options);
  return opened({ info, format: 'vti', endian, stream, start, parts: (after) => [{ name, before, hasVoxels: true, after }] });

  /** The first byte after line ends and spaces, because lengths of base64 count from its first letter. */
  async function contentStart(from: number): Promise<number> {
    const lead = await stream.read(from, 4096, options);
    const first = lead.findIndex((byte) => byte !== 0x20 && !(byte >= 9 && byte <= 13));
    return from + Math.max(0, first);
  }
}
