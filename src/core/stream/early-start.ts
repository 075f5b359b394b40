import type { Backend } from '../chunks/backend.ts';
import type { ContainerReader } from '../format/container-reader.ts';
import type { OpenVolume } from '../io/common/volume-reader.ts';
import { elementBytes, volumeBytes } from '../shared/volume.ts';

/** The backend that begins: threads, if the work suits them, or else the one that they would hand over to. */
export async function backendFor(backend: Backend, suitsThreads: () => Promise<boolean>): Promise<Backend> {
  if (!backend.successor || (await suitsThreads())) return backend;
  return backend.successor();
}

/** Threads encode and decode any volume of up to this size in less time than a GPU takes to open and to compile its kernels. */
const soonDoneBytes = 2 ** 26;

/** A volume that was compressed to less than this share is decoded by threads about as fast as it can be written. */
const smallShare = 0.1;

/** Whether threads decode a container so fast that they should begin. */
export function isSoonDecoded({ header, byteLength }: Pick<ContainerReader, 'header' | 'byteLength'>): boolean {
  const total = volumeBytes(header.volume);
  return total <= soonDoneBytes || byteLength < smallShare * total;
}

/** Pieces that `isSoonEncoded` reads, spread over the volume, and the bytes of each. */
const pieces = 64;
const pieceBytes = 2 ** 10;

/** Threads encode a volume fast if at least this share of its voxels equals the one before. */
const flatShare = 0.8;

/**
 * Whether threads encode a volume so fast that they should begin: it is small, or most voxels of a sample equal their neighbours.
 * @throws StriaError of the volume
 */
export async function isSoonEncoded({ info, fill }: OpenVolume, signal: AbortSignal | undefined): Promise<boolean> {
  const total = volumeBytes(info);
  if (!fill || total <= soonDoneBytes) return fill !== undefined;
  const width = elementBytes(info.type);
  const shares = Array.from({ length: pieces }, async (_, index) => {
    const bytes = new Uint8Array(pieceBytes);
    const start = Math.floor(((total - pieceBytes) * index) / (pieces - 1) / 8) * 8;
    await fill(bytes, start, { signal });
    return equalShare(bytes, width);
  });
  return (await Promise.all(shares)).reduce((sum, share) => sum + share, 0) / pieces >= flatShare;
}

/** The share of the voxels that equal the one before. */
function equalShare(bytes: Uint8Array, width: number): number {
  let equal = 0;
  for (let at = width; at < bytes.length; at += width) {
    let isEqual = true;
    for (let byte = 0; byte < width; byte++) isEqual &&= bytes[at + byte] === bytes[at + byte - width];
    if (isEqual) equal++;
  }
  return equal / (bytes.length / width - 1);
}
