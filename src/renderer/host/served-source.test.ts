import { expect, test } from 'vitest';
import { type ByteSource, memorySource } from '../../core/shared/bytes.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { servedSource, serveSource } from './served-source.ts';

const bytes = Uint8Array.from({ length: 100 }, (_, at) => at);

function served(source: ByteSource) {
  const { port1, port2 } = new MessageChannel();
  const end = serveSource(port1, source);
  return { source: servedSource(source.name, source.size, port2), end };
}

test('a file of another thread is read in parts, also into given memory', async () => {
  const { source, end } = served(memorySource('a.stria', bytes));
  expect([source.name, source.size]).toEqual(['a.stria', 100]);
  const [first, second] = await Promise.all([source.read(3, 4), source.read(98, 10)]);
  expect(first).toEqual(bytes.slice(3, 7));
  expect(second).toEqual(bytes.slice(98));
  const into = new ArrayBuffer(64);
  const read = await source.read(50, 3, { into });
  expect(read.buffer).toBe(into);
  expect(read).toEqual(bytes.slice(50, 53));
  end();
});

test('faults arrive with their tags', async () => {
  const fault = new StriaError('not-readable', 'the server answered 500', { context: ['a.stria'] });
  const { source, end } = served({ ...memorySource('a.stria', bytes), read: () => Promise.reject(fault) });
  await expect(source.read(0, 1)).rejects.toMatchObject({ tag: 'not-readable', message: fault.message, context: ['a.stria'] });
  end();
});

/** A file whose reads end only when they are cancelled. */
function endless() {
  const signals: AbortSignal[] = [];
  const read: ByteSource['read'] = (_offset, _length, { signal } = {}) =>
    new Promise((_, reject) => {
      if (signal) signals.push(signal);
      signal?.addEventListener('abort', () => reject(new StriaError('aborted', 'cancelled')));
    });
  return { signals, source: { ...memorySource('a.stria', bytes), read } };
}

test('a cancelled read ends at both ends, and the others go on', async () => {
  const { signals, source: slow } = endless();
  const { source, end } = served(slow);
  const controller = new AbortController();
  const cancelled = source.read(0, 1, { signal: controller.signal });
  void source.read(1, 1).catch(() => {});
  await expect.poll(() => signals.length).toBe(2);
  controller.abort();
  await expect(cancelled).rejects.toMatchObject({ tag: 'aborted' });
  await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  await expect(source.read(0, 1, { signal: controller.signal })).rejects.toMatchObject({ tag: 'aborted' });
  end();
});

test('reads end when the file is no longer served', async () => {
  const { signals, source: slow } = endless();
  const { source, end } = served(slow);
  void source.read(0, 1).catch(() => {});
  await expect.poll(() => signals.length).toBe(1);
  end();
  expect(signals[0]?.aborted).toBe(true);
});
