import { StriaError } from '../../shared/errors.ts';
import { crc32 } from '../common/crc32.ts';

export const pngSignature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Length, type and CRC of a chunk. */
export const chunkFrameBytes = 12;

export interface PngChunk {
  readonly type: string;
  readonly data: Uint8Array;
  /** The chunk as in the file, with length, type and CRC. */
  readonly whole: Uint8Array;
}

/** The contents of IHDR. */
export interface PngHeader {
  readonly width: number;
  readonly height: number;
  /** Bits of a sample, or of an index into the palette. */
  readonly bitDepth: number;
  readonly colourType: 0 | 2 | 3 | 4 | 6;
  readonly isInterlaced: boolean;
}

/** The end of the signature and IHDR. */
export const pngHeaderBytes = pngSignature.byteLength + chunkFrameBytes + 13;

/** Bit depths by colour type. PNG specification (W3C), 11.2.1. */
const bitDepths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** Samples of a pixel by colour type. An index into a palette counts as one. */
const fileSamples = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

export function samplesInFile({ colourType }: PngHeader): number {
  return fileSamples[colourType];
}

/** Chunks of an animation. Without `acTL` before the pixels a file is not an animation, and they mean nothing (PNG, third edition). */
const animationChunks = ['acTL', 'fcTL', 'fdAT'];

/** Whether a chunk is ancillary (its first letter is in lower case) and does not belong to an animation. */
export function isMetadata(type: string): boolean {
  return /^[a-z]/.test(type) && !animationChunks.includes(type);
}

export function isPng(head: Uint8Array): boolean {
  return pngSignature.every((byte, at) => byte === head[at]);
}

/** @param head the file's first `pngHeaderBytes`, or more @throws StriaError `corrupt` */
export function parsePngHeader(head: Uint8Array): PngHeader {
  if (!isPng(head) || head.byteLength < pngHeaderBytes) throw new StriaError('corrupt', 'the PNG file ends within its header');
  const [chunk] = pngChunks(head.subarray(0, pngHeaderBytes));
  if (chunk?.type !== 'IHDR' || chunk.data.byteLength !== 13) throw new StriaError('corrupt', 'the PNG file has no header');
  const view = new DataView(chunk.data.buffer, chunk.data.byteOffset);
  const [bitDepth, colourType, compression, filter, interlace] = chunk.data.subarray(8);
  const isKnown = compression === 0 && filter === 0 && (interlace === 0 || interlace === 1);
  if (!isKnown || !bitDepths[colourType ?? -1]?.includes(bitDepth ?? 0)) {
    throw new StriaError('corrupt', `the PNG header is impossible: colour type ${colourType} with ${bitDepth} bits`);
  }
  return {
    width: view.getUint32(0),
    height: view.getUint32(4),
    bitDepth: bitDepth as number,
    colourType: colourType as PngHeader['colourType'],
    isInterlaced: interlace === 1,
  };
}

/**
 * The chunks after the signature, checked, up to IEND or the end of the bytes.
 * @throws StriaError `corrupt` for a chunk that is cut off or whose CRC is wrong
 */
export function* pngChunks(bytes: Uint8Array): Generator<PngChunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = pngSignature.byteLength; at < bytes.byteLength; ) {
    const rest = bytes.byteLength - at;
    const length = rest < chunkFrameBytes ? 0 : view.getUint32(at);
    if (length + chunkFrameBytes > rest) throw new StriaError('corrupt', `the PNG file ends within a chunk, at byte ${at}`);
    const whole = bytes.subarray(at, at + length + chunkFrameBytes);
    const type = String.fromCharCode(...whole.subarray(4, 8));
    if (crc32(whole.subarray(4, 8 + length)) !== view.getUint32(at + 8 + length)) {
      throw damagedChunk(type, at);
    }
    yield { type, data: whole.subarray(8, 8 + length), whole };
    if (type === 'IEND') return;
    at += whole.byteLength;
  }
}

export function damagedChunk(type: string, at: number): StriaError {
  return new StriaError('corrupt', `the PNG chunk ${JSON.stringify(type)} at byte ${at} is damaged: its checksum does not fit`);
}

/** A chunk with its length and CRC. */
export function encodePngChunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(data.byteLength + chunkFrameBytes);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.byteLength);
  chunk.set(new TextEncoder().encode(type), 4);
  chunk.set(data, 8);
  view.setUint32(8 + data.byteLength, crc32(chunk.subarray(4, 8 + data.byteLength)));
  return chunk;
}
