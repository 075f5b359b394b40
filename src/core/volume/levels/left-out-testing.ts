import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { type ChunkShape, codecElementBytes } from '../../format/chunk-grid.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { ContainerWriter } from '../../format/container-writer.ts';
import { planLevels } from '../../levels/level-plan.ts';
import { LevelStack } from '../../levels/level-stack.ts';
import { memorySink, memorySource } from '../../shared/bytes.ts';
import type { HalvingMethod } from '../../shared/halving.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { auto, compressBytes } from '../../stream/engine-testing.ts';
import { rangeOf } from '../../stream/slabs.ts';

const backend = createCpuBackend(inlinePool());

/** A container with all levels, however much of it they take. */
export async function withAllLevels(
  info: VolumeInfo,
  voxels: Uint8Array,
  chunkShape: ChunkShape,
  method: HalvingMethod = 'mean',
): Promise<Uint8Array<ArrayBuffer>> {
  const { bytes } = await compressBytes(backend, info, voxels, { chunkShape, levels: false });
  const reader = await ContainerReader.open(memorySource('without.stria', bytes));
  const halvings = planLevels(info, chunkShape);
  const stack = new LevelStack(info, reader.grid, halvings, method);
  await stack.push(voxels);
  const sink = memorySink();
  const source = await reader.sourceDescription();
  const { sourceFormat } = reader.header;
  const writer = await ContainerWriter.create(sink, {
    volume: info,
    chunkShape: reader.header.chunkShape,
    sourceFormat,
    stored: source.stored,
  });
  await writer.chunks(0, await reader.readChunks(0, reader.chunkCount));
  const runs = stack.takeRuns(reader.chunkCount).sort((a, b) => a.level - b.level || a.firstChunk - b.firstChunk);
  for (const { level, firstChunk, chunkCount, dims, memory } of runs) {
    const grid = halvings.find((halving) => halving.level === level)?.grid;
    if (!grid) throw new Error(`there is no level ${level}`);
    const { chunks } = rangeOf(grid, firstChunk, chunkCount);
    const box = { bytes: memory.bytes as Uint8Array<ArrayBuffer>, dims, elementBytes: codecElementBytes(info.type) };
    await writer.levelChunks(level, firstChunk, await backend.encode(box, chunks, auto));
  }
  await writer.finish(source, stack.headers);
  return sink.bytes();
}

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
