import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { GpuDiagnosis } from '../gpu/diagnosis.ts';
import { Gpu } from '../gpu/gpu.ts';
import { GpuEncoder } from './gpu-encoder.ts';

test('once a command ends, no kernel is guessed any more, and none is being compiled after `settle`', async () => {
  const compiling = new Set<string>();
  const begun: string[] = [];
  const device = {
    features: new Set(),
    limits: { maxBufferSize: 2 ** 30, maxStorageBufferBindingSize: 2 ** 30 },
    lost: new Promise(() => {}),
    addEventListener: () => {},
    pushErrorScope: () => {},
    popErrorScope: async () => null,
    createShaderModule: () => ({}),
    async createComputePipelineAsync({ label }: GPUComputePipelineDescriptor) {
      begun.push(label as string);
      compiling.add(label as string);
      // The first codec compiles until the second is guessed.
      await sleep(100);
      compiling.delete(label as string);
      return { getBindGroupLayout: () => ({}) };
    },
    queue: { onSubmittedWorkDone: async () => undefined },
  };
  const gpu = new Gpu(device as unknown as GPUDevice, { software: false } as GpuDiagnosis);
  const preparing = new GpuEncoder(gpu).prepare([[64, 64, 64]], 1, { codec: 'auto', options: { axis: 'auto' } });
  expect(begun).toContain('rice.encode');
  gpu.endPreparing();
  await gpu.settle();
  expect([...compiling]).toEqual([]);
  await preparing;
  expect(begun.filter((label) => !/^(rice|engine|codec)\./.test(label))).toEqual([]);
});
