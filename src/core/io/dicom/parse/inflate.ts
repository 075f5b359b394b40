import { Inflate } from 'fflate';
import { type ByteSource, memorySource } from '../../../shared/bytes.ts';
import { StriaError } from '../../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../../shared/job.ts';
import { joinBytes, nameWithoutGzip, openBytes, plainBytes } from '../../common/byte-stream.ts';

/** Packed files are held in memory as a whole, to allow random access. */
const unpackedLimit = 2 ** 27;
/** How much is given to the inflater at once. The output can be 1032 times as large. */
const inputBytes = 64 * 1024;

/**
 * The file's first bytes unchanged, followed by its inflated data set. Uses fflate, because the platform's inflater refuses the
 * zero that pads a deflated data set to an even length.
 * @throws StriaError `corrupt`, `unsupported`, `aborted`
 */
export async function inflatedDataSet(source: ByteSource, start: number, job: JobOptions): Promise<Uint8Array> {
  const parts = new Parts();
  parts.add(await source.read(0, start, job));
  const inflater = new Inflate((bytes) => parts.add(bytes));
  try {
    for await (const piece of plainBytes(source).pieces(start, job)) {
      for (let at = 0; at < piece.byteLength; at += inputBytes) {
        throwIfAborted(job.signal);
        inflater.push(piece.subarray(at, at + inputBytes));
      }
    }
    inflater.push(new Uint8Array(), true);
  } catch (error) {
    if (error instanceof StriaError) throw error;
    throw new StriaError('corrupt', 'the deflated data set is broken or truncated', { cause: error });
  }
  return parts.joined();
}

/** The content of a gzipped file. @throws StriaError as `inflatedDataSet` */
export async function gunzippedFile(source: ByteSource, job: JobOptions): Promise<ByteSource> {
  const parts = new Parts();
  for await (const piece of (await openBytes(source, job)).pieces(0, job)) parts.add(piece);
  return memorySource(nameWithoutGzip(source.name), parts.joined());
}

class Parts {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  add(bytes: Uint8Array): void {
    this.#length += bytes.byteLength;
    if (this.#length > unpackedLimit) {
      throw new StriaError(
        'unsupported',
        `the packed file holds more than ${unpackedLimit / 2 ** 20} MiB, the limit for unpacking in memory: unpack it first, for example with dcmconv`,
      );
    }
    this.#parts.push(bytes);
  }

  joined(): Uint8Array<ArrayBuffer> {
    return joinBytes(this.#parts);
  }
}
