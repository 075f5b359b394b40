import {
  type FileTree,
  fileTreeOf,
  isLeftOut,
  type TreeFile,
  tooManyFiles,
  treeFileLimit,
} from '../../../core/io/common/file-tree.ts';
import { type JobOptions, throwIfAborted } from '../../../core/shared/job.ts';
import { toFileFault } from '../../host/faults.ts';
import { sourceOf } from '../../host/file-source.ts';

/** The number of files whose sizes are requested at the same time. */
const atOnce = 32;

/**
 * A folder that the browser gave access to. It is listed once, on demand; a file at a known path is found without a list. Works in
 * a window and in a worker.
 */
export function directoryTree(root: FileSystemDirectoryHandle): FileTree {
  const { name } = root;
  let listed: Promise<FileTree> | undefined;
  return {
    name,
    async files(job) {
      listed ??= listFiles(root, job).then((files) => fileTreeOf(name, files));
      // List again after a listing that was cancelled or failed.
      listed.catch(() => {
        listed = undefined;
      });
      return (await listed).files(job);
    },
    async find(path) {
      try {
        const steps = path.split('/');
        const last = steps.pop() ?? '';
        let folder = root;
        for (const step of steps) folder = await folder.getDirectoryHandle(step);
        return await sourceIn(await folder.getFileHandle(last));
      } catch (error) {
        if (isNoSuchFile(error)) return undefined;
        throw toFileFault(error, 'not-readable', path);
      }
    },
  };
}

async function listFiles(root: FileSystemDirectoryHandle, job: JobOptions = {}): Promise<TreeFile[]> {
  const found: TreeFile[] = [];
  const folders = [{ path: '', handle: root }];
  try {
    for (const { path, handle } of folders) {
      const waiting: Promise<TreeFile>[] = [];
      for await (const [name, inner] of handle.entries()) {
        throwIfAborted(job.signal);
        if (isLeftOut(name)) continue;
        if (inner.kind === 'directory') folders.push({ path: `${path}${name}/`, handle: inner as FileSystemDirectoryHandle });
        else waiting.push(treeFile(path + name, inner as FileSystemFileHandle));
        if (waiting.length === atOnce) found.push(...(await Promise.all(waiting.splice(0))));
        if (found.length > treeFileLimit || folders.length > treeFileLimit) throw tooManyFiles();
      }
      found.push(...(await Promise.all(waiting)));
    }
  } catch (error) {
    throw toFileFault(error, 'not-readable', root.name);
  }
  return found;
}

async function treeFile(path: string, handle: FileSystemFileHandle): Promise<TreeFile> {
  const { size } = await handle.getFile();
  return { path, size, open: () => sourceIn(handle) };
}

async function sourceIn(handle: FileSystemFileHandle) {
  const { name } = handle;
  const blob = await handle.getFile().catch((error: unknown) => {
    throw toFileFault(error, 'not-readable', name);
  });
  return sourceOf({ kind: 'blob', name, blob });
}

/** Whether there is nothing at the path, or no file, or the name is invalid. */
function isNoSuchFile(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  return error instanceof DOMException && ['NotFoundError', 'TypeMismatchError'].includes(error.name);
}
