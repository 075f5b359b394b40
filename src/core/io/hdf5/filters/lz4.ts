import { StriaError } from '../../../shared/errors.ts';
import { decodeLz4Block } from '../../unpack/lz4-block.ts';

/**
 * The content of the LZ4 filter: its length and that of a block, big-endian, then each block with its length. A block that LZ4
 * does not make shorter is stored.
 * Source: HDF5_LZ4.pdf, registered with The HDF Group as filter 32004.
 *
 * @param length of the content
 * @throws StriaError `corrupt`
 */
export function decodeLz4(bytes: Uint8Array, length: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wrong = (says: string) => new StriaError('corrupt', `the LZ4 data ${says}`);
  if (bytes.byteLength < 12) throw wrong('ends inside its header');
  const blockBytes = view.getUint32(8);
  if (view.getBigUint64(0) !== BigInt(length)) throw wrong('states another length than its chunk has');
  if (blockBytes === 0) throw wrong('states blocks of no bytes');
  const content = new Uint8Array(length);
  let at = 12;
  for (let written = 0; written < length; written += blockBytes) {
    const block = content.subarray(written, written + blockBytes);
    const packed = at + 4 <= bytes.byteLength ? bytes.subarray(at + 4, at + 4 + view.getUint32(at)) : undefined;
    if (packed === undefined || packed.byteLength < view.getUint32(at)) throw wrong('ends too soon');
    if (packed.byteLength === block.byteLength) block.set(packed);
    else decodeLz4Block(packed, block);
    at += 4 + packed.byteLength;
  }
  return content;
}
