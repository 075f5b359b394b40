import type { ByteSource } from '../../core/shared/bytes.ts';
import { type FaultData, faultFromData, faultToData, StriaError } from '../../core/shared/errors.ts';

// A file of one thread that another thread reads over a MessagePort.

type Question =
  | { readonly kind: 'read'; readonly number: number; readonly offset: number; readonly length: number }
  | { readonly kind: 'cancel'; readonly number: number };
type Answer = { readonly number: number } & ({ readonly bytes: Uint8Array<ArrayBuffer> } | { readonly fault: FaultData });

/** Answers the reads of `servedSource` at the other end of the port. @returns cancels them, and closes the port */
export function serveSource(port: MessagePort, source: ByteSource): () => void {
  const running = new Map<number, AbortController>();
  const read = async ({ number, offset, length }: Extract<Question, { kind: 'read' }>): Promise<void> => {
    const controller = new AbortController();
    running.set(number, controller);
    try {
      const bytes = await source.read(offset, length, { signal: controller.signal });
      port.postMessage({ number, bytes } satisfies Answer, [bytes.buffer]);
    } catch (error) {
      port.postMessage({ number, fault: faultToData(error) } satisfies Answer);
    } finally {
      running.delete(number);
    }
  };
  port.addEventListener('message', ({ data }: MessageEvent<Question>) => {
    if (data.kind === 'cancel') running.get(data.number)?.abort();
    else void read(data);
  });
  port.start();
  return () => {
    for (const controller of running.values()) controller.abort();
    port.close();
  };
}

/** The file that `serveSource` serves at the other end of the port. */
export function servedSource(name: string, size: number, port: MessagePort): ByteSource {
  const waiting = new Map<number, { resolve(bytes: Uint8Array<ArrayBuffer>): void; reject(error: StriaError): void }>();
  let next = 0;
  port.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    const asked = waiting.get(data.number);
    waiting.delete(data.number);
    if ('fault' in data) asked?.reject(faultFromData(data.fault));
    else asked?.resolve(data.bytes);
  });
  port.start();
  return {
    name,
    size,
    async read(offset, length, { signal, into } = {}) {
      if (signal?.aborted) throw new StriaError('aborted', 'cancelled');
      const number = next++;
      const cancel = (): void => {
        port.postMessage({ kind: 'cancel', number } satisfies Question);
        waiting.get(number)?.reject(new StriaError('aborted', 'cancelled'));
        waiting.delete(number);
      };
      signal?.addEventListener('abort', cancel);
      try {
        const bytes = await new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
          waiting.set(number, { resolve, reject });
          port.postMessage({ kind: 'read', number, offset, length } satisfies Question);
        });
        if (!into) return bytes;
        const target = new Uint8Array(into, 0, bytes.byteLength);
        target.set(bytes);
        return target;
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
  };
}
