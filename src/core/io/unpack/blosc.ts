import { StriaError } from '../../shared/errors.ts';
import { inflateBounded } from '../common/inflate-bounded.ts';
import { decodeBloscLz } from './blosc-lz.ts';
import { decodeLz4Block } from './lz4-block.ts';
import { decodeSnappy } from './snappy.ts';
import { transposeBits, transposeBytes } from './transpose.ts';
import { decodeZstandard } from './zstandard.ts';

const headerBytes = 16;
const formatVersion = 2;
const flag = { bytesTransposed: 1, stored: 2, bitsTransposed: 4, notSplit: 16 };
/** Compressors by their number in the flags' upper three bits. */
const compressors = { bloscLz: 0, lz4: 1, snappy: 2, zlib: 3, zstandard: 4 };
const mostSplits = 16;
const leastSplitBytes = 128;
/** How many zlib streams of a chunk the platform decompresses at once, because a short one takes longer to begin than to decompress. */
const streamsAtOnce = 16;

/** The length of the content, from the header of a chunk. @throws StriaError `corrupt` if lengths contradict each other */
export function bloscLength(bytes: Uint8Array): number {
  return readHeader(bytes).length;
}

/**
 * Decodes a chunk of Blosc 1, which c-blosc, PyTables, Zarr and HDF5's filter 32001 write.
 * Source: README_CHUNK_FORMAT.rst and blosc.c of c-blosc 1.21.
 *
 * @throws StriaError `corrupt` unless the data is sound; `unsupported` for an unknown compressor
 */
export async function decodeBlosc(bytes: Uint8Array): Promise<Uint8Array> {
  const { view, flags, elementBytes, length, blockBytes, compressor } = readHeader(bytes);
  if ((flags & flag.stored) !== 0) {
    if (bytes.byteLength !== headerBytes + length) throw damaged();
    return bytes.slice(headerBytes);
  }
  const content = new Uint8Array(length);
  const blockCount = Math.ceil(length / blockBytes);
  if (headerBytes + 4 * blockCount > bytes.byteLength) throw damaged();
  const decodeBlock = async (block: number) => {
    const to = content.subarray(block * blockBytes, (block + 1) * blockBytes);
    const isShort = to.byteLength < blockBytes;
    const maySplit = elementBytes <= mostSplits && to.byteLength / elementBytes >= leastSplitBytes;
    const splits = maySplit && !isShort && (flags & flag.notSplit) === 0 ? elementBytes : 1;
    const isTransposed = (flags & (flag.bytesTransposed | flag.bitsTransposed)) !== 0;
    const unpacked = isTransposed ? new Uint8Array(to.byteLength) : to;
    const partBytes = Math.floor(to.byteLength / splits);
    if (partBytes * splits !== to.byteLength) throw damaged();
    const parts: Uint8Array[] = [];
    let at = view.getUint32(headerBytes + 4 * block, true);
    for (let part = 0; part < splits; part++) {
      if (at + 4 > bytes.byteLength) throw damaged();
      const packedBytes = view.getUint32(at, true);
      const packed = bytes.subarray(at + 4, at + 4 + packedBytes);
      if (packed.byteLength !== packedBytes) throw damaged();
      parts.push(packed);
      at += 4 + packedBytes;
    }
    const decoded = parts.map((packed, part) =>
      decodePart(compressor, packed, unpacked.subarray(part * partBytes, (part + 1) * partBytes)),
    );
    await Promise.all(decoded);
    if (isTransposed) restoreOrder(unpacked, to, elementBytes, flags);
  };
  const blocksAtOnce = compressor === compressors.zlib ? Math.ceil(streamsAtOnce / Math.min(elementBytes, mostSplits)) : 1;
  for (let block = 0; block < blockCount; block += blocksAtOnce) {
    const count = Math.min(blocksAtOnce, blockCount - block);
    await Promise.all(Array.from({ length: count }, (_, index) => decodeBlock(block + index)));
  }
  return content;
}

async function decodePart(compressor: number, packed: Uint8Array, content: Uint8Array): Promise<void> {
  if (packed.byteLength === content.byteLength) content.set(packed);
  else if (compressor === compressors.lz4) decodeLz4Block(packed, content);
  else if (compressor === compressors.bloscLz) decodeBloscLz(packed, content);
  else if (compressor === compressors.snappy) decodeSnappy(packed, content);
  else if (compressor === compressors.zstandard) content.set(await decodeZstandard(packed, content.byteLength));
  else if (compressor === compressors.zlib) {
    const inflated = await inflateBounded(packed, 'deflate', content.byteLength);
    if (inflated.byteLength !== content.byteLength) throw damaged();
    content.set(inflated);
  } else throw new StriaError('unsupported', `Blosc with compressor ${compressor} is not supported`);
}

function restoreOrder(unpacked: Uint8Array, content: Uint8Array, elementBytes: number, flags: number): void {
  const elements = Math.floor(content.byteLength / elementBytes);
  const areBits = (flags & flag.bitsTransposed) !== 0;
  if (!areBits && elementBytes > 1) {
    transposeBytes(unpacked, content, elementBytes);
  } else if (areBits && elements > 0 && elements % 8 === 0) {
    const whole = elements * elementBytes;
    transposeBits(unpacked.subarray(0, whole), content, elementBytes);
    content.set(unpacked.subarray(whole), whole);
  } else {
    content.set(unpacked);
  }
}

function readHeader(bytes: Uint8Array) {
  if (bytes.byteLength < headerBytes) throw damaged();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [version = 0, , flags = 0, elementBytes = 0] = bytes;
  const [length, blockBytes, whole] = [4, 8, 12].map((at) => view.getUint32(at, true)) as [number, number, number];
  const areBlocksSound = length === 0 || (blockBytes > 0 && blockBytes <= length);
  if (version > formatVersion || elementBytes === 0 || whole !== bytes.byteLength || !areBlocksSound) {
    throw new StriaError('corrupt', 'the header of the Blosc data is damaged, or its version is not supported');
  }
  return { view, flags, elementBytes, length, blockBytes: Math.max(1, blockBytes), compressor: flags >> 5 };
}

function damaged(): StriaError {
  return new StriaError('corrupt', 'the Blosc data is damaged');
}
