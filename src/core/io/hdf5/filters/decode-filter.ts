import { StriaError } from '../../../shared/errors.ts';
import { bloscLength, decodeBlosc } from '../../unpack/blosc.ts';
import { decodeZstandard } from '../../unpack/zstandard.ts';
import { decodeBitshuffle } from './bitshuffle.ts';
import { decodeLz4 } from './lz4.ts';
import { decodeLzf } from './lzf.ts';

type Decoder = (bytes: Uint8Array, parameters: readonly number[], length: number) => Uint8Array | Promise<Uint8Array>;

/** Filters that are not built into the HDF5 library, by the number registered with The HDF Group. */
const filters: Readonly<Record<number, { readonly name: string; readonly decode: Decoder }>> = {
  32000: { name: 'LZF', decode: (bytes, _parameters, length) => decodeLzf(bytes, length) },
  32001: { name: 'Blosc', decode: (bytes, _parameters, length) => decodeBloscOf(bytes, length) },
  32004: { name: 'LZ4', decode: (bytes, _parameters, length) => decodeLz4(bytes, length) },
  32008: {
    name: 'Bitshuffle',
    decode: decodeBitshuffle,
  },
  32015: { name: 'Zstandard', decode: (bytes, _parameters, length) => decodeZstandard(bytes, length) },
};

/** Undefined for filters without a decoder here. */
export function decodedFilterName(filter: number): string | undefined {
  return filters[filter]?.name;
}

/**
 * Decodes a chunk.
 * @param parameters the filter's, from the dataset's header
 * @param length of the content
 * @throws StriaError `corrupt`, `unsupported`
 */
export async function decodeFilter(
  filter: number,
  bytes: Uint8Array,
  parameters: readonly number[],
  length: number,
): Promise<Uint8Array> {
  const decoder = filters[filter];
  if (decoder === undefined) throw new StriaError('unsupported', `filter ${filter} is not supported`);
  return decoder.decode(bytes, parameters, length);
}

async function decodeBloscOf(bytes: Uint8Array, length: number): Promise<Uint8Array> {
  const found = bloscLength(bytes);
  if (found !== length) throw new StriaError('corrupt', `the Blosc data has ${found} bytes instead of ${length}`);
  return decodeBlosc(bytes);
}
