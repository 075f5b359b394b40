import { expect, test } from 'vitest';
import { codecByName } from '../codecs/registry.ts';
import type { StoredChunk } from '../gpu-chunks/decode-planner.ts';
import { ReadyCodecs } from './ready-codecs.ts';

const geometry = { shape: [64, 64, 64], elementBytes: 1 } as const;
const rice: StoredChunk = {
  kind: 'coded',
  codec: codecByName('rice'),
  parameters: new Uint8Array(2),
  buffer: {} as GPUBuffer,
  byteOffset: 0,
  byteLength: 4,
};
const chained: StoredChunk = {
  ...rice,
  second: { codec: codecByName('huffman'), parameters: new Uint8Array(0), decodedLength: 4 },
};

test('codecs are compiled once, chains apart from their first codecs, and bricks wait until then', async () => {
  const compiled: (() => void)[] = [];
  const codecs = new ReadyCodecs({ prepare: () => new Promise((resolve) => compiled.push(resolve)) });
  let ready = 0;
  const has = (stored: StoredChunk) => codecs.has(stored, geometry, () => ready++);
  expect([has(rice), has(rice), has(chained)]).toEqual([false, false, false]);
  expect(compiled).toHaveLength(2);
  compiled[0]?.();
  await Promise.resolve();
  expect([has(rice), has(chained), ready]).toEqual([true, false, 1]);
  compiled[1]?.();
  await Promise.resolve();
  expect([has(chained), ready]).toEqual([true, 2]);
});

test('ramps need no codec', () => {
  const codecs = new ReadyCodecs({ prepare: () => Promise.reject(new Error('nothing to compile')) });
  expect(codecs.has({ kind: 'ramp', ramp: {} as never }, geometry, () => {})).toBe(true);
});
