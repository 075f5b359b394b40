import { statfs } from 'node:fs/promises';

/** Bytes that may still be written to the disk of this folder. Undefined if the system does not say. */
export async function freeSpace(folder: string): Promise<number | undefined> {
  const facts = await statfs(folder).catch(() => undefined);
  return facts && facts.blocks > 0 ? facts.bavail * facts.bsize : undefined;
}
