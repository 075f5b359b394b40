import { expect, test } from 'vitest';
import type { Backend } from '../chunks/backend.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { memorySource } from '../shared/bytes.ts';
import { nextTurn } from '../shared/turn.ts';
import { compressBytes, infoOf, only, voxelsOf, watchedSink } from './engine-testing.ts';
import { restoreVolume } from './restore.ts';

const cpu = createCpuBackend(inlinePool());
/** Eight layers of chunks. */
const info = infoOf([64, 64, 128, 1], 'u8');
const voxels = voxelsOf(info, 'noise');
const { bytes: container } = await compressBytes(cpu, info, voxels, { choice: only('raw'), chunkShape: [32, 32, 16] });
const open = () => ContainerReader.open(memorySource('a.stria', container));

/** A backend that lends a copy of what the CPU decodes, a slab of one layer at a time. */
function lending(events: string[]): Backend {
  return {
    ...cpu,
    maxBoxBytes: 2 ** 16,
    boxesAtOnce: 2,
    async decodeLent(chunks, places, box, job = {}) {
      const slab = (job.firstChunk ?? 0) / 4;
      events.push(`begin ${slab}`);
      await nextTurn();
      const bytes = new Uint8Array(box.dims[0] * box.dims[1] * box.dims[2]);
      await cpu.decode(chunks, places, { ...box, bytes }, job);
      events.push(`end ${slab}`);
      return { pieces: () => [{ bytes, release() {} }], release() {} };
    },
  };
}

test('on a GPU the first slab is decoded alone, so that writing begins soon; then two at once', async () => {
  const events: string[] = [];
  const sink = watchedSink();
  await restoreVolume(await open(), async () => sink, { backend: lending(events), baseName: 'a' });
  expect(Buffer.compare(sink.bytes(), voxels)).toBe(0);
  expect(events.slice(0, 4)).toEqual(['begin 0', 'end 0', 'begin 1', 'begin 2']);
});
