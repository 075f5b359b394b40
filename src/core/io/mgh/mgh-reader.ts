import type { JobOptions } from '../../shared/job.ts';
import { type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import type { ByteStream } from '../common/byte-stream.ts';
import { openBytes } from '../common/byte-stream.ts';
import { readBefore, streamedVolume } from '../common/streamed-volume.ts';
import type { VolumeReader } from '../common/volume-reader.ts';
import { isMgh, mghHeaderBytes, parseMghHeader } from './mgh-header.ts';

/** FreeSurfer's MGH, and MGZ, which is MGH gzipped. What follows the voxels (scan parameters, tags) is kept. */
export const mghReader: VolumeReader = {
  format: 'mgh',

  recognises(name, head) {
    return /\.(mgh|mgz|mgh\.gz)$/i.test(name) || isMgh(head);
  },

  /** @throws StriaError `corrupt`, `unsupported`, `aborted` */
  async open(source, options) {
    const stream = await openBytes(source, options);
    const info = parseMghHeader(await stream.read(0, mghHeaderBytes, options));
    const before = await readBefore(stream, mghHeaderBytes, options);
    const name = source.name.replace(/\.mgz$/i, '.mgh').replace(/\.gz$/i, '');
    return streamedVolume({
      info: info.dims[3] > 1 ? await withTimeStep(info, stream, options) : info,
      format: 'mgh',
      endian: 'big',
      stream,
      start: mghHeaderBytes,
      parts: (after) => [{ name, before, hasVoxels: true, after }],
    });
  },
};

/** The repetition time, in milliseconds, is the first number after the voxels. In an MGZ this requires unpacking the whole file. */
async function withTimeStep(info: VolumeInfo, stream: ByteStream, options: JobOptions): Promise<VolumeInfo> {
  const at = mghHeaderBytes + volumeBytes(info);
  if (at > stream.sizeLimit) return info;
  const bytes = await stream.read(at, 4, options);
  const step = bytes.byteLength < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0);
  if (!(step > 0 && step < Infinity)) return info;
  const [x, y, z] = info.spacing;
  return { ...info, spacing: [x, y, z, step], timeUnit: 'ms' };
}
