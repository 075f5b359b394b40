import type { ByteSource } from '../../core/shared/bytes.ts';
import { addressSource } from './address-files.ts';
import type { AddressOrder } from './address-reader.ts';
import { serveSource } from './served-source.ts';
import { threadEnds } from './thread-life.ts';

// Reads files at web addresses for all other workers. Its first message says that it takes orders.

/** Files whose recent blocks stay in memory: the volume, one that is compared with it, and a layer. */
const mostFiles = 3;

const files = new Map<string, ByteSource>();

self.onmessage = ({ data: { file, port, lock } }: MessageEvent<AddressOrder>) => {
  const { address, relay, size, version } = file;
  const key = JSON.stringify([address, relay, size, version]);
  const source = files.get(key) ?? addressSource(file);
  files.delete(key);
  files.set(key, source);
  const [oldest] = files.keys();
  if (files.size > mostFiles && oldest !== undefined) files.delete(oldest);
  const end = serveSource(port, source);
  // The other thread holds its lock before it reads.
  port.addEventListener('message', () => void threadEnds(lock).then(end), { once: true });
};

self.postMessage('ready');
