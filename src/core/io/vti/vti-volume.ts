import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError, toStriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { storedBytes } from '../../shared/stored-voxels.ts';
import { type ByteStream, nameWithoutGzip, openBytes } from '../common/byte-stream.ts';
import { volumeAt } from '../common/stored-volume.ts';
import { afterLimit, beforeLimit, readBefore } from '../common/streamed-volume.ts';
import type { VolumeEntry } from '../common/volume-entry.ts';
import type { OpenOptions, OpenVolume } from '../common/volume-reader.ts';
import { parseVtiHeader } from './vti-header.ts';
import { decodedValues, textValues } from './vti-values.ts';
import { vtiFooter, vtiHeader } from './vti-writer.ts';
import { readVtiMarkup, type VtiArray, type VtiMarkup } from './vti-xml.ts';

/** The arrays of a file. The active scalars are opened unless another is named. @throws StriaError `corrupt`, `unsupported`, `aborted` */
export async function vtiEntries(source: ByteSource, options: JobOptions): Promise<readonly VolumeEntry[]> {
  const stream = await openBytes(source, options);
  const markup = await readVtiMarkup(stream, options);
  const [active] = markup.active;
  // A file with one array gives its own reason for not being read.
  if (markup.arrays.length === 1) parseVtiHeader(markup, markup.arrays[0] as VtiArray);
  return markup.arrays.map((array, number) => {
    const { Name: name = '', type = '', format = 'ascii' } = array.attributes;
    const label = name || `array ${number + 1}`;
    const kind = array.isOfCells ? 'cells' : 'points';
    const open = (opening: OpenOptions & JobOptions) => openArray(source, stream, markup, array, opening);
    const entry = { id: label, label, group: [], details: `${kind} · ${format}`, open };
    const alternative = active !== undefined && array !== active && { isAlternative: true };
    try {
      const { info, components } = parseVtiHeader(markup, array);
      const shape = [...info.dims.slice(0, 3).reverse(), ...(components > 1 ? [components] : [])];
      return { ...entry, shape, type: info.type, ...alternative };
    } catch (error) {
      return { ...entry, shape: [], type, problem: toStriaError(error).message, ...alternative };
    }
  });
}

async function openArray(
  source: ByteSource,
  stream: ByteStream,
  markup: VtiMarkup,
  array: VtiArray,
  options: OpenOptions & JobOptions,
): Promise<OpenVolume> {
  const { info, endian, stored, lengthBytes, isZlib } = parseVtiHeader(markup, array);
  const { appended } = markup;
  const format = array.attributes.format ?? 'ascii';
  const name = nameWithoutGzip(source.name);
  const total = storedBytes(info, stored);
  const rewritten = (order: typeof endian) => () => [
    { name, before: vtiHeader(info, order, stored), hasVoxels: true, after: vtiFooter() },
  ];
  if (format === 'ascii') {
    const values = textValues(stream, array.contentAt, info.type, stored?.as);
    return volumeAt({ info, format: 'vti', endian: 'little', stream: values, start: 0, parts: rewritten('little') }, stored);
  }
  if (format !== 'binary' && format !== 'appended') throw new StriaError('corrupt', `VTK has no format '${format.slice(0, 60)}'`);
  if (format === 'appended' && !appended) {
    throw new StriaError('corrupt', 'the VTK file has no appended data, which should hold its values');
  }
  const isBase64 = appended === undefined || appended.encoding !== 'raw';
  if (appended && isBase64 && appended.encoding !== 'base64') {
    throw new StriaError('corrupt', `VTK has no encoding '${appended.encoding.slice(0, 60)}'`);
  }
  const offset = Number(array.attributes.offset ?? 0);
  if (!Number.isSafeInteger(offset) || offset < 0) throw new StriaError('corrupt', `the VTK file's offset is '${offset}'`);
  const at = format === 'appended' ? (appended?.at ?? 0) + offset : await contentStart(array.contentAt);
  const values = await decodedValues(stream, at, total, { isBase64, isZlib, lengthBytes, endian }, options);
  // Other arrays, too large to be kept verbatim beside this one.
  const besides = Math.max(at - beforeLimit, source.size - at - total - afterLimit);
  const isOneOfMany = markup.arrays.length > 1 && besides > 0;
  if (isBase64 || isZlib || isOneOfMany)
    return volumeAt({ info, format: 'vti', endian, stream: values, start: 0, parts: rewritten(endian) }, stored);
  const start = at + lengthBytes;
  const before = await readBefore(stream, start, options);
  return volumeAt(
    { info, format: 'vti', endian, stream, start, parts: (after) => [{ name, before, hasVoxels: true, after }] },
    stored,
  );

  /** The first byte after line ends and spaces, because lengths of base64 count from its first letter. */
  async function contentStart(from: number): Promise<number> {
    const lead = await stream.read(from, 4096, options);
    const first = lead.findIndex((byte) => byte !== 0x20 && !(byte >= 9 && byte <= 13));
    return from + Math.max(0, first);
  }
}
