import { sourceOf } from './file-source.ts';
import type { HostFile } from './host.ts';

/** Files in the page's memory. Files given together are siblings. */
export function blobFiles(files: readonly File[], idOf: (file: File) => string | undefined = () => undefined): HostFile[] {
  const made: HostFile[] = files.map((file) => ({
    name: file.name,
    size: file.size,
    handle: { kind: 'blob', name: file.name, blob: file },
    id: idOf(file),
    siblings: async (name) => {
      const sibling = made.find((other) => other.name === name);
      return sibling && sourceOf(sibling.handle);
    },
  }));
  return made;
}
