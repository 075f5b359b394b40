import { expect, test } from 'vitest';
import { codecByName } from '../codecs/registry.ts';
import type { StoredChunk } from '../gpu-chunks/decode-planner.ts';
import type { Dims3 } from '../shared/volume.ts';
import { ReadyCodecs } from './ready-codecs.ts';

const geometry = { shape: [64, 64, 64], elementBytes: 1 } as const;
const rice = {
  kind: 'coded',
  codec: codecByName('rice'),
  parameters: new Uint8Array(2),
  buffer: {} as GPUBuffer,
  byteOffset: 0,
  byteLength: 4,
} as const satisfies StoredChunk;
const chained: StoredChunk = {
  ...rice,
  second: { codec: codecByName('huffman'), parameters: new Uint8Array(0), decodedLength: 4 },
};

test('codecs are compiled once for each form of chunks, chains apart from their first codecs, and bricks wait until then', async () => {
  const compiled: (() => void)[] = [];
  const codecs = new ReadyCodecs({ prepare: () => new Promise((resolve) => compiled.push(resolve)) });
  let ready = 0;
  const has = (stored: StoredChunk, shape: Dims3 = geometry.shape) => codecs.has(stored, { ...geometry, shape }, () => ready++);
  const finish = async (at: number) => {
    compiled[at]?.();
    await Promise.resolve();
  };
  expect(codecs.isCompiling).toBe(false);
  expect([has(rice), has(rice), has(chained)]).toEqual([false, false, false]);
  expect(compiled).toHaveLength(2);
  await finish(0);
  expect([has(rice), has(chained), ready, codecs.isCompiling]).toEqual([true, false, 1, true]);
  await finish(1);
  expect([has(chained), ready, codecs.isCompiling]).toEqual([true, 2, false]);
  // A brick that the volume's edge clips, and one with other parameters, need other kernels.
  const causal = { ...rice, parameters: Uint8Array.of(1, 0) };
  expect([has(rice, [64, 64, 17]), has(causal), has(rice)]).toEqual([false, false, true]);
  expect(compiled).toHaveLength(4);
  await finish(3);
  expect([has(rice, [64, 64, 17]), has(causal)]).toEqual([false, true]);
});

test('ramps need no codec', () => {
  const codecs = new ReadyCodecs({ prepare: () => Promise.reject(new Error('nothing to compile')) });
  expect(codecs.has({ kind: 'ramp', ramp: {} as never }, geometry, () => {})).toBe(true);
});
