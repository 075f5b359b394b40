import { chunkBytes } from '../../codec/batch.ts';
import type { ChunkGeometry, ChunkVoxels, ReferenceCodec } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { blocksOf, checkParameters, directoryBytes, planesOf, planeType } from './layout.ts';
import { type Loops, plainLoops } from './loops.ts';
import { decodePart, encodePart } from './part.ts';

/** The codec with these loops. */
export function codecBy(loops: Loops): ReferenceCodec {
  return {
    encode(chunk, parameters) {
      checkParameters(parameters);
      const length = chunkBytes(chunk);
      if (chunk.bytes.byteLength !== length) {
        throw new StriaError('internal', `a chunk of ${length} bytes came as ${chunk.bytes.byteLength}`);
      }
      const type = planeType(chunk.elementBytes);
      const parts: Uint8Array[] = [];
      for (const { origin, extent } of blocksOf(chunk)) {
        for (let plane = 0; plane < planesOf(chunk.elementBytes); plane++) {
          parts.push(encodePart(elementsOf(chunk, origin, extent, plane), extent, type, loops));
        }
      }
      return joined(parts);
    },

    decode(payload, chunk, parameters) {
      checkParameters(parameters);
      const length = chunkBytes(chunk);
      const planes = planesOf(chunk.elementBytes);
      const type = planeType(chunk.elementBytes);
      const blocks = blocksOf(chunk);
      const parts = cut(payload, blocks.length * planes);
      const bytes = new Uint8Array(length);
      for (const [number, { origin, extent }] of blocks.entries()) {
        for (let plane = 0; plane < planes; plane++) {
          const elements = decodePart(parts[number * planes + plane] as Uint8Array, extent, type, loops);
          place(elements, bytes, chunk, origin, extent, plane);
        }
      }
      return bytes;
    },
  };
}

export const reference: ReferenceCodec = codecBy(plainLoops);

/** SPEC.md, 'Payload'. */
function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let at = directoryBytes(parts.length);
  const payload = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, at));
  const view = new DataView(payload.buffer);
  for (const [i, part] of parts.entries()) {
    if (i < parts.length - 1) view.setUint32(4 * i, part.byteLength, true);
    payload.set(part, at);
    at += part.byteLength;
  }
  return payload;
}

function cut(payload: Uint8Array, count: number): Uint8Array[] {
  const { byteLength } = payload;
  let at = directoryBytes(count);
  if (byteLength < at) throw corrupt(`of ${byteLength} bytes ends within its lengths`);
  const view = new DataView(payload.buffer, payload.byteOffset, byteLength);
  return Array.from({ length: count }, (_, i) => {
    const end = i < count - 1 ? at + view.getUint32(4 * i, true) : byteLength;
    if (end > byteLength || end <= at) throw corrupt(`of ${byteLength} bytes has no part ${i} from byte ${at} to ${end}`);
    const part = payload.subarray(at, end);
    at = end;
    return part;
  });
}

/** One plane of a block's elements, with x fastest, then y, then z. */
function elementsOf(chunk: ChunkVoxels, origin: Dims3, extent: Dims3, plane: number): Uint16Array {
  const { bytes, elementBytes } = chunk;
  const elements = new Uint16Array(extent[0] * extent[1] * extent[2]);
  let i = 0;
  for (const row of rowsOf(chunk, origin, extent)) {
    const end = i + extent[0];
    if (elementBytes === 1) elements.set(bytes.subarray(row, row + extent[0]), i);
    else {
      for (let j = i, at = row + 2 * plane; j < end; j++, at += elementBytes) {
        elements[j] = (bytes[at] as number) + 256 * (bytes[at + 1] as number);
      }
    }
    i = end;
  }
  return elements;
}

/** Writes one plane of a block's elements into a chunk's bytes. */
function place(
  elements: Uint16Array,
  bytes: Uint8Array,
  chunk: ChunkGeometry,
  origin: Dims3,
  extent: Dims3,
  plane: number,
): void {
  const { elementBytes } = chunk;
  let i = 0;
  for (const row of rowsOf(chunk, origin, extent)) {
    const end = i + extent[0];
    if (elementBytes === 1) bytes.set(elements.subarray(i, end), row);
    else {
      for (let j = i, at = row + 2 * plane; j < end; j++, at += elementBytes) {
        const element = elements[j] as number;
        bytes[at] = element;
        bytes[at + 1] = element >> 8;
      }
    }
    i = end;
  }
}

/** The byte offset of each row of a block in its chunk. */
function* rowsOf({ shape, elementBytes }: ChunkGeometry, origin: Dims3, extent: Dims3): Generator<number> {
  for (let z = origin[2]; z < origin[2] + extent[2]; z++) {
    for (let y = origin[1]; y < origin[1] + extent[1]; y++) {
      yield elementBytes * ((z * shape[1] + y) * shape[0] + origin[0]);
    }
  }
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the wave payload ${what}`);
}
