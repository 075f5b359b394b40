import type { FileTree } from '../io/common/file-tree.ts';
import { hasRootNode } from '../io/zarr/zarr-reader.ts';
import type { SiblingFinder } from '../shared/bytes.ts';
import { urlBelow, urlOfAddress } from './address.ts';
import { type KnownFile, knownRemoteFile, openRemoteFile } from './remote-file.ts';
import { AddressFault, type RemoteFile, type RemoteOptions } from './remote-options.ts';
import { remoteTree } from './remote-tree.ts';

/**
 * Opens what lies at a web address: a file, or the folder of a Zarr.
 * @throws StriaError `invalid-input`, `not-readable`, `aborted`
 */
export async function openAddress(address: string, options: RemoteOptions = {}): Promise<RemoteFile | FileTree> {
  const url = urlOfAddress(address);
  const tree = remoteTree(url, options);
  if (/\.zarr\/*$|\/$/i.test(url.pathname)) return tree;
  try {
    return await openRemoteFile(url, options);
  } catch (error) {
    // Servers answer for a folder that nothing is there, that it may not be read, or with a page that lists it.
    if (!(error instanceof AddressFault) || !['missing', 'forbidden', 'page'].includes(error.kind)) throw error;
    if (await hasRootNode(tree).catch(() => false)) return tree;
    throw error;
  }
}

/** Opens the file at a web address. @throws StriaError as `openAddress` */
export function openAddressFile(address: string, options: RemoteOptions = {}): Promise<RemoteFile> {
  return openRemoteFile(urlOfAddress(address), options);
}

/** The file at a web address, of which an earlier `openAddressFile` has told the facts. Requests nothing until it is read. */
export function knownAddressFile(address: string, known: KnownFile, options: RemoteOptions = {}): RemoteFile {
  return knownRemoteFile(urlOfAddress(address), known, options);
}

/** Finds files beside the one at an address, with the same query. */
export function siblingsOfAddress(address: string, options: RemoteOptions = {}): SiblingFinder {
  const url = urlOfAddress(address);
  const folder = url.pathname.replace(/\/[^/]*$/, '');
  return async (name) => {
    if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) return undefined;
    try {
      return await openRemoteFile(urlBelow(url, folder, name), options);
    } catch (error) {
      // Buckets answer 403 for a file that is not there.
      if (error instanceof AddressFault && ['missing', 'forbidden', 'page'].includes(error.kind)) return undefined;
      throw error;
    }
  };
}
