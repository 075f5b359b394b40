import type { ByteSource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import { openBytes, plainBytes } from './common/byte-stream.ts';
import type { OpenOptions, OpenVolume, VolumeReader } from './common/volume-reader.ts';
import { niftiReader } from './nifti/nifti-reader.ts';
import { nrrdReader } from './nrrd/nrrd-reader.ts';
import { pngReader, tiffReader } from './pictures/picture-readers.ts';
import { findRawLayout, openRaw } from './raw/raw-reader.ts';
import { unrecognised } from './unrecognised.ts';

/** By content and name. Raw files have neither, so they come last. */
const readers: readonly VolumeReader[] = [niftiReader, nrrdReader, pngReader, tiffReader];

const headBytes = 4096;

/**
 * Opens a volume: reads its header, and leaves its voxels to be streamed. `options.raw` makes any file raw; else the format
 * is found by the first bytes (gunzipped if they are gzip), by the name, by a sidecar beside it.
 * @throws StriaError `unsupported` for what Stria does not read, `corrupt`, `invalid-input`, `not-readable`, `aborted`.
 * Messages do not name the source: its caller does
 */
export async function openVolume(source: ByteSource, options: OpenOptions & JobOptions = {}): Promise<OpenVolume> {
  if (options.raw !== undefined) return openRaw(source, { layout: options.raw }, options);
  const head = await readHead(source, options);
  // An empty file is none of any format, whatever its name says.
  const reader = readers.find((candidate) => head.byteLength > 0 && candidate.recognises(source.name, head));
  if (reader !== undefined) return reader.open(source, options);
  const found = await findRawLayout(source, options);
  if (found !== undefined) return openRaw(source, found, options);
  throw unrecognised(source.name, head);
}

async function readHead(source: ByteSource, options: JobOptions): Promise<Uint8Array> {
  try {
    return await (await openBytes(source, options)).read(0, headBytes, options);
  } catch (error) {
    // Raw voxels may begin like gzip by chance.
    if (/\.gz$/i.test(source.name) || !(error instanceof StriaError) || error.tag !== 'corrupt') throw error;
    return plainBytes(source).read(0, headBytes, options);
  }
}
