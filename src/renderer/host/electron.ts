import { urlOfAddress } from '../../core/remote/address.ts';
import { faultFromData } from '../../core/shared/errors.ts';
import type { Answer, BegunSave, CallName, Calls, OpenedFile, StriaBridge } from '../../core/shared/ipc.ts';
import { addressFile } from './address-files.ts';
import { blobFiles } from './blob-files.ts';
import { sourceOf } from './file-source.ts';
import { blobFolder, folderFile } from './folder-files.ts';
import type { Host, HostFile, HostSink } from './host.ts';

/** Long writes are sent to main in pieces of this size. */
const writePieceBytes = 4 * 1024 * 1024;
/** The limit of thumbnails in characters of the data URL. Main refuses larger ones, so they are left out. */
const thumbnailLimit = 64 * 1024;

/** The host over Electron's bridge. */
export function electronHost(bridge: StriaBridge): Host {
  const ask = async <Name extends CallName>(name: Name, ...args: Calls[Name]['args']) =>
    answered(await bridge.call(name, ...args));

  const hostFile = (opened: OpenedFile): HostFile => {
    const { id, name, url, dataset } = opened;
    return opened.isFolder ? { ...folderFile({ kind: 'url', name, url }), id, dataset } : singleFile(opened);
  };

  const singleFile = (opened: OpenedFile): HostFile => ({
    name: opened.name,
    size: opened.size,
    handle: { kind: 'url', name: opened.name, size: opened.size, url: opened.url },
    id: opened.id,
    dataset: opened.dataset,
    siblings: async (name) => {
      const sibling = await ask('open-sibling', opened.id, name);
      return sibling === null ? undefined : sourceOf(hostFile(sibling).handle);
    },
  });

  const openAddress = async (address: string): Promise<HostFile> => {
    // Throws if the text is not an address: main would refuse it without a reason.
    urlOfAddress(address);
    return addressFile(address, await ask('allow-address', address));
  };

  /** Like `hostFile`, but also for files at a web address. */
  const openedFile = async (opened: OpenedFile): Promise<HostFile> =>
    opened.address === undefined ? hostFile(opened) : { ...(await openAddress(opened.address)), dataset: opened.dataset };

  const sink = (save: BegunSave): HostSink => ({
    name: save.name,
    folder: save.folder,
    freeBytes: save.freeBytes ?? undefined,
    async write(bytes) {
      for (const piece of piecesOf(bytes)) await ask('save-write', save.id, piece);
    },
    async restart() {
      await ask('save-restart', save.id);
    },
    async close() {
      await ask('save-commit', save.id);
    },
    async abort() {
      await ask('save-abort', save.id);
    },
    async relativePath(file) {
      return file.id === undefined ? undefined : ((await ask('save-relative', save.id, file.id)) ?? undefined);
    },
    async reveal() {
      await ask('show-saved', save.id);
    },
  });

  return {
    kind: 'electron',
    info: () => ask('shell-info'),
    openDialog: async () => (await ask('open-dialog')).map(hostFile),
    async openFolderDialog() {
      const opened = await ask('open-folder-dialog');
      return opened === null ? undefined : hostFile(opened);
    },
    async adopt(files, folders = []) {
      const inPage = blobFiles(files);
      const opened = await Promise.all(files.map(async (file) => answered(await bridge.openDropped(file))));
      // A File that the page created has no path and stays a blob.
      const adopted = inPage.map((file, index) => {
        const found = opened[index];
        return found ? hostFile(found) : file;
      });
      for (const folder of folders) {
        const found = answered(await bridge.openDropped(folder.file));
        adopted.push(found ? hostFile(found) : blobFolder(folder.name, await folder.list()));
      }
      return adopted;
    },
    async openRelative(file, path) {
      const opened = file.id === undefined ? null : await ask('open-relative', file.id, path);
      return opened ? hostFile(opened) : undefined;
    },
    openAddress,
    recent: () => ask('recent-list'),
    openRecent: async (id) => openedFile(await ask('recent-open', id)),
    async remember(file, thumbnail, dataset) {
      const fitting = thumbnail !== undefined && thumbnail.length <= thumbnailLimit ? thumbnail : null;
      if (file.address !== undefined) await ask('recent-add-address', file.address, fitting, dataset ?? null);
      else if (file.id !== undefined) await ask('recent-add', file.id, fitting, dataset ?? null);
    },
    async clearRecent() {
      await ask('recent-clear');
    },
    async saveAs(suggestedName) {
      const save = await ask('save-begin', suggestedName);
      return save === null ? undefined : sink(save);
    },
    async saveBeside(file, name) {
      if (file.id !== undefined) return sink(await ask('save-beside', file.id, name));
      const save = await ask('save-begin', name);
      if (save === null) throw faultFromData({ tag: 'aborted', message: 'cancelled', context: [] });
      return sink(save);
    },
    canSaveFolder: () => true,
    async saveFolder(suggestedName) {
      const begun = await ask('folder-begin', suggestedName);
      if (begun === null) return undefined;
      const { id, name, folder } = begun;
      return {
        name,
        folder,
        async write(fileName, bytes) {
          for (const piece of piecesOf(bytes)) await ask('folder-write', id, fileName, piece);
        },
        close: async () => (await ask('folder-commit', id)).name,
        async abort() {
          await ask('folder-abort', id);
        },
        async reveal() {
          await ask('show-folder', id);
        },
      };
    },
    onMenuCommand: (listener) => bridge.on('menu-command', listener),
    onFilesOpened: (listener, onFault) =>
      bridge.on('files-opened', (files) => void Promise.all(files.map(openedFile)).then(listener, onFault)),
    setUnfinished: (kinds) => void ask('set-unfinished', kinds).catch(console.error),
    setMenu: (enabled) => void ask('set-menu', enabled).catch(console.error),
    async restartCompatible() {
      await ask('restart-compatible');
    },
  };
}

/** A message to main is a structured clone, which copies the whole buffer of a view, so each piece gets its own buffer. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let offset = 0; offset < bytes.byteLength; offset += writePieceBytes) {
    const piece = bytes.subarray(offset, offset + writePieceBytes);
    yield piece.byteLength === piece.buffer.byteLength ? piece : piece.slice();
  }
}

function answered<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  throw faultFromData(answer.error);
}
