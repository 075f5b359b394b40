import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import type { Backend } from '../chunks/backend.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { readVoxels } from '../io/common/source-testing.ts';
import { memorySource } from '../shared/bytes.ts';
import { fileFormats } from '../shared/source.ts';
import { verifyContainer } from './check/verify.ts';
import { compressVolume } from './compress/compress.ts';
import { auto, restoreBytes, watchedSink } from './engine-testing.ts';
import { type Files, formatCases, openFiles } from './formats-testing.ts';

// Every readable format, from its files to a .stria and back, with both backends.

const gpu = createGpuBackend(await openTestGpu());
const cpu = createCpuBackend(inlinePool());

test('every readable format has a row', () => {
  expect([...new Set(formatCases.map(([format]) => format))].sort()).toEqual([...fileFormats].sort());
});

test.each(formatCases)(
  '%s, %s: the same .stria from GPU and CPU, and back',
  async (format, _, { files, restored = files, values }) => {
    const stria = await compressed(files, gpu, format);
    expect(stria).toEqual(await compressed(files, cpu));
    const container = await ContainerReader.open(memorySource('a.stria', stria));
    for (const backend of [gpu, cpu]) {
      expect(await verifyContainer(container, { backend })).toMatchObject({ sound: true, problems: [] });
    }
    const back = Object.fromEntries(await restoreBytes(gpu, stria));
    if (values === undefined) expect(back).toEqual(restored);
    else expect(await readVoxels(await openFiles(back))).toEqual(values);
    expect(Object.fromEntries(await restoreBytes(cpu, stria))).toEqual(back);
  },
);

async function compressed(files: Files, backend: Backend, format?: string): Promise<Uint8Array> {
  const sink = watchedSink();
  const volume = await openFiles(files);
  if (format !== undefined) expect(volume.format).toBe(format);
  await compressVolume(volume, sink, { backend, choice: auto, chunkShape: [16, 16, 16] });
  return sink.bytes();
}
