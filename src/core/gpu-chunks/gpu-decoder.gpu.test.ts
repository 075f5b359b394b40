import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { codedChunk } from '../chunks/choose.ts';
import { codecById, codecByName } from '../codecs/registry.ts';
import { checksum } from '../format/checksum.ts';
import type { CodedChunk, EncodedChunk } from '../format/chunk.ts';
import { createGpuBackend } from './gpu-backend.ts';

const gpu = await openTestGpu();

test('a chunk with parameters that no encoder writes is damaged, and the others of its batch are not', async () => {
  const shape = [16, 16, 4] as const;
  const bytes = Uint8Array.from({ length: 1024 }, (_, i) => (i * i) % 7);
  const stage = { codec: codecById(1), parameters: new Uint8Array(0) };
  const sound = codedChunk([stage], bytes, checksum(bytes));
  const damaged: EncodedChunk = { ...sound, stages: [{ codecId: 3, parameters: Uint8Array.of(3) }] };
  const box = { bytes: new Uint8Array(2048), dims: [16, 16, 8], elementBytes: 1 } as const;
  const places = [0, 4].map((z) => ({ origin: [0, 0, z] as const, shape }));
  const found: number[] = [];
  await createGpuBackend(gpu).decode([damaged, sound], places, box, { onDamage: (chunk) => found.push(chunk) });
  expect(found).toEqual([0]);
  expect(box.bytes.subarray(1024)).toEqual(bytes);
});

test('getting ready for chunks compiles the kernels that decode them, whatever is wrong with other chunks', async () => {
  const shape = [64, 64, 64] as const;
  const bytes = Uint8Array.from({ length: 64 ** 3 }, (_, at) => (at * at) >> 7);
  const place = { origin: [0, 0, 0], shape } as const;
  const backend = createGpuBackend(gpu);
  const [sound] = await backend.encode({ bytes, dims: shape, elementBytes: 1 }, [place], {
    codec: [codecByName('rice')],
    options: { axis: 'auto' },
  });
  const unknown = { ...(sound as CodedChunk), stages: [{ codecId: 200, parameters: new Uint8Array(0) }] };
  const labels: string[] = [];
  const prepareKernels = gpu.prepareKernels;
  gpu.prepareKernels = async (descriptors) => void labels.push(...descriptors.map(({ label }) => label));
  try {
    const box = { dims: [64, 64, 128], elementBytes: 1 } as const;
    await backend.prepareDecode?.([sound as EncodedChunk, unknown], [place, { origin: [0, 0, 64], shape }], box);
    const prepared = labels.splice(0).sort();
    const lent = await backend.decodeLent?.([sound as EncodedChunk], [place], { dims: shape, elementBytes: 1 });
    lent?.release();
    expect(prepared).toEqual(labels.sort());
    expect(prepared).toContain('rice.decode');
  } finally {
    gpu.prepareKernels = prepareKernels;
  }
});
