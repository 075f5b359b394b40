import type { FileHandle } from './host.ts';

/** A file at a web address that is to be read at the other end of `port`, by the thread that holds `lock`. */
export interface AddressOrder {
  readonly file: FileHandle & { readonly kind: 'address' };
  readonly port: MessagePort;
  readonly lock: string;
}

let reader: Worker | undefined;

/**
 * A handle by which one worker reads a file. Workers that read the same file at a web address share one thread, which requests
 * each part only once; other files are read by each worker itself.
 */
export function handleForWorker(file: FileHandle): FileHandle {
  if (file.kind !== 'address') return file;
  reader ??= new Worker(new URL('./addresses.worker.ts', import.meta.url), { type: 'module', name: 'stria-addresses' });
  const { port1, port2 } = new MessageChannel();
  const lock = `stria-reads-${crypto.randomUUID()}`;
  reader.postMessage({ file, port: port1, lock } satisfies AddressOrder, [port1]);
  return { kind: 'port', name: file.name, size: file.size, port: port2, lock };
}
