import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { type FileFormat, isWorthDeflating, type SourcePart } from '../../shared/source.ts';
import { type Dims4, type Endian, elementBytes, swapBytes, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { type ByteStream, joinBytes, type PieceOptions, pieceBytes } from './byte-stream.ts';
import type { OpenVolume } from './volume-reader.ts';

/** The maximum length of the bytes that are kept verbatim before the voxels: NIfTI extensions can hold megabytes of XML. */
export const beforeLimit = 64 * 2 ** 20;
/** The maximum length of the bytes that are kept verbatim after the voxels. */
export const afterLimit = 16 * 2 ** 20;

/** The place of a volume's voxels, and the description of its source. */
export interface VoxelPlace {
  readonly info: VolumeInfo;
  readonly format: FileFormat;
  readonly endian: Endian;
  readonly stream: ByteStream;
  /** Offset of the first voxel in bytes. */
  readonly start: number;
  /** The source's files, from the bytes after the voxels. */
  parts(after: Uint8Array): SourcePart[];
  /** The fault if only `available` bytes of voxels exist. Default: `corrupt`, with a message that says so. */
  tooShort?(available: number): StriaError;
}

/**
 * A volume whose voxels are contiguous in a stream. They come in pieces of whole elements, 2 MiB each except the last.
 * @throws StriaError `corrupt` (or the fault from `tooShort`) if the stream cannot be long enough; `unsupported` if too many
 * bytes follow
 */
export function streamedVolume(place: VoxelPlace): OpenVolume {
  const { info, stream, start } = place;
  const total = volumeBytes(info);
  const tooShort = checkedPlace(place, total);
  const swapWidth = place.endian === 'big' ? elementBytes(info.type) : 1;
  let after: Uint8Array | undefined;

  async function* voxels(options: PieceOptions = {}): AsyncGenerator<Uint8Array> {
    const behind = new Tail();
    let given = 0;
    let filling: Uint8Array | undefined;
    let filled = 0;
    for await (const piece of stream.pieces(start, options)) {
      let at = 0;
      while (at < piece.byteLength && given < total) {
        const wanted = Math.min(pieceBytes, total - given);
        let whole: Uint8Array | undefined;
        // Only a piece that owns its buffer can be passed on without a copy.
        if (filled === 0 && at === 0 && piece.byteLength === wanted && piece.buffer.byteLength === wanted) {
          whole = piece;
          at = wanted;
        } else {
          filling ??= new Uint8Array(wanted);
          const part = piece.subarray(at, at + wanted - filled);
          filling.set(part, filled);
          filled += part.byteLength;
          at += part.byteLength;
          if (filled === wanted) whole = filling;
        }
        if (whole === undefined) continue;
        swapBytes(whole, swapWidth);
        given += wanted;
        filling = undefined;
        filled = 0;
        options.onProgress?.({ stage: 'Reading', done: given, total });
        yield whole;
      }
      if (at < piece.byteLength) behind.add(options.reuse ? piece.slice(at) : piece.subarray(at));
    }
    if (given < total) throw tooShort(given + filled);
    after = behind.bytes();
  }

  return {
    info,
    format: place.format,
    deflatesSource: isWorthDeflating(place.format, place.parts(new Uint8Array(0))),
    voxels,
    ...(stream.fill && {
      async fill(target: Uint8Array<ArrayBuffer>, at: number, options?: JobOptions) {
        await stream.fill?.(target, start + at, options);
        swapBytes(target, swapWidth);
      },
    }),
    place: stream.file && swapWidth === 1 ? { file: stream.file, start } : undefined,
    async source() {
      after ??= await readBehind(stream, start + total);
      return { format: place.format, endian: place.endian, parts: place.parts(after) };
    },
  };
}

/**
 * Checks that a stream can hold `total` bytes of voxels, and not much more.
 * @returns the error to throw if it turns out to be shorter
 * @throws StriaError as `streamedVolume`
 */
export function checkedPlace(place: VoxelPlace, total: number): (available: number) => StriaError {
  const { stream, start } = place;
  const tooShort = place.tooShort ?? ((available: number) => endsEarly(available, total));
  if (start + total > stream.sizeLimit) throw tooShort(Math.max(0, (stream.size ?? stream.sizeLimit) - start));
  if (stream.size !== undefined && stream.size - start - total > afterLimit) throw tooMuchBehind();
  return tooShort;
}

/** The bytes after the voxels, from `end` on. @throws StriaError `unsupported` if there are too many */
export async function readBehind(stream: ByteStream, end: number): Promise<Uint8Array> {
  const behind = new Tail();
  for await (const piece of stream.pieces(end)) behind.add(piece);
  return behind.bytes();
}

/** The bytes after the voxels, up to the limit. */
class Tail {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  add(piece: Uint8Array): void {
    this.#length += piece.byteLength;
    if (this.#length > afterLimit) throw tooMuchBehind();
    this.#parts.push(piece);
  }

  bytes(): Uint8Array {
    return joinBytes(this.#parts);
  }
}

function endsEarly(available: number, total: number): StriaError {
  return new StriaError(
    'corrupt',
    `the file ends early: its header promises ${total} bytes of voxels, but there are at most ${available}`,
  );
}

function tooMuchBehind(): StriaError {
  return new StriaError(
    'unsupported',
    `more than ${afterLimit / 2 ** 20} MiB follow the voxels, so the sizes in the header are probably wrong`,
  );
}

/** Reads the bytes before the voxels, which must exist and be within the limit. @throws StriaError `corrupt`, `unsupported` */
export async function readBefore(stream: ByteStream, length: number, options: JobOptions): Promise<Uint8Array> {
  if (length > stream.sizeLimit) throw beginsBehindEnd(length);
  if (length > beforeLimit) {
    throw new StriaError(
      'unsupported',
      `the voxels begin at byte ${length}; Stria keeps headers of at most ${beforeLimit / 2 ** 20} MiB`,
    );
  }
  const before = await stream.read(0, length, options);
  if (before.byteLength < length) throw beginsBehindEnd(length);
  return before;
}

function beginsBehindEnd(start: number): StriaError {
  return new StriaError('corrupt', `the header puts the voxels at byte ${start}, but the file ends before that`);
}

/**
 * The lengths of axes as a volume's dims. Missing axes are 1; axes after the fourth are folded into t.
 * @throws StriaError `corrupt` for lengths below 1, or more bytes than a file can have
 */
export function checkedDims(lengths: readonly number[], width: number): Dims4 {
  const bad = lengths.find((length) => !Number.isSafeInteger(length) || length < 1);
  if (bad !== undefined)
    throw new StriaError('corrupt', `the header gives an axis the length ${bad}; lengths are whole numbers from 1`);
  const [x = 1, y = 1, z = 1, ...times] = lengths;
  const t = times.reduce((product, length) => product * length, 1);
  if (!Number.isSafeInteger(x * y * z * t * width)) {
    throw new StriaError('corrupt', `the header's lengths ${lengths.join('×')} exceed the size of any file`);
  }
  return [x, y, z, t];
}

/** Slope and intercept as NIfTI defines them: if the slope is zero or not a number, there is no scaling. */
export function checkedScaling(slope: number, intercept: number): { slope: number; intercept: number } {
  if (!Number.isFinite(slope) || slope === 0) return { slope: 1, intercept: 0 };
  return { slope, intercept: Number.isFinite(intercept) ? intercept : 0 };
}

/** A distance as a positive number; 1 if the header has none. */
export function checkedSpacing(distance: number | undefined): number {
  const size = Math.abs(distance ?? 1);
  return Number.isFinite(size) && size > 0 ? size : 1;
}
