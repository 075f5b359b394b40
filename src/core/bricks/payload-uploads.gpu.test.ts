import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { PayloadUploads } from './payload-uploads.ts';

const gpu = await openTestGpu();
const mebibyte = 2 ** 20;

test('payloads of any length and number arrive, and later ones replace earlier ones', async () => {
  using scope = gpu.scope('test');
  const uploads = new PayloadUploads(gpu, scope);
  await waitFor(() => uploads.hasRoomFor(mebibyte));
  const target = scope.storage('target', 24 * mebibyte);
  const expected = new Uint8Array(24 * mebibyte);
  const write = (offset: number, length: number, value: number) => {
    uploads.write(target, offset, new Uint8Array(length).fill(value));
    expected.fill(0, offset, offset + Math.ceil(length / 4) * 4);
    expected.fill(value, offset, offset + length);
  };
  // More than all blocks hold, without a flush in between.
  for (let at = 0; at < 20; at++) write(at * mebibyte, mebibyte - at, at + 1);
  write(3 * mebibyte, 5 * mebibyte + 1, 100);
  write(4 * mebibyte, 13, 101);
  uploads.flush();
  expect(Buffer.compare(await gpu.read(target), expected)).toBe(0);
  expect(uploads.hasRoomFor(4 * mebibyte + 1)).toBe(false);
  await waitFor(() => uploads.hasRoomFor(mebibyte));
  write(0, 7, 102);
  uploads.flush();
  expect(Buffer.compare(await gpu.read(target), expected)).toBe(0);
});

test('memory that earlier uploads gave back is used again', async () => {
  for (let at = 1; at <= 3; at++) {
    using scope = gpu.scope('test');
    const uploads = new PayloadUploads(gpu, scope);
    const target = scope.storage('target', 8);
    await waitFor(() => uploads.hasRoomFor(8));
    uploads.write(target, 0, new Uint8Array(8).fill(at));
    uploads.flush();
    expect(new Set(await gpu.read(target))).toEqual(new Set([at]));
  }
});

async function waitFor(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !holds(); ) {
    if (performance.now() > end) throw new Error('it takes too long');
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
