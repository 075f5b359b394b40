import { StriaError } from '../../shared/errors.ts';
import { inflate } from './inflate.ts';

/** Turns a block's bytes into `length` bytes of samples, never more. @throws StriaError `corrupt` where there are fewer */
type BlockDecoder = (bytes: Uint8Array, length: number, signal?: AbortSignal) => Uint8Array | Promise<Uint8Array>;

/** By the value of TIFF's tag Compression. */
const decoders: Readonly<Record<number, BlockDecoder>> = {
  1: (bytes, length) => (bytes.byteLength < length ? endsEarly(bytes.byteLength, length) : bytes.subarray(0, length)),
  5: decodeLzw,
  8: decodeDeflate,
  32773: decodePackBits,
  32946: decodeDeflate,
};

const otherCompressions: Readonly<Record<number, string>> = {
  2: 'CCITT',
  3: 'fax (CCITT group 3)',
  4: 'fax (CCITT group 4)',
  6: 'JPEG',
  7: 'JPEG',
  34712: 'JPEG 2000',
  34887: 'LERC',
  34925: 'LZMA',
  50000: 'Zstandard',
  50001: 'WebP',
  50002: 'JPEG XL',
};

/** @throws StriaError `unsupported`, naming the compression */
export function blockDecoder(compression: number): BlockDecoder {
  const decoder = decoders[compression];
  if (decoder !== undefined) return decoder;
  const name = otherCompressions[compression] ?? `number ${compression}`;
  throw new StriaError(
    'unsupported',
    `TIFF with the compression ${name} is not read: save it uncompressed, or with LZW, deflate or PackBits`,
  );
}

async function decodeDeflate(bytes: Uint8Array, length: number, signal?: AbortSignal): Promise<Uint8Array> {
  const samples = new Uint8Array(length);
  let filled = 0;
  for await (const piece of inflate(bytes, signal)) {
    const part = piece.subarray(0, length - filled);
    samples.set(part, filled);
    filled += part.byteLength;
    if (filled === length) return samples;
  }
  return endsEarly(filled, length);
}

/** TIFF 6.0, section 9. */
function decodePackBits(bytes: Uint8Array, length: number): Uint8Array {
  const samples = new Uint8Array(length);
  let filled = 0;
  for (let at = 0; filled < length && at + 1 < bytes.byteLength; ) {
    const head = bytes[at++] as number;
    if (head < 128) {
      const part = bytes.subarray(at, at + Math.min(head + 1, length - filled));
      samples.set(part, filled);
      filled += part.byteLength;
      at += head + 1;
    } else if (head > 128) {
      const end = Math.min(filled + 257 - head, length);
      samples.fill(bytes[at++] as number, filled, end);
      filled = end;
    }
  }
  return filled === length ? samples : endsEarly(filled, length);
}

const clearCode = 256;
const endCode = 257;
const maxCodes = 4096;

/**
 * TIFF 6.0, section 13: codes of 9 to 12 bits, the high bits first, each standing for an earlier string and one byte more.
 * A code's string is written from its end, by the links to shorter ones; so it costs no memory but the table.
 */
function decodeLzw(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes[0] === 0 && (bytes[1] ?? 0) & 1) {
    throw new StriaError('unsupported', 'TIFF with old-style LZW is not read: save it again with a newer program');
  }
  const samples = new Uint8Array(length);
  const prefixes = new Uint16Array(maxCodes);
  const lastBytes = new Uint8Array(maxCodes);
  const lengths = new Uint32Array(maxCodes).fill(1, 0, clearCode);
  for (let code = 0; code < clearCode; code++) lastBytes[code] = code;
  let next = endCode + 1;
  let width = 9;
  let previous = -1;
  let filled = 0;
  let bits = 0;
  let bitCount = 0;
  for (let at = 0; filled < length; ) {
    while (bitCount < width) {
      if (at === bytes.byteLength) return endsEarly(filled, length);
      bits = ((bits << 8) | (bytes[at++] as number)) & 0xffffff;
      bitCount += 8;
    }
    bitCount -= width;
    const code = (bits >> bitCount) & ((1 << width) - 1);
    if (code === endCode) return endsEarly(filled, length);
    if (code === clearCode) {
      next = endCode + 1;
      width = 9;
      previous = -1;
      continue;
    }
    // The one code that may be used before it is complete is the one that is made by using it.
    const isNew = code === next && previous >= 0;
    if (code >= next && !isNew) throw new StriaError('corrupt', `the LZW data is damaged: it uses code ${code} too early`);
    const known = isNew ? previous : code;
    const end = filled + (lengths[known] as number);
    let link = known;
    for (let to = end - 1; to >= filled; to--) {
      if (to < length) samples[to] = lastBytes[link] as number;
      link = prefixes[link] as number;
    }
    const first = samples[filled] as number;
    if (isNew && end < length) samples[end] = first;
    if (previous >= 0 && next < maxCodes) {
      prefixes[next] = previous;
      lastBytes[next] = first;
      lengths[next] = (lengths[previous] as number) + 1;
      next++;
      // The width grows one code early.
      if (next + 1 >= 1 << width && width < 12) width++;
    }
    previous = code;
    filled = Math.min(length, isNew ? end + 1 : end);
  }
  return samples;
}

function endsEarly(filled: number, length: number): never {
  throw new StriaError('corrupt', `the TIFF file's pixels end early: a block holds ${filled} of ${length} bytes`);
}
