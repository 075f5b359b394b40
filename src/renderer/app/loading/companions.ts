import { sourceOf } from '../../host/file-source.ts';
import type { HostFile } from '../../host/host.ts';
import type { Dataset } from './datasets.ts';

/** A dataset's primary file, which finds its companions even if they come from another folder. */
export function joined({ primary, companions }: Dataset<HostFile>): HostFile {
  if (companions.length === 0) return primary;
  return { ...primary, siblings: async (name) => (await fileNamed(name, companions)) ?? primary.siblings(name) };
}

/** Whether one of the files is what is missing. @param missing names, each of which would do */
export function completes(given: readonly HostFile[], missing: readonly string[] = []): boolean {
  return given.some(({ name }) => missing.includes(name));
}

/**
 * A file together with what was missing beside it. A single given file is taken for it whatever its name.
 * @param missing names, each of which would do
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
