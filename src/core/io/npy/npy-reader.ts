import { diagonalAffine } from '../common/affine.ts';
import { nameWithoutGzip, openBytes } from '../common/byte-stream.ts';
import { sampleChannels, volumeAt } from '../common/stored-volume.ts';
import { readBefore } from '../common/streamed-volume.ts';
import type { VolumeReader } from '../common/volume-reader.ts';
import { isNpy, npyHeaderLimit, parseNpyHeader } from './npy-header.ts';

/**
 * NumPy's `.npy`, versions 1 to 3, in C and Fortran order. The fastest axis is x. Axes after the fourth are folded into t. Bools
 * become u8, half floats f32, 64-bit integers those of 32 bits. There is no geometry, so voxels are 1 apart.
 */
export const npyReader: VolumeReader = {
  format: 'npy',

  recognises(name, head) {
    return isNpy(head) || /\.npy(\.gz)?$/i.test(name);
  },

  /** @throws StriaError `corrupt`, `unsupported`, `aborted` */
  async open(source, options) {
    const stream = await openBytes(source, options);
    const head = await stream.read(0, npyHeaderLimit, options);
    const { dims, type, endian, stored, channelCount, start } = parseNpyHeader(head, options.axes);
    const before = await readBefore(stream, start, options);
    const name = nameWithoutGzip(source.name);
    const place = {
      info: {
        dims,
        type,
        spacing: [1, 1, 1, 1],
        spatialUnit: 'unknown',
        timeUnit: 'unknown',
        affine: diagonalAffine([1, 1, 1]),
        slope: 1,
        intercept: 0,
        ...(channelCount > 1 && { channels: sampleChannels(channelCount, type) }),
      },
      format: 'npy',
      endian,
      stream,
      start,
      parts: (after: Uint8Array) => [{ name, before, hasVoxels: true, after }],
    } as const;
    return volumeAt(place, stored);
  },
};
