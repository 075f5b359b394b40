import type { OpenVolume } from '../io/common/volume-reader.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { isWorthDeflating, type SourceDescription } from '../shared/source.ts';
import { type VolumeInfo, volumeBytes } from '../shared/volume.ts';

const pieceBytes = 2 ** 22;

/**
 * A volume whose voxels are in memory: little-endian, x fastest, then y, z, t.
 * @param source its description; default: a raw file of the voxels alone
 * @throws StriaError `invalid-input` if the byte count does not match the volume
 */
export function memoryVolume(
  info: VolumeInfo,
  bytes: Uint8Array,
  source: SourceDescription = rawSource('volume.raw'),
): OpenVolume {
  if (bytes.byteLength !== volumeBytes(info)) {
    throw new StriaError('invalid-input', `a volume of ${volumeBytes(info)} bytes was given ${bytes.byteLength}`);
  }
  return {
    info,
    format: source.format,
    stored: source.stored,
    deflatesSource: isWorthDeflating(source.format, source.parts),
    async *voxels({ signal } = {}) {
      for (let start = 0; start < bytes.byteLength; start += pieceBytes) {
        throwIfAborted(signal);
        yield bytes.slice(start, start + pieceBytes);
      }
    },
    source: async () => source,
  };
}

/** A little-endian raw file that contains only voxels. */
export function rawSource(name: string): SourceDescription {
  const nothing = new Uint8Array(0);
  return { format: 'raw', endian: 'little', parts: [{ name, before: nothing, hasVoxels: true, after: nothing }] };
}
