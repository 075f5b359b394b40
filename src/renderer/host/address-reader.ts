import type { FileHandle } from './host.ts';

/** A file at a web address that is to be read at the other end of `port`. */
export interface AddressOrder {
  readonly file: FileHandle & { readonly kind: 'address' };
  readonly port: MessagePort;
}

let reader: Worker | undefined;

/**
 * A handle by which one worker reads a file. Workers that read the same file at a web address share one thread, which requests
 * each part only once; other files are read by each worker itself.
 */
export function handleForWorker(file: FileHandle): FileHandle {
  if (file.kind !== 'address') return file;
  const { port1, port2 } = new MessageChannel();
  reader ??= startReader();
  reader.postMessage({ file, port: port1 } satisfies AddressOrder, [port1]);
  return { kind: 'port', name: file.name, size: file.size, port: port2 };
}

function startReader(): Worker {
  const worker = new Worker(new URL('./addresses.worker.ts', import.meta.url), { type: 'module', name: 'stria-addresses' });
  worker.onerror = () => {
    // Ends the ports, and so the reads at their other ends. The next file starts another thread.
    worker.terminate();
    if (reader === worker) reader = undefined;
  };
  return worker;
}
