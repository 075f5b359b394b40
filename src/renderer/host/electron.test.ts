import { expect, test, vi } from 'vitest';
import type { OpenedFile, StriaBridge } from '../../core/shared/ipc.ts';
import { electronHost } from './electron.ts';

const opened: OpenedFile = { id: '1', name: 'scan.hdr', size: 3, url: 'app://stria/file/1' };

/** A bridge that answers each call with the value that the test gives for its name. */
function bridgeWith(answers: Record<string, unknown>) {
  const call = vi.fn(async (name: string, ..._args: unknown[]) => ({ ok: true, value: answers[name] ?? null }));
  const bridge = { call, on: vi.fn(), openDropped: vi.fn(async () => ({ ok: true, value: answers.dropped ?? null })) };
  return { host: electronHost(bridge as unknown as StriaBridge), call };
}

test('a long write is sent in pieces, in order', async () => {
  const { host, call } = bridgeWith({ 'save-begin': { id: 's', name: 'a.stria', folder: '/data' } });
  const sink = await host.saveAs('a.stria');
  await sink?.write(new Uint8Array(9 * 1024 * 1024 + 1).fill(7));
  await sink?.write(new Uint8Array(0));
  await sink?.restart();
  expect(call.mock.calls.at(-1)).toEqual(['save-restart', 's']);
  await sink?.close();
  const sizes = call.mock.calls.filter(([name]) => name === 'save-write').map(([, , bytes]) => (bytes as Uint8Array).byteLength);
  expect(sizes).toEqual([4 * 1024 * 1024, 4 * 1024 * 1024, 1024 * 1024 + 1]);
  expect(call.mock.calls.at(-1)).toEqual(['save-commit', 's']);
  expect([sink?.name, sink?.folder]).toEqual(['a.stria', '/data']);
});

test('a piece is sent without the rest of the buffer that it is a view of', async () => {
  const { host, call } = bridgeWith({
    'save-begin': { id: 's', name: 'a.stria', folder: '/data' },
    'folder-begin': { id: 'f', name: 'frames', folder: '/data' },
  });
  const large = new Uint8Array(64 * 1024 * 1024).fill(7);
  const whole = new Uint8Array(1000);
  const sink = await host.saveAs('a.stria');
  await sink?.write(large.subarray(100, 104));
  await sink?.write(large.subarray(0, 5 * 1024 * 1024));
  await sink?.write(whole);
  await (await host.saveFolder('frames'))?.write('1.png', large.subarray(0, 10));
  const sent = call.mock.calls.flatMap((args) => args.filter((arg) => arg instanceof Uint8Array));
  expect(sent.map(({ byteLength, buffer }) => [byteLength, buffer.byteLength])).toEqual(
    [4, 4 * 1024 * 1024, 1024 * 1024, 1000, 10].map((length) => [length, length]),
  );
  expect([...(sent[0] ?? [])]).toEqual([7, 7, 7, 7]);
  // A view of a whole buffer is not copied again.
  expect(sent[3]?.buffer).toBe(whole.buffer);
});

test('faults from main are not changed', async () => {
  const error = { tag: 'not-writable', message: 'the disk is full', context: ['a.stria'] };
  const bridge = { call: async () => ({ ok: false, error }), on: () => () => undefined, openDropped: vi.fn() };
  const host = electronHost(bridge as unknown as StriaBridge);
  await expect(host.saveAs('a.stria')).rejects.toMatchObject({ tag: 'not-writable', fullMessage: 'a.stria: the disk is full' });
});

test('a dropped file without a path stays a blob', async () => {
  const { host } = bridgeWith({});
  const [first] = await host.adopt([new File(['abc'], 'a.hdr'), new File(['de'], 'a.img')]);
  expect(first).toMatchObject({ name: 'a.hdr', size: 3, handle: { kind: 'blob' }, id: undefined });
  expect(await first?.siblings('a.img')).toMatchObject({ size: 2 });
  expect(await first?.siblings('b.img')).toBeUndefined();
});

test('a dropped file with a path is read by its URL, and main is asked for its siblings', async () => {
  const { host, call } = bridgeWith({ dropped: opened, 'open-sibling': { ...opened, id: '2', name: 'scan.img', size: 9 } });
  const [file] = await host.adopt([new File(['abc'], 'scan.hdr')]);
  expect(file).toMatchObject({ id: '1', handle: { kind: 'url', url: opened.url, size: 3 } });
  expect(await file?.siblings('scan.img')).toMatchObject({ name: 'scan.img', size: 9 });
  expect(call).toHaveBeenLastCalledWith('open-sibling', '1', 'scan.img');
});

test('a thumbnail that main would refuse is left out, and a file without an id is not added to the recent files', async () => {
  const { host, call } = bridgeWith({ dropped: opened });
  const [file] = await host.adopt([new File(['abc'], 'scan.hdr')]);
  if (file === undefined) throw new Error('no file');
  await host.remember(file, 'x'.repeat(70_000));
  expect(call).toHaveBeenLastCalledWith('recent-add', '1', null, null);
  await host.remember(file, 'small');
  expect(call).toHaveBeenLastCalledWith('recent-add', '1', 'small', null);
  await host.remember({ ...file, id: undefined }, 'small');
  expect(call).toHaveBeenCalledTimes(2);
});

test('closing a save dialog gives no sink, or aborts a save beside the source', async () => {
  const { host } = bridgeWith({});
  expect(await host.saveAs('a.stria')).toBeUndefined();
  const [file] = await host.adopt([new File(['abc'], 'scan.hdr')]);
  if (file === undefined) throw new Error('no file');
  await expect(host.saveBeside(file, 'a.stria')).rejects.toMatchObject({ tag: 'aborted' });
});

test('a recent address of the menu that cannot be opened is reported', async () => {
  let opens: (files: OpenedFile[]) => void = () => undefined;
  const error = { tag: 'not-readable', message: 'you chose not to connect to example.org', context: [] };
  const bridge = {
    call: async () => ({ ok: false, error }),
    on: (_: string, listener: typeof opens) => {
      opens = listener;
      return () => undefined;
    },
    openDropped: vi.fn(),
  };
  const faults: unknown[] = [];
  electronHost(bridge as unknown as StriaBridge).onFilesOpened(vi.fn(), (fault) => faults.push(fault));
  opens([{ id: '', name: '', size: 0, url: '', address: 'https://example.org/a.nii' }]);
  await vi.waitFor(() => expect(faults).toMatchObject([{ tag: 'not-readable' }]));
});
