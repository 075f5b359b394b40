import { nameWithoutGzip, openBytes } from '../common/byte-stream.ts';
import { volumeAt } from '../common/stored-volume.ts';
import { readBefore } from '../common/streamed-volume.ts';
import type { VolumeReader } from '../common/volume-reader.ts';
import { isMrc, parseMrcHeader } from './mrc-header.ts';
import { mrcHeaderBytes } from './mrc-layout.ts';

/**
 * MRC and CCP4 maps, MRC2014 and older: modes 0, 1, 2, 6, 7, 12 (half floats, which become f32), 16 (RGB) and 101 (4 bits, which
 * become u8), extended headers, both byte orders.
 */
export const mrcReader: VolumeReader = {
  format: 'mrc',

  recognises(name, head) {
    return isMrc(head) || /\.(mrc|mrcs|ccp4)(\.gz)?$/i.test(name);
  },

  /** @throws StriaError `corrupt`, `unsupported`, `aborted` */
  async open(source, options) {
    const stream = await openBytes(source, options);
    const { info, endian, stored, start } = parseMrcHeader(await stream.read(0, mrcHeaderBytes, options));
    const before = await readBefore(stream, start, options);
    const name = nameWithoutGzip(source.name);
    const place = {
      info,
      format: 'mrc',
      endian,
      stream,
      start,
      parts: (after: Uint8Array) => [{ name, before, hasVoxels: true, after }],
    } as const;
    return volumeAt(place, stored);
  },
};
