import type { ByteSource } from '../../../shared/bytes.ts';
import { StriaError } from '../../../shared/errors.ts';
import type { JobOptions } from '../../../shared/job.ts';
import type { PixelElement } from '../parse/elements.ts';
import type { FrameReader, PixelPlace } from './frame-reader.ts';
import { unpackBits, voxelsOfNative } from './native.ts';
import { type PixelFormat, storedFrameBytes } from './pixel-format.ts';

/**
 * @param source the unpacked source from which the header was read
 * @throws StriaError `unsupported` for unsupported compressions; `corrupt` if there are fewer pixels than promised
 */
export async function openFrames(source: ByteSource, place: PixelPlace, job: JobOptions = {}): Promise<FrameReader> {
  checkReadable(place);
  const { element, format, syntax } = place;
  if (element.length !== undefined) return nativeFrames(source, element, format, syntax.isLittle);
  const { encapsulatedFrames } = await import('./encapsulated.ts');
  return encapsulatedFrames(source, place, job);
}

/** @throws StriaError `unsupported` for unsupported compressions; `corrupt` if there are fewer pixels than promised */
export function checkReadable(place: PixelPlace): void {
  const { syntax, element } = place;
  if (syntax.pixels === undefined) {
    throw new StriaError(
      'unsupported',
      `pixels compressed as ${syntax.name} (transfer syntax ${syntax.uid}) are not supported: convert them, for example with gdcmconv --raw`,
    );
  }
  checkFrames(place);
  if (element.length === undefined && syntax.pixels === 'native') {
    throw new StriaError('corrupt', `the pixels are in fragments, but the transfer syntax says ${syntax.name}`);
  }
}

/** Checks the number of frames before anything is allocated for them. @throws StriaError `corrupt` if the file is too short */
export function checkFrames({ format, element, fileSize }: PixelPlace): void {
  const { bitsAllocated, columns, rows, samples, frames } = format;
  const bits = columns * rows * samples * frames;
  const promised = bitsAllocated === 1 ? Math.ceil(bits / 8) : storedFrameBytes(format) * frames;
  const there = Math.max(0, Math.min(element.length ?? fileSize, fileSize - element.valueStart));
  if (element.length === undefined && frames * 8 > there) {
    throw new StriaError('corrupt', `the header promises ${frames} frames, but there are ${there} bytes`);
  }
  if (element.length !== undefined && promised > there) {
    throw new StriaError('corrupt', `the header promises ${promised} bytes of pixels, but there are ${there}`);
  }
}

function nativeFrames(source: ByteSource, element: PixelElement, format: PixelFormat, isLittle: boolean): FrameReader {
  const { bitsAllocated, columns, rows, samples } = format;
  const frameBytes = storedFrameBytes(format);
  const frameBits = columns * rows * samples;
  const there = Math.min(element.length ?? 0, source.size - element.valueStart);
  // Each big-endian word holds two pixels.
  const isPaired = !isLittle && bitsAllocated <= 8 && element.vr === 'OW';

  async function read(start: number, length: number, job?: JobOptions, into?: ArrayBuffer): Promise<Uint8Array<ArrayBuffer>> {
    const from = isPaired ? start - (start % 2) : start;
    const to = Math.min(there, isPaired ? start + length + ((start + length) % 2) : start + length);
    const memory = into && into.byteLength >= to - from ? into : undefined;
    const bytes = await source.read(element.valueStart + from, to - from, { ...job, into: memory });
    if (bytes.byteLength < to - from) throw new StriaError('not-readable', 'the file became shorter while it was read');
    if (!isPaired) return bytes;
    for (let at = 0; at + 1 < bytes.byteLength; at += 2) {
      [bytes[at], bytes[at + 1]] = [bytes[at + 1] as number, bytes[at] as number];
    }
    return bytes.slice(start - from, start - from + length);
  }

  return {
    async read(index, job, into) {
      if (bitsAllocated !== 1) return voxelsOfNative(await read(index * frameBytes, frameBytes, job, into), format, isLittle);
      const firstBit = index * frameBits;
      const firstByte = Math.floor(firstBit / 8);
      const bytes = await read(firstByte, Math.ceil((firstBit + frameBits) / 8) - firstByte, job);
      return { planes: [unpackBits(bytes, firstBit - 8 * firstByte, frameBits)], isExact: true };
    },
  };
}
