import type { FileTree } from '../io/common/file-tree.ts';
import type { ByteSource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { nameOfAddress, urlBelow } from './address.ts';
import { findRemoteFile } from './remote-file.ts';
import { AddressFault, type RemoteOptions } from './remote-options.ts';

/** Zarr's files that describe its contents. Which of them there are depends on the version, so each may be missing. */
const metadata = /(^|\/)(zarr\.json|\.z(array|attrs|group|metadata))$/;

/** The files below a web address. They cannot be listed, only requested by name. */
export function remoteTree(url: URL, options: RemoteOptions = {}): FileTree {
  const folder = url.pathname.replace(/\/+$/, '');
  let refused: AddressFault | undefined;
  return {
    name: nameOfAddress(url),
    files: async () => {
      // Nothing was found, and this says why.
      if (refused) throw refused;
      throw new StriaError(
        'unsupported',
        'nothing that Stria reads was found: the address of a folder must be that of a Zarr whose metadata (zarr.json, .zarray or .zattrs) lists its contents',
      );
    },
    async find(path, job): Promise<ByteSource | undefined> {
      try {
        return await findRemoteFile(urlBelow(url, folder, path), options, job?.signal);
      } catch (error) {
        // Buckets that may not be listed answer 403 for a file that is not there. Of chunks, voxels could be missing unnoticed.
        if (!(error instanceof AddressFault) || error.kind !== 'forbidden' || !metadata.test(path)) throw error;
        refused ??= error;
        return undefined;
      }
    },
  };
}
