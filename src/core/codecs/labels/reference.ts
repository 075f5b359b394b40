import { chunkBytes, readElement } from '../../codec/batch.ts';
import type { ChunkGeometry, CodecElementBytes, ReferenceCodec } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { decodeBrick, encodeBrick } from './brick.ts';
import { brickCount, brickKinds, checkParameters, directoryBytes, forEachBrick, lengthBitsOf } from './layout.ts';

export const reference: ReferenceCodec = {
  encode(chunk, parameters) {
    checkParameters(parameters);
    const { bytes, shape, elementBytes } = chunk;
    const length = chunkBytes(chunk);
    if (bytes.byteLength !== length) throw new StriaError('internal', `a chunk of ${length} bytes was given ${bytes.byteLength}`);

    const kinds: number[] = [];
    const bricks: Uint8Array[] = [];
    let before: number | undefined;
    forEachBrick(shape, (origin, extent) => {
      const elements = new Uint32Array(extent[0] * extent[1] * extent[2]);
      let i = 0;
      forEachElement(origin, extent, chunk, (at) => {
        elements[i++] = readElement(bytes, at, elementBytes);
      });
      const first = elements[0] as number;
      if (elements.every((element) => element === first)) {
        // 'all elements are the first element of the brick before this one'
        const isAsBefore = first === before;
        kinds.push(isAsBefore ? brickKinds.asBefore : brickKinds.oneLabel);
        bricks.push(isAsBefore ? new Uint8Array(0) : bytesOf(elements.subarray(0, 1), elementBytes));
      } else {
        const coded = encodeBrick({ elements, extent }, elementBytes);
        kinds.push(coded ? brickKinds.coded : brickKinds.raw);
        bricks.push(coded ?? bytesOf(elements, elementBytes));
      }
      before = first;
    });
    return joined(kinds, bricks);
  },

  decode(payload, chunk, parameters) {
    checkParameters(parameters);
    const length = chunkBytes(chunk);
    const { shape, elementBytes } = chunk;
    const directory = readDirectory(payload, brickCount(chunk));
    const bytes = new Uint8Array(length);
    let start = directory.byteLength;
    let before: number | undefined;
    forEachBrick(shape, (origin, extent, number) => {
      const count = extent[0] * extent[1] * extent[2];
      const kind = directory.kindOf(number);
      let byteLength = 0;
      if (kind === brickKinds.oneLabel) byteLength = elementBytes;
      if (kind === brickKinds.coded) byteLength = directory.nextCodedLength();
      if (kind === brickKinds.raw) byteLength = count * elementBytes;
      const end = start + byteLength;
      if (end > payload.byteLength) throw corrupt(`ends after ${payload.byteLength} bytes; brick ${number} ends at ${end}`);
      const brick = payload.subarray(start, end);
      start = end;

      let elements: Uint32Array;
      if (kind === brickKinds.asBefore) {
        if (before === undefined) throw corrupt('begins with a brick that refers to a previous one');
        elements = new Uint32Array(count).fill(before);
      } else if (kind === brickKinds.oneLabel) {
        elements = new Uint32Array(count).fill(readElement(brick, 0, elementBytes));
      } else if (kind === brickKinds.coded) {
        elements = decodeBrick(brick, extent, elementBytes);
      } else {
        elements = Uint32Array.from({ length: count }, (_, i) => readElement(brick, i * elementBytes, elementBytes));
      }
      before = elements[0];
      let i = 0;
      forEachElement(origin, extent, chunk, (at) => {
        const element = elements[i++] as number;
        for (let byte = 0; byte < elementBytes; byte++) bytes[at + byte] = element >>> (8 * byte);
      });
    });
    if (start !== payload.byteLength) throw corrupt(`has ${payload.byteLength} bytes; its bricks end at ${start}`);
    return bytes;
  },
};

/** 'The directory, then the bricks, without gaps.' */
function joined(kinds: readonly number[], bricks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const lengths = bricks.filter((_, i) => kinds[i] === brickKinds.coded).map((brick) => brick.byteLength);
  const lengthBits = lengthBitsOf(lengths.reduce((longest, length) => Math.max(longest, length), 0));
  let at = directoryBytes(kinds.length, lengths.length, lengthBits);
  const payload = new Uint8Array(bricks.reduce((sum, brick) => sum + brick.byteLength, at));
  // The width of the lengths, the kind of each brick in two bits, the length of each coded brick.
  payload[0] = lengthBits;
  for (const [i, kind] of kinds.entries()) writeBits(payload, 8 + 2 * i, kind, 2);
  const firstLength = 8 * (1 + Math.ceil(kinds.length / 4));
  for (const [i, length] of lengths.entries()) writeBits(payload, firstLength + i * lengthBits, length, lengthBits);
  for (const brick of bricks) {
    payload.set(brick, at);
    at += brick.byteLength;
  }
  return payload;
}

function readDirectory(payload: Uint8Array, bricks: number) {
  const lengthBits = payload[0] ?? 0;
  const firstLength = 1 + Math.ceil(bricks / 4);
  const kindOf = (brick: number) => readBits(payload, 8 + 2 * brick, 2);
  let codedBricks = 0;
  if (payload.byteLength >= firstLength) {
    for (let brick = 0; brick < bricks; brick++) if (kindOf(brick) === brickKinds.coded) codedBricks++;
  }
  const byteLength = directoryBytes(bricks, codedBricks, lengthBits);
  if (lengthBits > 16 || payload.byteLength < byteLength) {
    throw corrupt(`has ${payload.byteLength} bytes and no valid directory of ${byteLength} bytes`);
  }
  const kindsEnd = 8 + 2 * bricks;
  const lengthsEnd = 8 * firstLength + lengthBits * codedBricks;
  if ((readBits(payload, kindsEnd, -kindsEnd & 7) | readBits(payload, lengthsEnd, -lengthsEnd & 7)) !== 0) {
    throw corrupt('has nonzero bits in its directory, after the kinds or the lengths');
  }
  let coded = 0;
  return {
    byteLength,
    kindOf,
    nextCodedLength: () => readBits(payload, 8 * firstLength + lengthBits * coded++, lengthBits),
  };
}

/** Calls `visit` with the byte offset in the chunk of each of a brick's elements: x fastest, then y, then z. */
function forEachElement(origin: Dims3, extent: Dims3, chunk: ChunkGeometry, visit: (at: number) => void): void {
  const { shape, elementBytes } = chunk;
  for (let z = origin[2]; z < origin[2] + extent[2]; z++) {
    for (let y = origin[1]; y < origin[1] + extent[1]; y++) {
      const first = (z * shape[1] + y) * shape[0] + origin[0];
      for (let index = first; index < first + extent[0]; index++) visit(index * elementBytes);
    }
  }
}

function bytesOf(elements: Uint32Array, elementBytes: CodecElementBytes): Uint8Array {
  const bytes = new Uint8Array(elements.length * elementBytes);
  for (const [i, element] of elements.entries()) {
    for (let byte = 0; byte < elementBytes; byte++) bytes[i * elementBytes + byte] = element >>> (8 * byte);
  }
  return bytes;
}

/** 'fields of several bits begin with their lowest bit' */
function writeBits(bytes: Uint8Array, at: number, value: number, count: number): void {
  for (let bit = 0; bit < count; bit++) {
    const byte = (at + bit) >> 3;
    bytes[byte] = (bytes[byte] as number) | (((value >> bit) & 1) << ((at + bit) & 7));
  }
}

function readBits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let bit = 0; bit < count; bit++) {
    value |= (((bytes[(at + bit) >> 3] as number) >> ((at + bit) & 7)) & 1) << bit;
  }
  return value;
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the labels payload ${what}`);
}
