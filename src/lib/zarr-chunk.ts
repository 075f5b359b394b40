import type { EncodeChoice } from '../core/chunks/backend.ts';
import { decodeChunk } from '../core/chunks/decode-chunk.ts';
import type { ChunkGeometry, CodecElementBytes } from '../core/codec/codec.ts';
import { encodeChunk } from '../core/cpu/cpu-task-run.ts';
import { ByteBuilder, ByteCursor } from '../core/format/byte-cursor.ts';
import { checksum } from '../core/format/checksum.ts';
import type { EncodedChunk } from '../core/format/chunk.ts';
import { decodeStages, encodeStages } from '../core/format/chunk-record.ts';
import { StriaError } from '../core/shared/errors.ts';

// The bytes of a chunk: docs/ZARR.md.

const magic = Uint8Array.of(0x53, 0x54, 0x52, 0x5a); // STRZ
const version = 1;
const kinds = { constant: 0, coded: 1, ramp: 2 } as const;

/** The most bytes of a chunk's elements, as in the container. */
const mostBytes = 2 ** 24;

/**
 * A Zarr chunk as codecs see it: the last axis is x, the one before it y, all others together z. An element of more than 4 bytes becomes
 * several elements of 4 bytes, side by side along x.
 * @throws StriaError `unsupported` for chunks of more than 16 MiB
 */
export function zarrGeometry(shape: readonly number[], itemBytes: number): ChunkGeometry {
  const elementBytes = Math.min(4, itemBytes) as CodecElementBytes;
  const x = (shape.at(-1) ?? 1) * (itemBytes / elementBytes);
  const y = shape.at(-2) ?? 1;
  const z = shape.slice(0, -2).reduce((product, length) => product * length, 1);
  if (x * y * z * elementBytes > mostBytes || x * y * z === 0) {
    throw new StriaError(
      'unsupported',
      `stria takes chunks of 1 to ${mostBytes} bytes, not ${shape.join('×')} elements of ${itemBytes} bytes`,
    );
  }
  return { shape: [x, y, z], elementBytes };
}

/** @param bytes the elements in C order, little-endian */
export function encodeZarrChunk(
  bytes: Uint8Array<ArrayBuffer>,
  geometry: ChunkGeometry,
  choice: EncodeChoice,
): Uint8Array<ArrayBuffer> {
  const chunk = encodeChunk({ ...geometry, bytes }, choice);
  const builder = new ByteBuilder().bytes(magic).u8(version).u8(kinds[chunk.kind]).u8(geometry.elementBytes).u8(0);
  builder.checksum(chunk.decodedChecksum);
  if (chunk.kind === 'coded') return builder.bytes(encodeStages(chunk.stages)).bytes(chunk.payload).build();
  if (chunk.kind === 'ramp') {
    builder.u32(chunk.modulus);
    for (const step of chunk.steps) builder.bytes(new Uint8Array(Uint32Array.of(step).buffer, 0, geometry.elementBytes));
  }
  return builder.bytes(chunk.element).build();
}

/** The elements in C order, little-endian. @throws StriaError `corrupt`, `unsupported` */
export function decodeZarrChunk(bytes: Uint8Array, geometry: ChunkGeometry): Uint8Array<ArrayBuffer> {
  return decodeChunk(parse(bytes, geometry.elementBytes), geometry);
}

function parse(bytes: Uint8Array, width: number): EncodedChunk {
  const cursor = new ByteCursor(bytes, 'the chunk');
  if (cursor.bytes(4).some((byte, at) => byte !== magic[at])) throw cursor.corrupt('was not written by the codec stria');
  const found = cursor.u8();
  if (found !== version)
    throw new StriaError('unsupported', `the chunk has version ${found} of the codec stria; this reads ${version}`);
  const kind = cursor.u8();
  const [own, zero] = [cursor.u8(), cursor.u8()];
  if (own !== width || zero !== 0) throw cursor.corrupt(`has elements of ${own} bytes, but the array has elements of ${width}`);
  const decodedChecksum = cursor.checksum();
  if (kind === kinds.coded) {
    const stages = decodeStages(cursor);
    const payload = cursor.bytes(cursor.remaining);
    return { kind: 'coded', stages, payload, decodedChecksum, encodedChecksum: checksum(payload) };
  }
  let chunk: EncodedChunk;
  if (kind === kinds.constant) chunk = { kind: 'constant', element: cursor.bytes(width), decodedChecksum };
  else if (kind === kinds.ramp) {
    const modulus = cursor.u32();
    const step = () => cursor.bytes(width).reduce((sum, byte, at) => sum + byte * 2 ** (8 * at), 0);
    const steps = [step(), step(), step()] as const;
    chunk = { kind: 'ramp', modulus, steps, element: cursor.bytes(width), decodedChecksum };
  } else throw cursor.corrupt(`is of kind ${kind}, which version ${version} does not know`);
  cursor.zeros(0);
  return chunk;
}
