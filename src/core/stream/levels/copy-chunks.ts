import type { ContainerReader } from '../../format/container-reader.ts';

/** Payloads that are copied together, in bytes, and the number of chunks. */
const bytesTogether = 2 ** 24;
const chunksTogether = 4096;

/** How many chunks to copy at once. */
export function groupSize(reader: ContainerReader, first: number, end: number): number {
  let bytes = 0;
  let number = first;
  for (; number < end && number - first < chunksTogether && bytes < bytesTogether; number++) {
    const entry = reader.entry(number);
    if (entry.kind === 'coded') bytes += entry.recordLength;
  }
  return number - first;
}
