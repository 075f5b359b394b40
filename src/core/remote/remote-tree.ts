import type { FileTree } from '../io/common/file-tree.ts';
import { StriaError } from '../shared/errors.ts';
import { nameOfAddress, urlBelow } from './address.ts';
import { findRemoteFile } from './remote-file.ts';
import type { RemoteOptions } from './remote-options.ts';

/** The files below a web address. They cannot be listed, only requested by name. */
export function remoteTree(url: URL, options: RemoteOptions = {}): FileTree {
  const folder = url.pathname.replace(/\/+$/, '');
  return {
    name: nameOfAddress(url),
    files: async () => {
      throw new StriaError(
        'unsupported',
        'nothing that Stria reads was found: the address of a folder must be that of a Zarr whose metadata (zarr.json, .zarray or .zattrs) lists its contents',
      );
    },
    find: (path, job) => findRemoteFile(urlBelow(url, folder, path), options, job?.signal),
  };
}
