import { halvesOfFloats, packedNibbles, type StoredVoxels, storedWidth, widenedIntegers } from '../../shared/stored-voxels.ts';
import { type Endian, swapBytes } from '../../shared/volume.ts';
import { sampleBands } from './sample-bands.ts';
import type { SlabDecoder } from './slab-decoder.ts';

/** Decodes all voxels in the order and form of their source's file: interleaved samples, half floats, 64 bits, 4 bits. */
export async function writeStored(
  slabs: SlabDecoder,
  { samples: count, as }: StoredVoxels,
  endian: Endian,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const { volume } = slabs;
  const width = storedWidth(volume.type, as);
  for await (const { samples } of sampleBands(slabs, count).bands()) {
    slabs.throwIfAborted();
    const stored = samples.map((bytes) => {
      if (as === 'f16') return halvesOfFloats(bytes);
      if (as === 'i64' || as === 'u64') return widenedIntegers(bytes, as === 'i64');
      return as === 'u4' ? packedNibbles(bytes, volume.dims[0]) : bytes;
    });
    const bytes = count === 1 ? (stored[0] as Uint8Array) : sideBySide(stored, width);
    if (endian === 'big') swapBytes(bytes, width);
    await write(bytes);
  }
}

function sideBySide(samples: readonly Uint8Array[], width: number): Uint8Array {
  const length = samples[0]?.byteLength ?? 0;
  const bytes = new Uint8Array(length * samples.length);
  for (const [sample, from] of samples.entries()) {
    let to = sample * width;
    for (let at = 0; at < length; at += width, to += samples.length * width) {
      for (let byte = 0; byte < width; byte++) bytes[to + byte] = from[at + byte] as number;
    }
  }
  return bytes;
}
