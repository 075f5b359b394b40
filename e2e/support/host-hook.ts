import type { ByteSource } from '../../src/core/shared/bytes.ts';
import { createHost } from '../../src/renderer/host/create-host.ts';
import { sourceOf } from '../../src/renderer/host/file-source.ts';
import type {} from '../../src/renderer/host/global.d.ts';
import type { Host, HostFile } from '../../src/renderer/host/host.ts';

/** What host.ts puts on a page for a spec that is about the host itself, and not about what the UI makes of it. */
export interface HostHook {
  readonly host: Host;
  readonly sourceOf: (handle: HostFile['handle']) => ByteSource;
  /** The files of drops and of file arguments, in the order in which they came. */
  readonly files: HostFile[];
}

const host = createHost();
const files: HostFile[] = [];
host.onFilesOpened((opened) => files.push(...opened));
// In the capture phase, before the UI: each takes the files for itself.
window.addEventListener('dragover', (event) => event.preventDefault(), true);
window.addEventListener(
  'drop',
  async (event) => {
    event.preventDefault();
    files.push(...(await host.adopt([...(event.dataTransfer?.files ?? [])])));
  },
  true,
);
Object.assign(window, { striaHook: { host, sourceOf, files } satisfies HostHook });
