import { StriaError } from '../../shared/errors.ts';
import { zstdBytes } from '../common/zstd-length.ts';

interface Codec {
  decode(bytes: Uint8Array): Promise<Uint8Array> | Uint8Array;
}

let loading: Promise<Codec> | undefined;

/** The length of frames that do not state it is estimated from the capacity of their blocks. */
const slackBytes = 2 ** 16;

/**
 * Decodes Zstandard with the C library as WebAssembly.
 * @param length of the content
 * @throws StriaError `corrupt` unless the data is sound and exactly as long
 */
export async function decodeZstandard(bytes: Uint8Array, length: number): Promise<Uint8Array> {
  // The library allocates as much as a frame states.
  const wrong = (says: string, cause?: unknown) => new StriaError('corrupt', `the Zstandard data ${says}`, { cause });
  if (zstdBytes(bytes) > length + slackBytes) throw wrong(`unpacks to more than ${length} bytes`);
  loading ??= import('numcodecs/zstd').then(({ default: codec }) => codec.fromConfig({ id: 'zstd' }));
  const codec = await loading;
  let content: Uint8Array;
  try {
    content = await codec.decode(bytes);
  } catch (error) {
    throw wrong(`is damaged: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (content.byteLength !== length) throw wrong(`unpacks to ${content.byteLength} bytes instead of ${length}`);
  return content;
}
