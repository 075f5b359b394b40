// Writes a .stria of any size in the time that its bytes take to write: the chunks of a small file, again and again, as the chunks of a
// large cube and of its levels. The picture means nothing; records, indices and payloads are those of a real file.
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { ContainerReader } from '../../src/core/format/container-reader.ts';
import { ContainerWriter } from '../../src/core/format/container-writer.ts';
import { memorySource } from '../../src/core/shared/bytes.ts';

const side = 64;

/**
 * @param small a .stria whose chunks are cubes of 64³ voxels
 * @param chunks along each side of the large cube; a power of two
 * @param isSparse leaves the records of the volume's own chunks unwritten, as holes of the file: quick, and enough for pictures that
 * need only coarser levels
 */
export async function writeLarge(small: string, large: string, chunks: number, isSparse = false): Promise<void> {
  const reader = await ContainerReader.open(memorySource(small, new Uint8Array(await readFile(small))));
  const given = await reader.readChunks(0, reader.chunkCount);
  const file = await open(large, 'w');
  try {
    const dims = [chunks * side, chunks * side, chunks * side, 1] as const;
    const { chunkShape, sourceFormat, volume } = reader.header;
    const sink = sinkOf(file);
    const writer = await ContainerWriter.create(sink, { volume: { ...volume, dims }, chunkShape, sourceFormat });
    const levels = Array.from({ length: Math.log2(chunks) }, (_, at) => 2 ** (at + 1));
    const chunkAt = (number: number) => given[mix(number) % given.length] as (typeof given)[number];
    const layer = (length: number, z: number) =>
      Array.from({ length: length * length }, (_, at) => chunkAt(z * length * length + at));
    for (let z = 0; z < chunks; z++) {
      sink.isHole = isSparse;
      await writer.chunks(z * chunks * chunks, layer(chunks, z));
      sink.isHole = false;
      for (const [at, factor] of levels.entries()) {
        const length = chunks / factor;
        // A level's layer lies behind the layers of the volume that it combines.
        if ((z + 1) % factor === 0)
          await writer.levelChunks(at + 1, ((z / factor) | 0) * length * length, layer(length, (z / factor) | 0));
      }
    }
    await writer.finish(
      await reader.sourceDescription(),
      levels.map((factor, at) => ({
        number: at + 1,
        method: 'mean' as const,
        factors: [factor, factor, factor] as const,
        chunkShape: [side, side, side] as const,
      })),
    );
  } finally {
    await file.close();
  }
}

function sinkOf(file: FileHandle) {
  let at = 0;
  const sink = {
    /** Whether what is written becomes a hole. */
    isHole: false,
    write: async (bytes: Uint8Array) => {
      if (!sink.isHole) await file.write(bytes, 0, bytes.length, at);
      at += bytes.length;
    },
    close: async () => {},
    abort: async () => {},
  };
  return sink;
}

/** Spreads numbers over 32 bits (the finalizer of MurmurHash3). */
function mix(number: number): number {
  let bits = number >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
