import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { storedBytes } from '../../shared/stored-voxels.ts';
import { type ByteStream, nameWithoutGzip, openBytes, readWhole } from '../common/byte-stream.ts';
import { findSibling } from '../common/siblings.ts';
import { volumeAt } from '../common/stored-volume.ts';
import { beforeLimit, readBefore } from '../common/streamed-volume.ts';
import type { OpenOptions, OpenVolume, VolumeReader } from '../common/volume-reader.ts';
import { isNiftiHeader, type NiftiHeader, parseNiftiHeader } from './nifti-header.ts';
import { nifti2 } from './nifti-layout.ts';

/**
 * NIfTI-1 and NIfTI-2 in both byte orders: `.nii`, and `.hdr` with its `.img`, gzipped or not. Axes 5 to 7 are folded into t.
 * Opening an `.img` finds its `.hdr`.
 */
export const niftiReader: VolumeReader = {
  format: 'nifti',

  recognises(name, head) {
    if (/\.(nii|hdr|img)(\.gz)?$/i.test(name)) return true;
    return isNiftiHeader(head);
  },

  /** @throws StriaError `corrupt`, `unsupported`, `not-readable` (a file of the pair is missing), `aborted` */
  async open(source, options) {
    const stream = await openBytes(source, options);
    const head = await stream.read(0, nifti2.headerBytes, options);
    if (isImage(source.name) && !isNiftiHeader(head)) {
      const header = await findSibling(source.name, siblingNames(source.name, 'hdr'), options);
      return openPair(header, source, options);
    }
    const header = parseNiftiHeader(head);
    if (header.format === 'analyze' && isSingle(source.name)) {
      throw new StriaError('corrupt', 'the NIfTI-1 header lacks its magic number');
    }
    if (header.isPair) return openPair(source, undefined, options);
    const start = await startOf(header, stream, options);
    const before = await readBefore(stream, start, options);
    const name = nameWithoutGzip(source.name);
    const { info, endian, stored } = header;
    const parts = (after: Uint8Array) => [{ name, before, hasVoxels: true, after }];
    return volumeAt({ info, format: 'nifti', endian, stream, start, parts }, stored);
  },
};

/**
 * The offset of the first voxel of a single file. If the header gives none, the voxels follow the extension flag, or the header itself if
 * the file is too short for a flag. @throws StriaError `corrupt` if extensions of unknown length lie in between
 */
async function startOf(
  { voxOffset, headerBytes, info, stored }: NiftiHeader,
  stream: ByteStream,
  options: JobOptions,
): Promise<number> {
  if (voxOffset > 0) return voxOffset;
  if (stream.size === headerBytes + storedBytes(info, stored)) return headerBytes;
  const [hasExtensions = 0] = await stream.read(headerBytes, 1, options);
  if (hasExtensions !== 0) throw new StriaError('corrupt', 'the header has extensions, but does not say where the voxels begin');
  return headerBytes + 4;
}

async function openPair(
  headerSource: ByteSource,
  image: ByteSource | undefined,
  options: OpenOptions & JobOptions,
): Promise<OpenVolume> {
  const headerStream = await openBytes(headerSource, options);
  const header = parseNiftiHeader(await headerStream.read(0, nifti2.headerBytes, options));
  if (!header.isPair)
    throw new StriaError('corrupt', `${headerSource.name} is not the header of a pair: it holds the voxels itself`);
  const imageSource = image ?? (await findSibling(headerSource.name, siblingNames(headerSource.name, 'img'), options));
  const headerBytes = await readWhole(headerStream, beforeLimit, options);
  const stream = await openBytes(imageSource, options);
  const before = await readBefore(stream, header.voxOffset, options);
  const { info, endian, format, stored } = header;
  const parts = (after: Uint8Array) => [
    { name: nameWithoutGzip(headerSource.name), before: headerBytes, hasVoxels: false, after: new Uint8Array() },
    { name: nameWithoutGzip(imageSource.name), before, hasVoxels: true, after },
  ];
  return volumeAt({ info, format, endian, stream, start: header.voxOffset, parts }, stored);
}

function isSingle(name: string): boolean {
  return /\.nii(\.gz)?$/i.test(name);
}

function isImage(name: string): boolean {
  return /\.img(\.gz)?$/i.test(name);
}

/** `scan.img` and `scan.img.gz` for `scan.hdr`: gzip first if the given file is gzip, in the letter case of the given file. */
function siblingNames(name: string, extension: string): string[] {
  const plainName = nameWithoutGzip(name);
  const stem = plainName.replace(/\.[^.]*$/, '');
  const plain = `${stem}.${/\.[A-Z]+$/.test(plainName) ? extension.toUpperCase() : extension}`;
  return plainName === name ? [plain, `${plain}.gz`] : [`${plain}.gz`, plain];
}
