import Zstd from 'numcodecs/zstd';
import { expect, test } from 'vitest';
import { zstdBytes } from './zstd-length.ts';

const codec = Zstd.fromConfig({ id: 'zstd' } as never);
const content = Uint8Array.from({ length: 5000 }, (_, at) => (at * at) >> 9);
const skippable = [0x5a, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9];

test('the content of one frame, and of several', async () => {
  const frame = await codec.encode(content);
  expect(zstdBytes(frame)).toBe(5000);
  const frames = Uint8Array.from([...frame, ...skippable, ...frame]);
  expect(zstdBytes(frames)).toBe(10_000);
  expect((await codec.decode(frames)).length).toBe(10_000);
});

test('a frame that ends early is refused', async () => {
  const frame = await codec.encode(content);
  for (let length = 0; length < frame.length; length++)
    expect(() => zstdBytes(frame.slice(0, length)), `${length} bytes`).toThrow('end inside a frame');
});

// The decoder waits forever for the rest of such a frame.
test('bytes after the last frame are refused', async () => {
  const frame = await codec.encode(content);
  for (const rest of [[0], [0x28], [0x28, 0xb5, 0x2f, 0xfd], [...skippable.slice(0, -1)]])
    expect(() => zstdBytes(Uint8Array.from([...frame, ...rest])), `${rest}`).toThrow('end inside a frame');
  expect(() => zstdBytes(Uint8Array.from([...frame, 1, 2, 3, 4, 5]))).toThrow('not valid Zstandard');
});
