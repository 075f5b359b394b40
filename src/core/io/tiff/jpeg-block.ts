import { StriaError } from '../../shared/errors.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { readCodestream, withColorMarker } from '../codestreams/codestream.ts';
import { joinBytes } from '../common/byte-stream.ts';
import type { BlockFacts } from './block-facts.ts';
import { gathered } from './gathered.ts';

/**
 * Decodes a JPEG block, with the tables that all blocks share (TIFF Technical Note 2). YCbCr becomes RGB. The decoder is loaded on
 * demand.
 */
export async function* decodeJpeg(
  input: AsyncIterable<Uint8Array>,
  { width, rows, height, samples, sampleBytes, isYbr, tables }: BlockFacts,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const bytes = withTables(await gathered(input), tables);
  const stream = readCodestream(samples === 3 ? withColorMarker(bytes, isYbr) : bytes);
  if (stream.kind !== 'jpeg' && stream.kind !== 'jpeg-lossless') {
    throw new StriaError('unsupported', `Stria does not read TIFF with the compression ${stream.kind}`);
  }
  const fits = stream.width === width && stream.height >= rows && stream.height <= height && stream.components === samples;
  if (!fits || (stream.bits > 8 ? 2 : 1) !== sampleBytes) {
    throw new StriaError(
      'corrupt',
      `a block's JPEG is ${stream.width} × ${stream.height} with ${stream.components} samples of ${stream.bits} bits, where ${width} × ${rows} with ${samples} of ${8 * sampleBytes} belong`,
    );
  }
  throwIfAborted(signal);
  const { decodePicture } = await import('../codestreams/decoders.ts');
  const { bytes: decoded, isPlanar } = await decodePicture(stream);
  if (isPlanar) throw new StriaError('unsupported', 'Stria does not read JPEG with samples in separate planes');
  yield decoded;
}

/** The block with the tables, without their end marker, inserted after its start marker. */
function withTables(block: Uint8Array, tables: Uint8Array | undefined): Uint8Array {
  if (tables === undefined || tables.byteLength < 4) return block;
  const hasEnd = tables.at(-2) === 0xff && tables.at(-1) === 0xd9;
  return joinBytes([hasEnd ? tables.subarray(0, -2) : tables, block.subarray(2)]);
}
