import { describe, expect, it } from 'vitest';
import { memorySink, memorySource } from '../../../core/shared/bytes.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { remoteSiblings, remoteSink, serveSiblings, serveSink } from './ports.ts';

describe('siblings over a port', () => {
  it('are found, and read by ranges', async () => {
    const file = memorySource('a.img', new Uint8Array([1, 2, 3, 4, 5]));
    const port = serveSiblings(async (name) => (name === 'a.img' ? file : undefined));
    const siblings = remoteSiblings(port);
    expect(await siblings('b.img')).toBeUndefined();
    const found = await siblings('a.img');
    expect(found?.size).toBe(5);
    expect(await found?.read(1, 3)).toEqual(new Uint8Array([2, 3, 4]));
    port.close();
  });

  it('pass faults on with their tags', async () => {
    const port = serveSiblings(async () => {
      throw new StriaError('not-readable', 'no permission', { context: ['a.img'] });
    });
    await expect(remoteSiblings(port)('a.img')).rejects.toMatchObject({
      tag: 'not-readable',
      message: 'no permission',
      context: ['a.img'],
    });
    port.close();
  });
});

describe('a sink over a port', () => {
  it('gathers small writes and keeps their order', async () => {
    const sink = memorySink();
    let writes = 0;
    let closed = false;
    const port = serveSink({
      ...sink,
      write: async (bytes) => {
        writes++;
        await sink.write(bytes);
      },
      close: async () => {
        closed = true;
      },
    });
    const remote = remoteSink(port);
    const reused = new Uint8Array(1);
    for (let i = 0; i < 200; i++) {
      reused[0] = i;
      await remote.write(reused);
    }
    expect(closed).toBe(false);
    await remote.close();
    expect(closed).toBe(true);
    expect(writes).toBe(1);
    expect(sink.bytes()).toEqual(Uint8Array.from({ length: 200 }, (_, i) => i));
    port.close();
  });

  it('tells the writer that the disk is full', async () => {
    const port = serveSink({
      write: async () => {
        throw new StriaError('not-writable', 'disk full');
      },
      close: async () => {},
      abort: async () => {},
    });
    await expect(remoteSink(port).write(new Uint8Array(2 << 20))).rejects.toMatchObject({ tag: 'not-writable' });
    port.close();
  });
});
