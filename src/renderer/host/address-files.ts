import { isFileTree } from '../../core/io/common/file-tree.ts';
import { isLoopbackName } from '../../core/remote/address.ts';
import { knownAddressFile, openAddress, siblingsOfAddress } from '../../core/remote/open-address.ts';
import { blockBytes } from '../../core/remote/remote-file.ts';
import type { RemoteAccess } from '../../core/remote/remote-options.ts';
import type { ByteSource } from '../../core/shared/bytes.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { isTableName } from '../../core/shared/label-table.ts';
import { folderFile } from './folder-files.ts';
import type { FileHandle, HostFile } from './host.ts';

/**
 * The way in which a page or worker reaches web addresses.
 * @param relay the URL under which main relays requests, in Electron; undefined in a browser, which contacts servers itself
 */
export function accessBy(relay: string | undefined): RemoteAccess {
  return relay === undefined ? browserAccess : { fetch: (url, init) => fetchBy(relay, url, init) };
}

const browserAccess: RemoteAccess = {
  sendsConditions: (url) => url.origin === location.origin,
  explain(url) {
    if (url.origin === location.origin) return undefined;
    if (!navigator.onLine) return 'this computer is offline';
    if (location.protocol === 'https:' && url.protocol === 'http:' && !isLoopbackName(url.hostname)) {
      return 'a page that came over https cannot read an address that begins with http://; use https://, the desktop app or the command';
    }
    return 'the server cannot be reached, or does not let web pages read its files (CORS). Ask its maintainers to allow it, use the desktop app or the command, or download the file and open that';
  },
};

/** The statuses of main's own answers (main/addresses.ts), which no server sends. */
const mainStatus = { unreachable: 598, refused: 599 };

async function fetchBy(relay: string, url: URL, init: RequestInit): Promise<Response> {
  const response = await fetch(`${relay}${encodeURIComponent(url.href)}`, init);
  if (response.status === mainStatus.refused) {
    throw new StriaError('not-readable', await response.text());
  }
  if (response.status === mainStatus.unreachable) {
    const { message, code } = (await response.json()) as { message: string; code: string };
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
  }
  return response;
}

/** Opens a file or a Zarr at a web address. @throws StriaError like `Host.openAddress` */
export async function addressFile(address: string, relay?: string): Promise<HostFile> {
  const access = accessBy(relay);
  const opened = await openAddress(address, access);
  if (isFileTree(opened)) return { ...folderFile({ kind: 'address', name: opened.name, address, relay }), address };
  const { name, size, version } = opened;
  const findBeside = siblingsOfAddress(address, access);
  return {
    name,
    size,
    // A file that was already received as a whole is not fetched again.
    handle: opened.isWhole
      ? { kind: 'blob', name, blob: new Blob([await opened.read(0, size)]) }
      : { kind: 'address', name, size, address, version, relay, head: await opened.read(0, blockBytes) },
    // Names of label tables are guesses. Each guess would cost a request, and each wrong one an error on the console.
    siblings: async (wanted) => (isTableName(wanted) ? undefined : findBeside(wanted)),
    address,
  };
}

/** Recent parts of a file that are kept in memory for all threads that read it. */
const cacheBytes = 64 * 2 ** 20;

/** A file at an address, which must still be the version that the page opened. */
export function addressSource({ address, relay, ...known }: FileHandle & { kind: 'address' }): ByteSource {
  return knownAddressFile(address, known, { ...accessBy(relay), cacheBytes });
}
