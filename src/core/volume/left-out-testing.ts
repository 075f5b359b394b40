import { ContainerReader } from '../format/container-reader.ts';
import { ContainerWriter } from '../format/container-writer.ts';
import { memorySink, memorySource } from '../shared/bytes.ts';

/**
 * A container without its finest levels. @param bytes of one with levels @param count how many levels are left out
 * @param lost a chunk of zeros that is marked as lost
 */
export async function withoutFinest(bytes: Uint8Array, count: number, lost?: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = await ContainerReader.open(memorySource('whole.stria', bytes));
  const levels = (await reader.levels()).slice(count);
  const sink = memorySink();
  const { volume, chunkShape, sourceFormat } = reader.header;
  const source = await reader.sourceDescription();
  const writer = await ContainerWriter.create(sink, { volume, chunkShape, sourceFormat, stored: source.stored });
  const chunks = await reader.readChunks(0, reader.chunkCount);
  await writer.chunks(
    0,
    chunks.map((chunk, number) => (number === lost && chunk.kind === 'constant' ? { ...chunk, isLost: true } : chunk)),
  );
  for (const [at, level] of levels.entries()) {
    await writer.levelChunks(at + 1, 0, await level.readChunks(0, level.chunkCount));
  }
  const headers = levels.flatMap(({ level }, at) => (level ? [{ ...level, number: at + 1 }] : []));
  await writer.finish(source, headers);
  return sink.bytes();
}
