import { joinBytes } from '../common/byte-stream.ts';

/** All bytes of a stream whose length is already bounded. Pieces may share memory. */
export async function gathered(input: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of input) pieces.push(piece.slice());
  return joinBytes(pieces);
}
