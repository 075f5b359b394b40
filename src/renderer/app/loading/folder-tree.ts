import { type FileTree, fileTreeOf, isLeftOut, splitPath, type TreeFile } from '../../../core/io/common/file-tree.ts';
import { urlOfAddress } from '../../../core/remote/address.ts';
import { remoteTree } from '../../../core/remote/remote-tree.ts';
import { type FaultData, faultFromData, StriaError } from '../../../core/shared/errors.ts';
import { accessBy } from '../../host/address-files.ts';
import { sourceOf } from '../../host/file-source.ts';
import type { FileHandle, FolderHandle } from '../../host/host.ts';
import { directoryTree } from './directory-tree.ts';

/** A folder's files as a tree. Works in a window and in a worker. A folder behind a URL is listed once, on demand. */
export function treeOf(folder: FolderHandle): FileTree {
  if (folder.kind === 'files') {
    const shown = folder.files.filter(({ path }) => !path.split('/').some(isLeftOut));
    return fileTreeOf(
      folder.name,
      shown.map(({ path, handle }) => treeFile(path, handle)),
    );
  }
  if (folder.kind === 'directory') return directoryTree(folder.handle);
  if (folder.kind === 'address') return remoteTree(urlOfAddress(folder.address), accessBy(folder.relay));
  const { name, url } = folder;
  let listed: Promise<FileTree> | undefined;
  const tree = () => {
    listed ??= listFolder(name, url);
    return listed;
  };
  return {
    name,
    files: async (job) => (await tree()).files(job),
    // Look a file up without listing the folder: a Zarr with very many chunks needs only its metadata.
    async find(path) {
      if (listed) return (await tree()).find(path);
      const response = await fetch(urlOf(url, path), { method: 'HEAD', cache: 'no-store' });
      if (response.status === 404) return undefined;
      const size = Number(response.headers.get('content-range')?.split('/')[1]);
      if (!Number.isSafeInteger(size)) throw new StriaError('not-readable', `'${path}' in '${name}' cannot be read`);
      return sourceOf({ kind: 'url', name: splitPath(path)[1], size, url: urlOf(url, path) });
    },
  };
}

async function listFolder(name: string, url: string): Promise<FileTree> {
  const response = await fetch(url, { cache: 'no-store' });
  if (response.status === 403) throw faultFromData((await response.json()) as FaultData);
  if (!response.ok) throw new StriaError('not-readable', `the folder '${name}' is no longer where it was. Open it again`);
  const files = (await response.json()) as readonly (readonly [path: string, size: number])[];
  return fileTreeOf(
    name,
    files.map(([path, size]) => treeFile(path, { kind: 'url', name: splitPath(path)[1], size, url: urlOf(url, path) })),
  );
}

function treeFile(path: string, handle: FileHandle): TreeFile {
  const size = handle.kind === 'blob' ? handle.blob.size : handle.size;
  return { path, size, open: async () => sourceOf(handle) };
}

function urlOf(url: string, path: string): string {
  return `${url}/${path.split('/').map(encodeURIComponent).join('/')}`;
}
