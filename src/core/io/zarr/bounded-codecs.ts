import { StriaError } from '../../shared/errors.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { gunzip } from '../common/gunzip.ts';
import { inflateBounded } from '../common/inflate-bounded.ts';
import { zstdBytes } from '../common/zstd-length.ts';
import { bloscLength, decodeBlosc } from '../unpack/blosc.ts';
import { crc32c } from './crc32c.ts';

/** Intermediate data may be slightly longer than the chunk, because of checksums and padding. */
const slackBytes = 64 * 1024;

interface CodecMeta {
  readonly shape: readonly number[];
  readonly dataType: string;
}

interface BytesCodec {
  readonly kind: 'bytes_to_bytes';
  /** Defined for codecs whose output length depends only on the input length. */
  computeEncodedSize?(decodedSize: number): number;
  decode(bytes: Uint8Array): Promise<Uint8Array>;
  encode(bytes: Uint8Array): Promise<Uint8Array>;
}

type CodecLoader = () => Promise<{ fromConfig(configuration: unknown, meta: CodecMeta): BytesCodec }>;

/** Like zarrita's registry: maps names to loaders of codecs. */
export interface CodecRegistry {
  get(name: string): unknown;
  set(name: string, loader: never): unknown;
}

/**
 * Replaces zarrita's decoders with ones that refuse a chunk that exceeds the size in its metadata, before allocating memory for it.
 * Zarrita alone would expand a few kilobytes to gigabytes. The checksum, which zarrita discards, is verified, and
 * damaged Blosc data is refused, which numcodecs decodes to other values.
 */
export function boundCodecs(registry: CodecRegistry): void {
  const set = (names: readonly string[], loader: CodecLoader) => {
    for (const name of names) registry.set(name, loader as never);
  };
  const both = (name: string) => [name, `numcodecs.${name}`];
  set(both('gzip'), inflating(gunzipBounded));
  set(
    both('zlib'),
    inflating((bytes, limit) => inflateBounded(bytes, 'deflate', limit)),
  );
  set(['crc32c'], checkingCrc32c);
  set(
    both('blosc'),
    inflating((bytes, limit) => {
      refuseBeyond(limit, bloscLength(bytes));
      return decodeBlosc(bytes);
    }),
  );
  for (const [name, promised] of [
    ['lz4', lz4Bytes],
    ['zstd', zstdBytes],
  ] as const) {
    const original = registry.get(name) as CodecLoader;
    set(both(name), async () => {
      const codec = await original();
      return {
        fromConfig(configuration, meta) {
          const inner = codec.fromConfig(configuration ?? {}, meta);
          const limit = limitOf(meta);
          return {
            kind: 'bytes_to_bytes',
            encode: (bytes) => inner.encode(bytes),
            async decode(bytes) {
              refuseBeyond(limit, promised(bytes));
              return inner.decode(bytes);
            },
          };
        },
      };
    });
  }
}

function inflating(decode: (bytes: Uint8Array, limit: number) => Promise<Uint8Array>): CodecLoader {
  return async () => ({
    fromConfig: (_configuration, meta) => ({
      kind: 'bytes_to_bytes',
      decode: (bytes) => decode(bytes, limitOf(meta)),
      encode: () => Promise.reject(new StriaError('internal', 'this codec only decodes')),
    }),
  });
}

const checkingCrc32c: CodecLoader = async () => ({
  fromConfig: () => ({
    kind: 'bytes_to_bytes',
    computeEncodedSize: (decodedSize) => decodedSize + 4,
    encode: () => Promise.reject(new StriaError('internal', 'this codec only decodes')),
    async decode(bytes) {
      const content = bytes.subarray(0, -4);
      const expected = viewOf(bytes, 4).getUint32(content.byteLength, true);
      if (crc32c(content) !== expected) throw new StriaError('corrupt', 'its checksum does not match its content');
      return content;
    },
  }),
});

async function gunzipBounded(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of gunzip(async function* () {
    yield bytes;
  })) {
    length += piece.byteLength;
    refuseBeyond(limit, length);
    pieces.push(piece);
  }
  return joinBytes(pieces);
}

function limitOf({ shape, dataType }: CodecMeta): number {
  const bits = Number(/\d+$/.exec(dataType)?.[0] ?? 8);
  return shape.reduce((product, length) => product * length, bits / 8) + slackBytes;
}

function refuseBeyond(limit: number, length: number): void {
  if (length <= limit) return;
  throw new StriaError('corrupt', `the chunk would have at least ${length} bytes, but its metadata allows at most ${limit}`);
}

function viewOf(bytes: Uint8Array, length: number): DataView {
  if (bytes.byteLength < length) throw new StriaError('corrupt', 'the compressed chunk ends inside its header');
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** numcodecs stores the length of the content first, in 32 bits. */
function lz4Bytes(bytes: Uint8Array): number {
  return viewOf(bytes, 4).getUint32(0, true);
}
