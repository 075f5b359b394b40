import type { ByteSink, ByteSource, SiblingFinder } from '../../../core/shared/bytes.ts';
import { type FaultData, faultFromData, faultToData } from '../../../core/shared/errors.ts';

/**
 * Calls over a MessagePort: one side serves, the other calls, and each reply carries the number of its question. Used where
 * a worker needs something that only the window has: the files beside a file, or a sink that the shell opened.
 */
interface Question {
  readonly number: number;
  readonly name: string;
  readonly args: readonly unknown[];
}
type Reply = { readonly number: number; readonly value: unknown } | { readonly number: number; readonly fault: FaultData };

type Caller = <T>(name: string, args: readonly unknown[], transfer?: Transferable[]) => Promise<T>;
type Handlers = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

function serve(port: MessagePort, handlers: Handlers): void {
  port.onmessage = async ({ data }: MessageEvent<Question>) => {
    let reply: Reply;
    try {
      const handler = handlers[data.name] as (...args: readonly unknown[]) => Promise<unknown>;
      reply = { number: data.number, value: await handler(...data.args) };
    } catch (error) {
      reply = { number: data.number, fault: faultToData(error) };
    }
    const bytes = 'value' in reply && reply.value instanceof Uint8Array ? [reply.value.buffer as ArrayBuffer] : [];
    port.postMessage(reply, bytes);
  };
}

function callerOf(port: MessagePort): Caller {
  let next = 0;
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: unknown) => void }>();
  port.onmessage = ({ data }: MessageEvent<Reply>) => {
    const asked = waiting.get(data.number);
    waiting.delete(data.number);
    if ('fault' in data) asked?.reject(faultFromData(data.fault));
    else asked?.resolve(data.value as never);
  };
  return (name, args, transfer = []) =>
    new Promise((resolve, reject) => {
      const number = next++;
      waiting.set(number, { resolve, reject });
      port.postMessage({ number, name, args } satisfies Question, transfer);
    });
}

/** Lets a worker find and read the files beside a file, through the returned port. */
export function serveSiblings(siblings: SiblingFinder): MessagePort {
  const { port1, port2 } = new MessageChannel();
  const found = new Map<string, ByteSource>();
  serve(port1, {
    find: async (name: string) => {
      const source = await siblings(name);
      if (!source) return undefined;
      found.set(name, source);
      return { name: source.name, size: source.size, modifiedMs: source.modifiedMs };
    },
    read: async (name: string, offset: number, length: number) => found.get(name)?.read(offset, length),
  });
  return port2;
}

const finders = new WeakMap<MessagePort, SiblingFinder>();

/** The worker's end of `serveSiblings`: the same one for each call, since a port has one listener. */
export function remoteSiblings(port: MessagePort): SiblingFinder {
  const finder = finders.get(port) ?? finderAt(port);
  finders.set(port, finder);
  return finder;
}

function finderAt(port: MessagePort): SiblingFinder {
  const call = callerOf(port);
  return async (name) => {
    const found = await call<Pick<ByteSource, 'name' | 'size' | 'modifiedMs'> | undefined>('find', [name]);
    return found && { ...found, read: (offset, length) => call('read', [name, offset, length]) };
  };
}

/** Lets a worker write to a sink of the window. */
export function serveSink(sink: ByteSink): MessagePort {
  const { port1, port2 } = new MessageChannel();
  serve(port1, {
    write: async (bytes: Uint8Array) => sink.write(bytes),
    close: () => sink.close(),
    abort: () => sink.abort(),
  });
  return port2;
}

/** Small writes are gathered up to this many bytes before they are sent. */
const gatheredBytes = 1 << 20;

/** The worker's end of `serveSink`. A write resolves when the window has written, which provides backpressure. */
export function remoteSink(port: MessagePort): ByteSink {
  const call = callerOf(port);
  let gathered: Uint8Array[] = [];
  let length = 0;
  const flush = async (): Promise<void> => {
    if (length === 0) return;
    const bytes = new Uint8Array(length);
    let offset = 0;
    for (const part of gathered) {
      bytes.set(part, offset);
      offset += part.byteLength;
    }
    gathered = [];
    length = 0;
    await call('write', [bytes], [bytes.buffer]);
  };
  return {
    async write(bytes) {
      gathered.push(bytes.slice());
      length += bytes.byteLength;
      if (length >= gatheredBytes) await flush();
    },
    async close() {
      await flush();
      await call('close', []);
    },
    async abort() {
      gathered = [];
      length = 0;
      await call('abort', []);
    },
  };
}
