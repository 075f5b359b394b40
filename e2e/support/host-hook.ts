import type { ByteSource } from '../../src/core/shared/bytes.ts';
import { createHost } from '../../src/renderer/host/create-host.ts';
import { sourceOf } from '../../src/renderer/host/file-source.ts';
import type {} from '../../src/renderer/host/global.d.ts';
import type { Host, HostFile } from '../../src/renderer/host/host.ts';

/** The hook that host.ts adds to a page, for specs about the host itself rather than the UI. */
export interface HostHook {
  readonly host: Host;
  readonly sourceOf: (handle: HostFile['handle']) => ByteSource;
  /** The files of drops and of file arguments, in order. */
  readonly files: HostFile[];
}

const host = createHost();
const files: HostFile[] = [];
host.onFilesOpened((opened) => files.push(...opened), reportError);
// Listen in the capture phase, before the UI, which takes the files as well.
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
