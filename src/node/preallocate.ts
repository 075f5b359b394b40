import { spawn } from 'node:child_process';
import { type FileHandle, statfs } from 'node:fs/promises';

/** How Linux names a file system in memory. */
const tmpfsType = 0x01021994;

/** Smaller files are written before another process has started. */
const leastBytes = 2 ** 26;

/**
 * Begins to make the pages of a new file in memory (Linux's tmpfs), so that writes only copy: the system takes about as long to make a
 * page as to copy it. Node cannot do that, so the command `fallocate` does. Nobody waits for it, and without it writes are slower. On a
 * disk it would gain nothing.
 */
export async function preallocate({ fd }: FileHandle, byteLength: number): Promise<void> {
  if (process.platform !== 'linux' || byteLength < leastBytes) return;
  const facts = await statfs(`/proc/self/fd/${fd}`).catch(() => undefined);
  if (facts?.type !== tmpfsType) return;
  // By its descriptor: `fallocate` would make a file whose name is already gone.
  const made = spawn('fallocate', ['-l', String(byteLength), '/proc/self/fd/3'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
  made.on('error', () => {});
  made.unref();
}
