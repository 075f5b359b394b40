import { expect, test } from 'vitest';
import { StriaError } from '../../shared/errors.ts';
import { nextTurn } from '../../shared/turn.ts';
import { PieceWriter } from './piece-writer.ts';

/** Writes that end when they are told to. */
function heldSink(writesAtOnce?: number) {
  const log: string[] = [];
  const writes: { end(): void; fail(error: unknown): void }[] = [];
  const write = ([first]: Uint8Array) => {
    log.push(`write ${first}`);
    return new Promise<void>((end, fail) => writes.push({ end, fail }));
  };
  const piece = (number: number) => ({ bytes: Uint8Array.of(number), release: () => log.push(`release ${number}`) });
  const end = async (number: number) => {
    writes[number]?.end();
    await nextTurn();
  };
  return { log, writes, writer: new PieceWriter({ write, writesAtOnce }), piece, end };
}

test('as many writes are under way as the sink takes, and each piece is released when its own write ends', async () => {
  const { log, writer, piece, end } = heldSink(2);
  const work = (async () => {
    for (let number = 0; number < 4; number++) {
      await writer.ready();
      writer.write(piece(number));
    }
  })();
  await nextTurn();
  expect(log).toEqual(['write 0', 'write 1']);
  await end(1);
  expect(log).toEqual(['write 0', 'write 1', 'release 1', 'write 2']);
  await end(0);
  await work;
  expect(log.slice(4)).toEqual(['release 0', 'write 3']);
});

test('other sinks get one write at a time', async () => {
  const { log, writer, piece, end } = heldSink();
  writer.write(piece(0));
  const ready = writer.ready().then(() => log.push('ready'));
  await nextTurn();
  expect(log).toEqual(['write 0']);
  await end(0);
  await ready;
  expect(log).toEqual(['write 0', 'release 0', 'ready']);
});

test('the first error stays, whatever the write that is still under way does', async () => {
  const { log, writes, writer, piece } = heldSink(2);
  const written = [0, 1].map((number) => writer.write(piece(number)));
  const full = new StriaError('not-writable', 'the disk is full');
  writes[1]?.fail(full);
  await expect(writer.ready()).rejects.toBe(full);
  expect(log).toEqual(['write 0', 'write 1', 'release 1']);
  writes[0]?.fail(new Error('another'));
  await Promise.all(written);
  expect(log.at(-1)).toBe('release 0');
  expect(() => writer.check()).toThrow(full);
});

test('memory that is lost during a write is an error', async () => {
  const bytes = new Uint8Array(4);
  const writer = new PieceWriter({ write: async () => void structuredClone(bytes, { transfer: [bytes.buffer] }) });
  await writer.write({ bytes, release() {} });
  expect(() => writer.check()).toThrow(expect.objectContaining({ tag: 'device-lost' }));
});
