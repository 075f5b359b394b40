import { randomUUID } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { FileTree } from '../core/io/common/file-tree.ts';
import { StriaError } from '../core/shared/errors.ts';
import type { OpenedFile } from '../core/shared/ipc.ts';
import { isExistingFolder, openFolder } from '../node/node-folder.ts';
import { errorCode } from '../node/system-faults.ts';
import { toFileFault } from './file-faults.ts';
import { judgeReference, type Verdict } from './references.ts';

/** A file that the renderer may read, with its facts when it was opened. */
export interface FileOnDisk {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
}

/** Asks the user whether to open the file `to`, which the file `from` refers to. Both are absolute paths. */
export type AskPerson = (from: string, to: string) => Promise<boolean>;

/** `refused`: the format never refers to such a name. `declined`: the user did not agree. */
export type Denial = 'refused' | 'declined';

/** The files that main has opened for the renderer, by id. The renderer knows only ids, never paths. */
export interface OpenedFiles {
  /**
   * Opens a file that the user chose: in a dialog, by a drop, on the command line, or from the recent files.
   * @throws StriaError `not-readable`
   */
  choose(path: string): Promise<OpenedFile>;
  /**
   * Opens a file that an opened file refers to, if references.ts or the user permits it.
   * @param path relative to the opened file's folder, with `/`
   * @returns null if there is no such file
   * @throws StriaError `not-readable`; `invalid-input` for an unknown id
   */
  openReferred(id: string, path: string, ask: AskPerson): Promise<OpenedFile | Denial | null>;
  find(id: string): FileOnDisk | undefined;
  /** The files of a chosen folder; undefined for any other id. */
  folder(id: string): FileTree | undefined;
  /** Like `find`. @throws StriaError `invalid-input` for an unknown id */
  get(id: string): FileOnDisk;
  /** The name of an opened file or folder. @throws StriaError `invalid-input` for an unknown id */
  nameOf(id: string): string;
  /** The path of a file or folder that the user chose. @throws StriaError `invalid-input` for any other */
  chosenPath(id: string): string;
  /**
   * The parent of a chosen folder, or the folder of an opened file if the user has chosen a file in it.
   * @throws StriaError `invalid-input` for an opened file in another folder
   */
  chosenFolder(id: string): Promise<string>;
}

interface HeldFile extends FileOnDisk {
  readonly isChosen: boolean;
  /** The folders, with links resolved, in which it may refer to files: the chosen file's, and those that the user agreed to. */
  readonly roots: string[];
  /** The queue of questions to the user. After the first refusal, no more are asked. */
  consent: Promise<boolean>;
}

/**
 * @param urlOf the URL under which the protocol serves an id
 * @param recentPaths the recent files, each of which the user has chosen before
 */
export function createOpenedFiles(
  urlOf: (id: string, kind: 'file' | 'folder') => string,
  recentPaths: () => readonly string[] = () => [],
): OpenedFiles {
  const folders = new Map<string, { readonly path: string; readonly tree: FileTree }>();
  const files = new Map<string, HeldFile>();
  /** The paths of chosen files, with links resolved. */
  const chosenFiles = new Set<string>();
  const chosenFolders = new Set<string>();

  const hold = async (path: string, isChosen: boolean, root: string): Promise<OpenedFile> => {
    const facts = await stat(path).catch((error: unknown) => {
      throw toFileFault(error, 'not-readable', path);
    });
    const name = basename(path);
    if (facts.isDirectory()) throw new StriaError('not-readable', `'${name}' is a folder. Open the files in it`);
    if (!facts.isFile()) throw new StriaError('not-readable', `'${name}' is a device or a pipe. Open a regular file`);
    const id = randomUUID();
    const { size, mtimeMs: modifiedMs } = facts;
    files.set(id, { path, size, modifiedMs, isChosen, roots: [root], consent: Promise.resolve(true) });
    return { id, name, size, url: urlOf(id, 'file') };
  };

  const get = (id: string): HeldFile => {
    const file = files.get(id);
    if (file === undefined) throw new StriaError('invalid-input', 'No such file is open');
    return file;
  };

  const wasChosen = async (target: string): Promise<boolean> => {
    if (chosenFiles.has(target)) return true;
    const recent = await Promise.all(recentPaths().map((path) => realpath(path).catch(() => undefined)));
    return recent.includes(target);
  };

  /** Asks the user, unless the user has already answered. */
  const consentTo = (from: HeldFile, target: string, judge: (root: string) => Verdict, ask: AskPerson): Promise<boolean> => {
    from.consent = from.consent.then(async (goesOn) => {
      if (!goesOn || from.roots.some((root) => judge(root) === 'open') || (await wasChosen(target))) return goesOn;
      if (!(await ask(from.path, target))) return false;
      from.roots.push(dirname(target));
      chosenFiles.add(target);
      return true;
    });
    return from.consent;
  };

  return {
    async choose(path) {
      const absolute = resolve(path);
      if (await isExistingFolder(absolute)) {
        const id = randomUUID();
        folders.set(id, { path: absolute, tree: await openFolder(absolute) });
        return { id, name: basename(absolute), size: 0, url: urlOf(id, 'folder'), isFolder: true };
      }
      const root = await realpath(dirname(absolute)).catch(() => dirname(absolute));
      const opened = await hold(absolute, true, root);
      chosenFolders.add(root);
      chosenFiles.add(await realpath(absolute).catch(() => absolute));
      return opened;
    },

    async openReferred(id, path, ask) {
      const from = get(id);
      const name = basename(from.path);
      const judge = (target?: string) => (root: string) => judgeReference({ from: name, path, root, target });
      if (from.roots.every((root) => judge()(root) === 'refuse')) return 'refused';
      const written = join(dirname(from.path), ...path.split('/'));
      const target = await regularFile(written);
      if (target === undefined) return null;
      const root = from.roots.find((one) => judge(target)(one) === 'open');
      if (root !== undefined) return hold(written, false, root);
      const isAgreed = await consentTo(from, target, judge(target), ask);
      return isAgreed ? hold(written, false, dirname(target)) : 'declined';
    },

    find: (id) => files.get(id),
    nameOf: (id) => basename(folders.get(id)?.path ?? get(id).path),
    folder: (id) => folders.get(id)?.tree,
    get,

    chosenPath(id) {
      const chosen = folders.get(id);
      if (chosen) return chosen.path;
      const { path, isChosen } = get(id);
      if (!isChosen) throw new StriaError('invalid-input', `'${basename(path)}' was not chosen by the user`);
      return path;
    },

    async chosenFolder(id) {
      const chosen = folders.get(id);
      if (chosen) return dirname(chosen.path);
      const folder = dirname(get(id).path);
      if (chosenFolders.has(await realpath(folder).catch(() => folder))) return folder;
      throw new StriaError(
        'invalid-input',
        'Without a dialog, files are written only to a folder from which the user chose a file',
      );
    },
  };
}

/** The regular file at a path, with links resolved; undefined if there is none. */
async function regularFile(path: string): Promise<string | undefined> {
  try {
    const target = await realpath(path);
    return (await stat(target)).isFile() ? target : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes(errorCode(error) ?? '')) return undefined;
    throw toFileFault(error, 'not-readable', path);
  }
}
