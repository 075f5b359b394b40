import type { ByteSource } from '../../shared/bytes.ts';
import { toStriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { plainBytes } from '../common/byte-stream.ts';
import { parseHyperstack } from '../tiff/imagej.ts';
import { readDirectory, readTiffHeader, type TiffFile, type TiffTag, tagBytes } from '../tiff/tiff-directory.ts';
import { tiffTags } from '../tiff/tiff-tags.ts';

/** This much of a description is enough to identify its format. */
const startBytes = 4096;

/**
 * Whether the description of a TIFF file's first picture makes its pictures a series with several axes: OME-XML, or an ImageJ
 * hyperstack with channels. False for a broken file.
 * @throws StriaError `not-readable`, `aborted`
 */
export async function hasSeries(source: ByteSource, job: JobOptions): Promise<boolean> {
  try {
    const file = await readTiffHeader(source, job);
    const { tags } = await readDirectory(file, file.firstDirectory, job);
    const description = tags.get(tiffTags.description);
    if (description?.type !== 2) return false;
    const text = await startOf(file, description, job);
    return /<(\w+:)?OME[\s>]/.test(text) || (parseHyperstack(text)?.channels ?? 1) > 1;
  } catch (error) {
    const fault = toStriaError(error);
    if (fault.tag === 'corrupt' || fault.tag === 'unsupported') return false;
    throw fault;
  }
}

async function startOf({ source }: TiffFile, tag: TiffTag, job: JobOptions): Promise<string> {
  const bytes = tag.inline ?? (await plainBytes(source).read(tag.offset, Math.min(tagBytes(tag), startBytes), job));
  const text = new TextDecoder().decode(bytes);
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}
