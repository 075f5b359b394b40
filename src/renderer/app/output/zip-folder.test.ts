import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { memorySink } from '../../../core/shared/bytes.ts';
import { zipFolder } from './zip-folder.ts';

test('files come back from the ZIP unchanged, in one folder', async () => {
  const sink = memorySink();
  let isClosed = false;
  const close = async () => {
    isClosed = true;
  };
  const folder = zipFolder({ ...sink, close, name: 'ball turntable.zip', folder: 'Downloads' }, 'ball turntable');
  const files = [1, 2, 3].map((value) => new Uint8Array(value * 1000).fill(value));
  for (const [index, bytes] of files.entries()) await folder.write(`frame-000${index + 1}.png`, bytes);
  expect(isClosed).toBe(false);
  expect(await folder.close()).toBe('ball turntable.zip');
  expect(isClosed).toBe(true);
  const found = unzipSync(sink.bytes());
  expect(Object.keys(found)).toEqual([1, 2, 3].map((number) => `ball turntable/frame-000${number}.png`));
  expect(Object.values(found)).toEqual(files);
});

test('more than a ZIP file can contain is refused, and an abort leaves no file', async () => {
  const sink = memorySink();
  const folder = zipFolder({ ...sink, name: 'a.zip', folder: 'Downloads' }, 'a');
  await folder.write('1.png', new Uint8Array(10));
  // Only the length is used.
  const huge = { byteLength: 2 ** 32 } as Uint8Array;
  await expect(folder.write('2.png', huge)).rejects.toMatchObject({ tag: 'unsupported' });
  await folder.abort();
  expect(sink.bytes().byteLength).toBe(0);
});
