// Small files that describe huge volumes, for tests of the command's memory use.
import type { EncodedChunk } from '../core/format/chunk.ts';
import { type ChunkShape, withTimePoints } from '../core/format/chunk-grid.ts';
import {
  constantChunk,
  joinRecords,
  rawSource,
  smallChunks,
  smallContainer,
  smallVolume,
  splitRecords,
  writeContainer,
} from '../core/format/container-testing.ts';
import { ContainerWriter } from '../core/format/container-writer.ts';
import { LostChunks } from '../core/format/lost-chunks.ts';
import { memorySink } from '../core/shared/bytes.ts';
import type { Dims4 } from '../core/shared/volume.ts';

/** A sound file of zeros, a few hundred bytes for any dims: all chunks have one shape and are constant. */
export async function zeros(dims: Dims4, chunkShape: ChunkShape): Promise<Uint8Array> {
  const sink = memorySink();
  const volume = { ...smallVolume, dims };
  const writer = await ContainerWriter.create(sink, { volume, chunkShape: withTimePoints(chunkShape), sourceFormat: 'raw' });
  const { shape } = writer.grid.box(0);
  await writer.repeat(0, writer.grid.count, new LostChunks(1).zeros(shape));
  await writer.finish(rawSource);
  return sink.bytes();
}

/** Like `zeros`, but cut off after the first chunk. */
export async function cutZeros(dims: Dims4, chunkShape: ChunkShape): Promise<Uint8Array> {
  const sink = memorySink();
  const volume = { ...smallVolume, dims };
  const writer = await ContainerWriter.create(sink, { volume, chunkShape: withTimePoints(chunkShape), sourceFormat: 'raw' });
  await writer.chunk(0, smallChunks[0] as EncodedChunk);
  return sink.bytes();
}

/** A file whose header, index and end describe `count` chunks of one voxel, with valid checksums. */
export async function manyChunks(dims: Dims4, count: number): Promise<Uint8Array> {
  const bytes = await writeContainer(
    { ...smallContainer, volume: { ...smallVolume, dims: [1, 1, 1, 1] }, chunkShape: [1, 1, 1, 1] },
    [constantChunk(0)],
  );
  const records = splitRecords(bytes).map((record) => {
    const body = record.body.slice();
    const view = new DataView(body.buffer);
    if (record.type === 'HEAD' || record.type === 'head') {
      const json = new TextDecoder().decode(body).replace('"dims":[1,1,1,1]', `"dims":[${dims}]`);
      return { ...record, body: new TextEncoder().encode(json) };
    }
    // After the counts of methods and runs come the run's kind and its number of chunks.
    if (record.type === 'INDX') view.setUint32(9, count, true);
    if (record.type === 'CONS') view.setUint32(8, count, true);
    if (record.type === 'TAIL') view.setUint32(0, count, true);
    return { ...record, body };
  });
  return joinRecords(records, bytes);
}
