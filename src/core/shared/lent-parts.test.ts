import { expect, test } from 'vitest';
import { useLent } from './lent-parts.ts';

const detach = (bytes: Uint8Array<ArrayBuffer>) => structuredClone(bytes, { transfer: [bytes.buffer] });
const lost = { tag: 'device-lost' };

test('memory that is gone before, during or despite a failed use is reported as the loss of the device', async () => {
  const before = Uint8Array.of(1);
  detach(before);
  let uses = 0;
  const use = async () => {
    uses++;
  };
  await expect(useLent([Uint8Array.of(2), before], use)).rejects.toMatchObject(lost);
  expect(uses).toBe(0);
  const during = Uint8Array.of(1);
  await expect(useLent([during], async () => void detach(during))).rejects.toMatchObject(lost);
  const failed = Uint8Array.of(1);
  const fail = async () => {
    detach(failed);
    throw new TypeError('detached');
  };
  await expect(useLent([failed], fail)).rejects.toMatchObject(lost);
  await expect(useLent([Uint8Array.of(1)], async () => Promise.reject(new Error('full')))).rejects.toThrow('full');
  await useLent([Uint8Array.of(1)], use);
  expect(uses).toBe(1);
});
