import { sourceOf } from '../../host/file-source.ts';
import type { HostFile } from '../../host/host.ts';
import type { Dataset } from './datasets.ts';

/** A dataset's primary file with its companions as siblings, even if they come from another folder. */
export function joined({ primary, companions }: Dataset<HostFile>): HostFile {
  if (companions.length === 0) return primary;
  return { ...primary, siblings: async (name) => (await fileNamed(name, companions)) ?? primary.siblings(name) };
}

/** Whether the files include the missing one. @param missing the names that it may have */
export function completes(given: readonly HostFile[], missing: readonly string[] = []): boolean {
  return given.some(({ name }) => missing.includes(name));
}

/**
 * A file with the one that was missing beside it as a sibling. A single given file is accepted under any name.
 * @param missing the names that the missing file may have
 */
export function completed(file: HostFile, missing: readonly string[], given: readonly HostFile[]): HostFile {
  const [only] = given.length === 1 ? given : [];
  return {
    ...file,
    siblings: async (name) => {
      const found = await fileNamed(name, given);
      if (found) return found;
      return only && missing.includes(name) ? sourceOf(only.handle) : file.siblings(name);
    },
  };
}

async function fileNamed(name: string, files: readonly HostFile[]) {
  const file = files.find((one) => one.name === name);
  return file && sourceOf(file.handle);
}
