import { StriaError } from '../../shared/errors.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { zstdBytes } from '../common/zstd-length.ts';
import type { BlockFacts } from './block-facts.ts';
import { gathered } from './gathered.ts';

interface Zstd {
  decode(bytes: Uint8Array): Promise<Uint8Array> | Uint8Array;
}

let loading: Promise<Zstd> | undefined;

function loadZstd(): Promise<Zstd> {
  loading ??= import('numcodecs/zstd').then(({ default: codec }) => codec.fromConfig({ id: 'zstd' }));
  return loading;
}

/** The length of a short block is estimated from the capacity of Zstandard's own blocks. */
const slackBytes = 2 ** 16;

/** Decodes a Zstandard block with the C library as WebAssembly, which is loaded for the first block. */
export async function* decodeZstd(
  input: AsyncIterable<Uint8Array>,
  { width, height, samples, sampleBytes }: BlockFacts,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const bytes = await gathered(input);
  const limit = width * height * samples * sampleBytes + slackBytes;
  const promised = zstdBytes(bytes);
  if (promised > limit) {
    throw new StriaError('corrupt', `a block of pixels would become ${promised} bytes or more, where at most ${limit} belong`);
  }
  throwIfAborted(signal);
  const zstd = await loadZstd();
  try {
    yield await zstd.decode(bytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StriaError('corrupt', `the compressed data is broken or truncated: ${reason}`, { cause: error });
  }
}
