import type { OpenVolume } from '../io/common/volume-reader.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import type { SourceDescription } from '../shared/source.ts';
import { type VolumeInfo, volumeBytes } from '../shared/volume.ts';

const pieceBytes = 2 ** 22;

/**
 * A volume whose voxels are in memory: little-endian, x fastest, then y, z, t.
 * @param source where it came from; default: a raw file of the voxels alone
 * @throws StriaError `invalid-input` when the bytes are not as many as the volume has
 */
export function memoryVolume(
  info: VolumeInfo,
  bytes: Uint8Array,
  source: SourceDescription = rawSource('volume.raw'),
): OpenVolume {
  if (bytes.byteLength !== volumeBytes(info)) {
    throw new StriaError('invalid-input', `a volume of ${volumeBytes(info)} bytes came as ${bytes.byteLength}`);
  }
  return {
    info,
    format: source.format,
    async *voxels({ signal } = {}) {
      for (let start = 0; start < bytes.byteLength; start += pieceBytes) {
        throwIfAborted(signal);
        yield bytes.slice(start, start + pieceBytes);
      }
    },
    source: async () => source,
  };
}

/** A little-endian raw file that is nothing but voxels. */
export function rawSource(name: string): SourceDescription {
  const nothing = new Uint8Array(0);
  return { format: 'raw', endian: 'little', parts: [{ name, before: nothing, hasVoxels: true, after: nothing }] };
}
