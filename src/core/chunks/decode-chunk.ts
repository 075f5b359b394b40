import { chunkBytes } from '../codec/batch.ts';
import type { ChunkGeometry } from '../codec/codec.ts';
import { decodeOnCpu } from '../codecs/on-cpu.ts';
import { checksum, sameChecksum } from '../format/checksum.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { codecOfChunk, mismatch } from './choose.ts';
import { fillRamp, rampOf } from './ramp.ts';

/** Decodes a chunk and checks its checksum. @throws StriaError `corrupt`, `unsupported` */
export function decodeChunk(chunk: EncodedChunk, geometry: ChunkGeometry): Uint8Array<ArrayBuffer> {
  const voxels = decodeUnchecked(chunk, geometry, (byteLength) => new Uint8Array(byteLength));
  if (!sameChecksum(checksum(voxels, geometry.shape[0] * geometry.elementBytes), chunk.decodedChecksum)) throw mismatch();
  return voxels.byteLength === voxels.buffer.byteLength ? voxels : voxels.slice();
}

/**
 * Decodes a chunk without comparing its checksum.
 * @param take memory for the voxels of a chunk without payload
 * @returns voxels that are valid until the next chunk is decoded on this thread, because they may be in a codec's memory
 * @throws StriaError `corrupt`, `unsupported`
 */
export function decodeUnchecked(
  chunk: EncodedChunk,
  geometry: ChunkGeometry,
  take: (byteLength: number) => Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  if (chunk.kind === 'coded') {
    const { codec, parameters, second } = codecOfChunk(chunk, geometry);
    if (!second) return decodeOnCpu(codec, chunk.payload, geometry, parameters);
    const middle = { shape: [second.decodedLength, 1, 1], elementBytes: 1 } as const;
    const payload = decodeOnCpu(second.codec, chunk.payload, middle, second.parameters);
    // The payload may be in the codec's memory, which the same codec would overwrite.
    return decodeOnCpu(codec, second.codec === codec ? payload.slice() : payload, geometry, parameters);
  }
  const ramp = rampOf(chunk, geometry);
  const voxels = take(chunkBytes(geometry));
  fillRamp({ ...geometry, bytes: voxels }, ramp);
  return voxels;
}
