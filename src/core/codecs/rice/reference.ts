import { chunkBytes } from '../../codec/batch.ts';
import { brickCount, cut, indicesOf, planesOf } from '../../codec/bricks.ts';
import type { ReferenceCodec } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';
import { decodeBrick, encodeBrick } from './brick.ts';
import { brickLayouts, directoryBytes, geometryOf, mostBrickWords, parseForm } from './layout.ts';

export const reference: ReferenceCodec = {
  encode(chunk, parameters) {
    const form = parseForm(parameters);
    const { bytes, shape, elementBytes } = chunk;
    const length = chunkBytes(chunk);
    if (bytes.byteLength !== length) throw new StriaError('internal', `a chunk of ${length} bytes was given ${bytes.byteLength}`);
    const { planes, bits } = planesOf(elementBytes);
    const geometry = geometryOf(form, elementBytes);

    // 'If a brick has two planes, the low one comes first in both.'
    const bricks: Uint8Array[] = [];
    const layoutOf = brickLayouts(geometry);
    for (const part of cut(shape, geometry.brick)) {
      const indices = indicesOf(part, shape);
      for (let plane = 0; plane < planes; plane++) {
        const elements = new Uint16Array(indices.length);
        for (let i = 0; i < elements.length; i++) {
          elements[i] = readPlane(bytes, (indices[i] as number) * elementBytes + 2 * plane, bits);
        }
        bricks.push(encodeBrick(elements, layoutOf(part.extent), bits, form));
      }
    }
    const directory = directoryBytes(bricks.length);
    const payload = new Uint8Array(bricks.reduce((sum, brick) => sum + brick.byteLength, directory));
    let at = directory;
    for (const [i, brick] of bricks.entries()) {
      writePlane(payload, 2 * i, 16, brick.byteLength / 4);
      payload.set(brick, at);
      at += brick.byteLength;
    }
    return payload;
  },

  decode(payload, chunk, parameters) {
    const form = parseForm(parameters);
    const length = chunkBytes(chunk);
    const { shape, elementBytes } = chunk;
    const { planes, bits } = planesOf(elementBytes);
    const geometry = geometryOf(form, elementBytes);
    const entries = brickCount(chunk, geometry) * planes;
    let start = directoryBytes(entries);
    if (payload.byteLength < start)
      throw corrupt(`payload ends after ${payload.byteLength} bytes, in its directory of ${start} bytes`);

    for (let at = 2 * entries; at < start; at++) {
      if (payload[at] !== 0) throw corrupt('directory ends in nonzero bytes');
    }

    const bytes = new Uint8Array(length);
    const layoutOf = brickLayouts(geometry);
    for (const [i, part] of cut(shape, geometry.brick).entries()) {
      const indices = indicesOf(part, shape);
      for (let plane = 0; plane < planes; plane++) {
        const entry = 2 * (i * planes + plane);
        const words = readPlane(payload, entry, 16);
        const end = start + 4 * words;
        if (words > mostBrickWords) throw corrupt(`brick ${i} has ${words} words; the maximum is ${mostBrickWords}`);
        if (end > payload.byteLength) throw corrupt(`payload ends after ${payload.byteLength} bytes; brick ${i} ends at ${end}`);
        const elements = decodeBrick(payload.subarray(start, end), layoutOf(part.extent), bits, form);
        for (let j = 0; j < elements.length; j++) {
          writePlane(bytes, (indices[j] as number) * elementBytes + 2 * plane, bits, elements[j] as number);
        }
        start = end;
      }
    }
    if (start !== payload.byteLength) throw corrupt(`payload has ${payload.byteLength} bytes; its bricks end at ${start}`);
    return bytes;
  },
};

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the rice ${what}`);
}

function readPlane(bytes: Uint8Array, at: number, bits: 8 | 16): number {
  const low = bytes[at] as number;
  return bits === 8 ? low : low | ((bytes[at + 1] as number) << 8);
}

function writePlane(bytes: Uint8Array, at: number, bits: 8 | 16, value: number): void {
  bytes[at] = value;
  if (bits === 16) bytes[at + 1] = value >> 8;
}
