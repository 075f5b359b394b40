import { version } from '../../../package.json';
import { isAddress } from '../../core/remote/address.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { ShellInfo } from '../../core/shared/ipc.ts';
import { addressFile } from './address-files.ts';
import { blobFiles } from './blob-files.ts';
import { addRecent, clearRecentStore, listRecent, type RecentHandle, recentEntry } from './browser-recent.ts';
import { createBeside, createFolder, distinctDownloads, downloadSink, pickedSink, removed } from './browser-sinks.ts';
import { backedOut, toFileFault } from './faults.ts';
import { blobFolder, folderFile } from './folder-files.ts';
import type { Host, HostFile, HostSink } from './host.ts';
import { installWebApp, listenForSystemFiles } from './web-app.ts';

/** The host in a browser: the File System Access API if available, else <input type=file> and downloads. */
export function browserHost(): Host {
  /** The handles of files and folders that can be found again, by `HostFile.id`. */
  const handles = new Map<string, RecentHandle>();
  /** The handles of the last drop. They are available only during its event. */
  let dropped: Promise<DroppedHandles> = Promise.resolve({ files: [], folders: [] });
  /** The place where `saveBeside` writes: a folder, or downloads if the user chose no folder. Undefined before asking. */
  let besideFolder: FileSystemDirectoryHandle | 'downloads' | undefined;

  const downloadBeside = distinctDownloads();

  window.addEventListener(
    'drop',
    (event) => {
      dropped = droppedHandles(event.dataTransfer);
    },
    true,
  );

  const keep = (handle: RecentHandle): string => {
    const id = crypto.randomUUID();
    handles.set(id, handle);
    return id;
  };

  const fromHandles = async (opened: readonly FileSystemFileHandle[]): Promise<HostFile[]> => {
    const ids = new Map<File, string>();
    const files = await Promise.all(
      opened.map(async (handle) => {
        const file = await handle.getFile().catch((error: unknown) => {
          throw toFileFault(error, 'not-readable', handle.name);
        });
        ids.set(file, keep(handle));
        return file;
      }),
    );
    return blobFiles(files, (file) => ids.get(file));
  };

  const fromDirectory = (handle: FileSystemDirectoryHandle): HostFile => ({
    ...folderFile({ kind: 'directory', name: handle.name, handle }),
    id: keep(handle),
  });

  const askForFolder = async (): Promise<FileSystemDirectoryHandle | 'downloads'> => {
    if (window.showDirectoryPicker === undefined) return 'downloads';
    try {
      return await window.showDirectoryPicker({ id: 'stria-beside', mode: 'readwrite' });
    } catch (error) {
      if (error instanceof DOMException && ['AbortError', 'SecurityError', 'NotAllowedError'].includes(error.name))
        return 'downloads';
      throw toFileFault(error, 'not-writable', 'the folder');
    }
  };

  return {
    kind: 'browser',
    info: async () => browserInfo(),
    async openDialog() {
      if (window.showOpenFilePicker === undefined) return blobFiles(await filesFromInput());
      let picked: FileSystemFileHandle[];
      try {
        picked = await window.showOpenFilePicker({ multiple: true, id: 'stria-open' });
      } catch (error) {
        if (backedOut(error)) return [];
        throw toFileFault(error, 'not-readable', 'the file');
      }
      return fromHandles(picked);
    },
    async openFolderDialog() {
      if (window.showDirectoryPicker !== undefined) {
        try {
          return fromDirectory(await window.showDirectoryPicker({ id: 'stria-folder', mode: 'read' }));
        } catch (error) {
          if (backedOut(error)) return undefined;
          throw toFileFault(error, 'not-readable', 'the folder');
        }
      }
      const files = await filesFromInput(true);
      const [first] = files;
      if (first === undefined) return undefined;
      const paths = files.map((file) => file.webkitRelativePath.split('/'));
      return blobFolder(
        paths[0]?.[0] ?? first.name,
        files.map((file, index) => ({ path: paths[index]?.slice(1).join('/') ?? file.name, file })),
      );
    },
    async adopt(files, folders = []) {
      const found = await dropped;
      const adopted = blobFiles(files, (file) => {
        const match = found.files.find((other) => isSameFile(other.file, file));
        return match && keep(match.handle);
      });
      for (const folder of folders) {
        const at = found.folders.findIndex(({ name }) => name === folder.name);
        const [handle] = at < 0 ? [] : found.folders.splice(at, 1);
        adopted.push(handle ? fromDirectory(handle) : blobFolder(folder.name, await folder.list()));
      }
      return adopted;
    },
    // A page cannot see folders.
    openRelative: async () => undefined,
    openAddress: (address) => addressFile(address),
    givenAddress: givenAddress(),
    recent: listRecent,
    async openRecent(id) {
      const { handle, address, dataset } = (await recentEntry(id)) ?? {};
      if (address !== undefined) return { ...(await addressFile(address)), dataset };
      if (handle === undefined)
        throw new StriaError('not-readable', 'This file is no longer in the list of recent files. Open it again');
      const state = await handle.requestPermission?.({ mode: 'read' }).catch(() => 'denied' as const);
      if (state !== undefined && state !== 'granted') {
        throw new StriaError(
          'not-readable',
          `'${handle.name}' cannot be read: permission was denied. Open it again and allow access`,
        );
      }
      const [file] = handle.kind === 'file' ? await fromHandles([handle]) : [fromDirectory(handle)];
      if (file === undefined) throw new StriaError('internal', `'${handle.name}' could not be opened`);
      return { ...file, dataset };
    },
    async remember(file, thumbnail, dataset) {
      const { name, address, id } = file;
      const handle = id === undefined ? undefined : handles.get(id);
      if (address !== undefined) await addRecent({ name, address }, thumbnail, dataset);
      else if (handle !== undefined) await addRecent({ name: handle.name, handle }, thumbnail, dataset);
    },
    clearRecent: clearRecentStore,
    async saveAs(suggestedName): Promise<HostSink | undefined> {
      if (window.showSaveFilePicker === undefined) return downloadSink(suggestedName);
      let handle: FileSystemFileHandle;
      try {
        handle = await window.showSaveFilePicker({ suggestedName, id: 'stria-save' });
      } catch (error) {
        if (backedOut(error)) return undefined;
        throw toFileFault(error, 'not-writable', suggestedName);
      }
      // The picker creates an empty file for a new name, which is removed if the save is aborted.
      const isNew = (await handle.getFile().catch(() => undefined))?.size === 0;
      return pickedSink(handle, '', isNew ? () => removed(async () => handle.remove?.()) : undefined);
    },
    async saveBeside(_file, name) {
      besideFolder ??= await askForFolder();
      return besideFolder === 'downloads' ? downloadBeside(name) : createBeside(besideFolder, name);
    },
    canSaveFolder: () => window.showDirectoryPicker !== undefined,
    async saveFolder(suggestedName) {
      if (window.showDirectoryPicker === undefined)
        throw new StriaError('unsupported', 'this browser cannot write to a folder: use Chrome, Edge or the desktop app');
      try {
        const parent = await window.showDirectoryPicker({ id: 'stria-movies', mode: 'readwrite' });
        return await createFolder(parent, suggestedName);
      } catch (error) {
        if (backedOut(error)) return undefined;
        throw toFileFault(error, 'not-writable', 'the folder');
      }
    },
    // A page has no menus.
    onMenuCommand: () => () => undefined,
    onFilesOpened(listener, onFault) {
      listenForSystemFiles({
        handles: (opened) => void fromHandles(opened).then(listener, onFault),
        shared: (files) => listener(blobFiles(files)),
      });
      return () => undefined;
    },
    newVersion: installWebApp(),
  };
}

/** The address in `?url=`, which may be relative to the page. */
function givenAddress(): string | undefined {
  const given = new URLSearchParams(location.search).get('url');
  if (given === null || given === '' || isAddress(given)) return given || undefined;
  return URL.canParse(given, location.href) ? new URL(given, location.href).href : given;
}

interface DroppedFile {
  readonly handle: FileSystemFileHandle;
  readonly file: File;
}

interface DroppedHandles {
  readonly files: readonly DroppedFile[];
  readonly folders: FileSystemDirectoryHandle[];
}

/** The handles of the dropped files, if the browser gives any. Must be called during the event. */
async function droppedHandles(transfer: DataTransfer | null): Promise<DroppedHandles> {
  const asked = [...(transfer?.items ?? [])].map((item) =>
    item.kind === 'file' ? (item.getAsFileSystemHandle?.() ?? Promise.resolve(null)) : Promise.resolve(null),
  );
  const given = await Promise.all(asked.map((promise) => promise.catch(() => null)));
  const files = given.map(async (handle): Promise<DroppedFile | undefined> => {
    if (!(handle instanceof FileSystemFileHandle)) return undefined;
    const file = await handle.getFile().catch(() => undefined);
    return file && { handle, file };
  });
  return {
    files: (await Promise.all(files)).filter((file) => file !== undefined),
    folders: given.filter((handle) => handle instanceof FileSystemDirectoryHandle),
  };
}

function isSameFile(a: File, b: File): boolean {
  return a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;
}

/** Asks for files, or for a folder with everything in it, through a hidden <input>. Empty if the user cancelled. */
function filesFromInput(folder = false): Promise<File[]> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.multiple = true;
    input.webkitdirectory = folder;
    input.addEventListener('change', () => resolve([...(input.files ?? [])]));
    input.addEventListener('cancel', () => resolve([]));
    input.click();
  });
}

function browserInfo(): ShellInfo {
  return {
    stria: version,
    electron: '',
    chromium: /Chrom(?:e|ium)\/([\d.]+)/.exec(navigator.userAgent)?.[1] ?? '',
    platform: navigator.platform,
    compatibilityMode: false,
  };
}
