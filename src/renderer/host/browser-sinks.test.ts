import { expect, test } from 'vitest';
import { distinctDownloads, pickedSink, removed } from './browser-sinks.ts';

test('a file that the browser still holds is removed once it is released; any other fault stops the attempts', async () => {
  const tries: string[] = [];
  const refusing = (...names: string[]) => {
    tries.length = 0;
    return async () => {
      const name = names.shift();
      tries.push(name ?? 'removed');
      if (name) throw new DOMException('', name);
    };
  };
  await removed(refusing('NoModificationAllowedError', 'NoModificationAllowedError'));
  expect(tries).toEqual(['NoModificationAllowedError', 'NoModificationAllowedError', 'removed']);
  await removed(refusing('NotFoundError'));
  expect(tries).toEqual(['NotFoundError']);
  await removed(refusing(...Array<string>(20).fill('NoModificationAllowedError')));
  expect(tries).toHaveLength(10);
});

test('two downloads with the same name get different names, like files beside their sources; an aborted one frees its name', async () => {
  const download = distinctDownloads();
  const sinks = await Promise.all(['a.nii.stria', 'a.nii.stria', 'A.nii.stria', 'b.stria'].map(download));
  expect(sinks.map(({ name }) => name)).toEqual(['a.nii.stria', 'a.nii (2).stria', 'A.nii (3).stria', 'b.stria']);
  await sinks[1]?.abort();
  expect((await download('a.nii.stria')).name).toBe('a.nii (2).stria');
});

test('a file that is begun again has only what is written after that', async () => {
  const steps: unknown[] = [];
  const writable = {
    write: async (bytes: Uint8Array) => steps.push([...bytes]),
    truncate: async (size: number) => steps.push(size),
    close: async () => {},
  };
  const handle = { name: 'a.stria', createWritable: async () => writable } as unknown as FileSystemFileHandle;
  const sink = await pickedSink(handle, '', undefined);
  await sink.write(Uint8Array.of(1, 2));
  await sink.restart();
  await sink.write(Uint8Array.of(3));
  await sink.close();
  expect(steps).toEqual([[1, 2], 0, [3]]);
});

test('a file that is being written cannot be written by another sink, until the first one has ended', async () => {
  const handleOf = (name: string) =>
    ({
      name,
      isSameEntry: async (other: FileSystemFileHandle) => other.name === name,
      createWritable: async () => ({ write: async () => {}, close: async () => {}, abort: async () => {} }),
    }) as unknown as FileSystemFileHandle;
  const removedFiles: string[] = [];
  const begin = (name: string) => pickedSink(handleOf(name), '', async () => void removedFiles.push(name));
  const refused = { tag: 'not-writable', message: expect.stringContaining("'a.stria' is being written") };
  const first = await begin('a.stria');
  await expect(begin('a.stria')).rejects.toMatchObject(refused);
  const other = await begin('b.stria');
  await other.abort();
  expect(removedFiles).toEqual(['b.stria']);
  await first.close();
  const second = await begin('a.stria');
  await expect(begin('a.stria')).rejects.toMatchObject(refused);
  await second.abort();
  await (await begin('a.stria')).close();
});
