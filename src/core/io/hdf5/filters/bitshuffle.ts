import { StriaError } from '../../../shared/errors.ts';
import { decodeLz4Block } from '../../unpack/lz4-block.ts';
import { transposeBits } from '../../unpack/transpose.ts';
import { decodeZstandard } from '../../unpack/zstandard.ts';

/** Bytes of a block, if the file does not give the number of its elements. */
const defaultBlockBytes = 8192;
const leastBlockElements = 128;
/** Bits are transposed for eight elements at a time; at the end, fewer remain as they are. */
const groupElements = 8;

const lz4 = 2;
const zstandard = 3;

/**
 * The content of the filter Bitshuffle, registered with The HDF Group as 32008.
 * Source: https://github.com/kiyo-masui/bitshuffle, bshuf_h5filter.c and bitshuffle_core.c.
 *
 * @param parameters two version numbers, bytes of an element, elements of a block or 0, and the compression
 * @param length of the content
 * @throws StriaError `corrupt`, `unsupported` for another compression
 */
export async function decodeBitshuffle(bytes: Uint8Array, parameters: readonly number[], length: number): Promise<Uint8Array> {
  const [, , elementBytes = 0, statedElements = 0, compression = 0] = parameters;
  if (elementBytes < 1 || length % elementBytes !== 0) throw wrong('states elements that do not fit into its chunk');
  const content = new Uint8Array(length);
  const elements = length / elementBytes;
  const groupedElements = elements - (elements % groupElements);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (compression !== 0 && bytes.byteLength < 12) throw wrong('ends inside its header');
  if (compression !== 0 && view.getBigUint64(0) !== BigInt(length)) throw wrong('states another length than its chunk has');
  const blockElements = compression === 0 ? statedElements || defaultElements(elementBytes) : view.getUint32(8) / elementBytes;
  if (blockElements < groupElements || blockElements % groupElements !== 0)
    throw wrong(`states blocks of ${blockElements} elements`);

  let at = compression === 0 ? 0 : 12;
  /** The next bytes of the chunk. */
  const take = (count: number) => {
    if (at + count > bytes.byteLength) throw wrong('ends too soon');
    at += count;
    return bytes.subarray(at - count, at);
  };
  const unpacked = async (blockBytes: number): Promise<Uint8Array> => {
    if (compression === 0) return take(blockBytes);
    take(4);
    const packed = take(view.getUint32(at - 4));
    if (compression === zstandard) return decodeZstandard(packed, blockBytes);
    if (compression !== lz4) throw new StriaError('unsupported', `Bitshuffle with compression ${compression} is not supported`);
    const block = new Uint8Array(blockBytes);
    decodeLz4Block(packed, block);
    return block;
  };
  for (let element = 0; element < groupedElements; element += blockElements) {
    const count = Math.min(blockElements, groupedElements - element);
    const block = await unpacked(count * elementBytes);
    transposeBits(block, content.subarray(element * elementBytes, (element + count) * elementBytes), elementBytes);
  }
  content.set(take((elements - groupedElements) * elementBytes), groupedElements * elementBytes);
  return content;
}

function wrong(says: string): StriaError {
  return new StriaError('corrupt', `the Bitshuffle data ${says}`);
}

function defaultElements(elementBytes: number): number {
  const fitting = Math.floor(defaultBlockBytes / elementBytes / groupElements) * groupElements;
  return Math.max(fitting, leastBlockElements);
}
