import { link, open, rename, rm } from 'node:fs/promises';
import { errorCode } from './system-faults.ts';

/** What systems say of a link on a file system without hard links (exFAT, some network drives). Windows says EISDIR. */
const noLinks: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EISDIR'];

/**
 * Renames a file to a name that must be free: `link` fails where `rename` would replace. Without hard links, the name is reserved with an
 * empty file, which is then replaced.
 * @throws the system's error: EEXIST if the name is taken
 */
export async function renameToFree(from: string, to: string, linkFile = link): Promise<void> {
  try {
    await linkFile(from, to);
  } catch (error) {
    if (!noLinks.includes(errorCode(error))) throw error;
    await (await open(to, 'wx')).close();
    await rename(from, to).catch(async (cause: unknown) => {
      await rm(to, { force: true });
      throw cause;
    });
  }
  await rm(from, { force: true }).catch(() => {});
}
