import { chunkBytes } from '../../codec/batch.ts';
import type { ChunkGeometry, ReferenceCodec } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';
import { blocksOf, checkParameters, directoryBytes, planesOf, planeType } from './layout.ts';
import { type Loops, plainLoops } from './loops.ts';
import { decodePart, encodePart } from './part.ts';

/** The codec by these loops. */
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
          const elements = new Uint16Array(extent[0] * extent[1] * extent[2]);
          let i = 0;
          forEachElement(chunk, origin, extent, plane, (at) => {
            elements[i++] = (chunk.bytes[at] as number) + (type.bits === 16 ? 256 * (chunk.bytes[at + 1] as number) : 0);
          });
          parts.push(encodePart(elements, extent, type, loops));
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
          let i = 0;
          forEachElement(chunk, origin, extent, plane, (at) => {
            const element = elements[i++] as number;
            bytes[at] = element;
            if (type.bits === 16) bytes[at + 1] = element >> 8;
          });
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

/** Calls `visit` with the byte offset of this plane in each of a block's elements: x fastest, then y, then z. */
function forEachElement(
  { shape, elementBytes }: ChunkGeometry,
  origin: readonly [number, number, number],
  extent: readonly [number, number, number],
  plane: number,
  visit: (at: number) => void,
): void {
  for (let z = origin[2]; z < origin[2] + extent[2]; z++) {
    for (let y = origin[1]; y < origin[1] + extent[1]; y++) {
      const first = (z * shape[1] + y) * shape[0] + origin[0];
      for (let x = first; x < first + extent[0]; x++) visit(x * elementBytes + 2 * plane);
    }
  }
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the wave payload ${what}`);
}
