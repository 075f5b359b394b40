import { StriaError } from '../../shared/errors.ts';
import { inflate } from '../common/inflate.ts';
import type { BlockFacts } from './block-facts.ts';
import { decodeJpeg } from './jpeg-block.ts';
import { decodeLzw } from './lzw.ts';
import { decodePackBits } from './packbits.ts';
import { decodeZstd } from './zstd-block.ts';

/**
 * Decompresses a block's bytes into samples. Pieces may share memory: each is released when the next is requested. @throws
 * StriaError `corrupt`, `unsupported`; errors of `input`
 */
type BlockDecoder = (
  input: AsyncIterable<Uint8Array>,
  block: BlockFacts,
  signal: AbortSignal | undefined,
) => AsyncIterable<Uint8Array>;

interface Compression {
  readonly decode: BlockDecoder;
  /** The maximum expansion of one byte, if it exceeds that of LZW. */
  readonly expansion?: number;
  /** Whether blocks are decoded as a whole. */
  readonly isWhole?: boolean;
  /** Whether its samples are little-endian in any file. */
  readonly isLittle?: boolean;
}

const deflate: Compression = { decode: (input, _block, signal) => inflate(input, signal) };
export const jpegCompression = 7;

/** Keyed by the value of TIFF's tag Compression. */
const compressions: Readonly<Record<number, Compression>> = {
  1: { decode: (input) => input },
  5: { decode: decodeLzw },
  [jpegCompression]: { decode: decodeJpeg, isWhole: true, isLittle: true },
  8: deflate,
  32773: { decode: decodePackBits },
  32946: deflate,
  // 128 KiB of 4 bytes.
  50000: { decode: decodeZstd, expansion: 2 ** 15, isWhole: true },
};

const otherCompressions: Readonly<Record<number, string>> = {
  2: 'CCITT',
  3: 'fax (CCITT group 3)',
  4: 'fax (CCITT group 4)',
  6: 'JPEG in its old form',
  33003: 'JPEG 2000',
  33004: 'JPEG 2000',
  33005: 'JPEG 2000',
  34712: 'JPEG 2000',
  34887: 'LERC',
  34925: 'LZMA',
  50001: 'WebP',
  50002: 'JPEG XL',
};

/** @throws StriaError `unsupported`, naming the compression */
export function compressionOf(number: number): Compression {
  const known = compressions[number];
  if (known !== undefined) return known;
  const name = otherCompressions[number] ?? `number ${number}`;
  throw new StriaError(
    'unsupported',
    `Stria does not read TIFF with the compression ${name}; save it uncompressed, or with LZW, deflate, Zstandard or PackBits`,
  );
}
