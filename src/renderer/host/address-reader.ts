import { StriaError } from '../../core/shared/errors.ts';
import type { FileHandle } from './host.ts';
import { serveSource } from './served-source.ts';

/** A file at a web address that is to be read at the other end of `port`, by the thread that holds `lock`. */
export interface AddressOrder {
  readonly file: FileHandle & { readonly kind: 'address' };
  readonly port: MessagePort;
  readonly lock: string;
}

let reader: Promise<Worker> | undefined;

/**
 * A handle by which one worker reads a file. Workers that read the same file at a web address share one thread, which requests
 * each part only once; other files are read by each worker itself.
 */
export function handleForWorker(file: FileHandle): FileHandle {
  if (file.kind !== 'address') return file;
  const { name, size } = file;
  const { port1, port2 } = new MessageChannel();
  const lock = `stria-reads-${crypto.randomUUID()}`;
  reader ??= startReader();
  reader.then(
    (worker) => worker.postMessage({ file, port: port1, lock } satisfies AddressOrder, [port1]),
    (error: unknown) => serveSource(port1, { name, size, read: () => Promise.reject(error) }),
  );
  return { kind: 'port', name, size, port: port2, lock };
}

/** Resolves with the thread once it takes orders. If it cannot be started, the next file tries again. */
function startReader(): Promise<Worker> {
  const worker = new Worker(new URL('./addresses.worker.ts', import.meta.url), { type: 'module', name: 'stria-addresses' });
  return new Promise((resolve, reject) => {
    worker.onmessage = () => {
      worker.onerror = null;
      resolve(worker);
    };
    worker.onerror = () => {
      reader = undefined;
      worker.terminate();
      reject(new StriaError('internal', 'the thread that reads web addresses could not be started'));
    };
  });
}
