import type { ByteSource } from '../../../shared/bytes.ts';
import { StriaError } from '../../../shared/errors.ts';
import type { JobOptions } from '../../../shared/job.ts';
import { elementBytes, typedVoxels } from '../../../shared/volume.ts';
import { type Codestream, readCodestream, withColorMarker, wrong } from '../../codestreams/codestream.ts';
import { decodePicture } from '../../codestreams/decoders.ts';
import { rgbFromYbr, type Samples, type StoredSamples, throughPalette } from './colors.ts';
import { findFragments, fragmentsOfFrames, readFragments } from './fragments.ts';
import type { FrameReader, PixelPlace } from './frame-reader.ts';
import { deinterleaved, thirds, type VoxelFrame } from './native.ts';
import { type PixelFormat, storedFrameBytes } from './pixel-format.ts';
import { decodeRle } from './rle.ts';

/** The limit for one unpacked frame. A few compressed bytes can promise any number of them. */
const frameLimit = 2 ** 28;

/** @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted` */
export async function encapsulatedFrames(source: ByteSource, place: PixelPlace, job: JobOptions): Promise<FrameReader> {
  const { format, syntax, element } = place;
  if (storedFrameBytes(format) > frameLimit) {
    throw new StriaError(
      'unsupported',
      `a compressed frame takes more than ${frameLimit / 2 ** 20} MiB: decompress the file first, for example with gdcmconv --raw`,
    );
  }
  const found = await findFragments(source, element.valueStart, job);
  const frames = fragmentsOfFrames(found, format.frames, place.frameOffsets);
  return {
    async read(index, frameJob = {}) {
      const bytes = await readFragments(source, frames[index] ?? [], frameJob);
      return syntax.pixels === 'rle' ? fromRle(bytes, format) : fromCodestream(readCodestream(bytes), format);
    },
  };
}

function fromRle(bytes: Uint8Array, format: PixelFormat): VoxelFrame {
  const { bitsAllocated, samples, columns, rows } = format;
  if (bitsAllocated !== 8 && bitsAllocated !== 16 && bitsAllocated !== 32) {
    throw new StriaError('unsupported', `RLE with ${bitsAllocated} bits is not supported`);
  }
  const planes = decodeRle(bytes, columns * rows, samples, (bitsAllocated / 8) as 1 | 2 | 4);
  return finish(planes, format, { bits: format.bitsStored, isYbr: isYbr(format), isSigned: false });
}

async function fromCodestream(stream: Codestream, format: PixelFormat): Promise<VoxelFrame> {
  const { columns, rows, samples } = format;
  if (stream.width !== columns || stream.height !== rows || stream.components !== samples) {
    throw wrong(
      `it is ${stream.width} × ${stream.height} of ${stream.components}, but the header says ${columns} × ${rows} of ${samples}`,
    );
  }
  const width = elementBytes(format.palette === undefined ? format.type : 'u8');
  if (stream.bits > 8 * width && format.palette === undefined) {
    throw wrong(`it has ${stream.bits} bits, but the header allocates ${format.bitsAllocated}`);
  }
  // libjpeg and the transforms of JPEG 2000 already give RGB.
  const isRgb =
    stream.kind === 'jpeg' || ((stream.kind === 'jpeg-2000' || stream.kind === 'htj2k') && format.photometric !== 'YBR_FULL');
  const isColorJpeg = stream.kind === 'jpeg' && samples === 3;
  const decoded = await decodePicture(isColorJpeg ? { ...stream, bytes: withColorMarker(stream.bytes, isYbr(format)) } : stream);
  const planes =
    samples === 1 ? [decoded.bytes] : decoded.isPlanar ? thirds(decoded.bytes) : deinterleaved(decoded.bytes, decoded.width);
  const wide = planes.map((plane) => widened(plane, decoded.width, format.bitsAllocated, stream.isSigned));
  return finish(wide, format, { bits: stream.bits, isYbr: !isRgb && isYbr(format), isSigned: stream.isSigned });
}

function isYbr({ photometric }: PixelFormat): boolean {
  return photometric.startsWith('YBR');
}

/** Samples widened to as many bytes as the header allocates. */
function widened(
  plane: Uint8Array<ArrayBuffer>,
  width: 1 | 2,
  bitsAllocated: number,
  isSigned: boolean,
): Uint8Array<ArrayBuffer> {
  if (width * 8 === bitsAllocated) return plane;
  const prefix = isSigned ? 'i' : 'u';
  const samples = typedVoxels(`${prefix}${8 * width}` as 'u8', plane);
  if (bitsAllocated === 16) return new Uint8Array((isSigned ? Int16Array : Uint16Array).from(samples as Uint8Array).buffer);
  if (bitsAllocated === 32) return new Uint8Array((isSigned ? Int32Array : Uint32Array).from(samples as Uint8Array).buffer);
  throw new StriaError(
    'corrupt',
    `a compressed picture has samples of ${8 * width} bits, but the header allocates ${bitsAllocated}`,
  );
}

/** Applies signs, palettes and colour conversion. */
function finish(
  planes: Uint8Array<ArrayBuffer>[],
  format: PixelFormat,
  { bits, isYbr: convert, isSigned }: { bits: number; isYbr: boolean; isSigned: boolean },
): VoxelFrame {
  // If the codec does not support signs, the sign is the highest of the stored bits. Some encoders code all allocated bits.
  const signed = Math.min(bits, format.bitsStored);
  if (format.isSigned && !isSigned) for (const plane of planes) extendSign(plane, format.bitsAllocated, signed);
  const [first] = planes;
  if (format.palette !== undefined && first !== undefined) {
    const stored = typedVoxels(`${format.isSigned ? 'i' : 'u'}${format.bitsAllocated}` as 'u8', first) as StoredSamples;
    return { planes: throughPalette(stored, format.palette), isExact: false };
  }
  if (convert && planes.length === 3) {
    if (format.type !== 'u8' && format.type !== 'u16')
      throw new StriaError('unsupported', `${format.photometric} of type ${format.type} is not supported`);
    const [y, blue, red] = planes.map((plane) => typedVoxels(format.type, plane) as Samples);
    rgbFromYbr([y as Samples, blue as Samples, red as Samples], bits);
  }
  return { planes, isExact: false };
}

function extendSign(plane: Uint8Array<ArrayBuffer>, bitsAllocated: number, bits: number): void {
  const shift = 32 - bits;
  const samples = typedVoxels(`i${bitsAllocated}` as 'i8', plane);
  for (let index = 0; index < samples.length; index++) samples[index] = ((samples[index] as number) << shift) >> shift;
}
