import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { plainBytes } from '../common/byte-stream.ts';
import { crc32 } from '../common/crc32.ts';
import { maxExtraBytes } from '../common/picture.ts';
import { PieceReader } from '../common/piece-reader.ts';
import { chunkFrameBytes, damagedChunk, isPng, type PngChunk, pngSignature } from './png-chunks.ts';

/** A part of a PNG file: a piece of pixel data, or another chunk. */
export type PngPart = { readonly data: Uint8Array } | PngChunkPart;

interface PngChunkPart {
  readonly data?: undefined;
  readonly type: string;
  /** Undefined if it is too large to be kept. */
  readonly chunk: PngChunk | undefined;
}

/**
 * The chunks of a file, in order, up to IEND, without holding more than a piece of it. All are checked; the checksum of pixel
 * data only after the last piece of its chunk. @throws StriaError `corrupt`, `not-readable`, `aborted`
 */
export async function* readPngParts(source: ByteSource, signal: AbortSignal | undefined): AsyncGenerator<PngPart> {
  const input = new PieceReader(plainBytes(source).pieces(0, { signal }));
  try {
    const signature = new Uint8Array(pngSignature.byteLength);
    await input.fill(signature);
    if (!isPng(signature)) throw wasChanged();
    const head = new Uint8Array(8);
    const trailer = new Uint8Array(4);
    for (let at = pngSignature.byteLength, type = ''; type !== 'IEND'; ) {
      if (at === source.size) throw new StriaError('corrupt', 'the PNG file ends early: its last chunk is missing');
      const headLength = await input.fill(head);
      const length = new DataView(head.buffer).getUint32(0);
      if (headLength < 8 || at + length + chunkFrameBytes > source.size) {
        throw new StriaError('corrupt', `the PNG file ends within a chunk, at byte ${at}`);
      }
      type = String.fromCharCode(...head.subarray(4));
      const whole = type !== 'IDAT' && length <= maxExtraBytes ? new Uint8Array(length + chunkFrameBytes) : undefined;
      whole?.set(head);
      let crc = crc32(head.subarray(4));
      for (let done = 0; done < length; ) {
        const part = await input.take(length - done);
        if (part.byteLength === 0) throw new StriaError('not-readable', 'the file became shorter while it was read');
        crc = crc32(part, crc);
        whole?.set(part, 8 + done);
        done += part.byteLength;
        if (type === 'IDAT') yield { data: part };
      }
      await input.fill(trailer);
      if (new DataView(trailer.buffer).getUint32(0) !== crc) throw damagedChunk(type, at);
      whole?.set(trailer, 8 + length);
      if (type !== 'IDAT') yield { type, chunk: whole && { type, data: whole.subarray(8, 8 + length), whole } };
      at += length + chunkFrameBytes;
    }
  } finally {
    await input.close();
  }
}

export function wasChanged(): StriaError {
  return new StriaError('not-readable', 'the file changed while it was read');
}
