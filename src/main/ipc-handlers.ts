import { basename, join } from 'node:path';
import { app, type BrowserWindow, dialog, type IpcMainInvokeEvent, ipcMain, shell } from 'electron';
import { isAddress } from '../core/remote/address.ts';
import { StriaError } from '../core/shared/errors.ts';
import type { Answer, OpenedFile, UnfinishedKind } from '../core/shared/ipc.ts';
import type { MenuCommand } from '../core/shared/menu-commands.ts';
import { type DatasetName, isLevelsNameOf } from '../core/shared/volume-names.ts';
import type { WebAddresses } from './addresses.ts';
import { answerCall, answerOf, type Handlers } from './answers.ts';
import { isAppFrame, relayUrl } from './app-origin.ts';
import { checkDroppedPath } from './call-arguments.ts';
import { isCompatible } from './compatibility.ts';
import {
  addressQuestion,
  newFolderDialog,
  openFolderDialog,
  openVolumesDialog,
  referenceQuestion,
  saveDialog,
} from './dialogs.ts';
import type { FolderSaves } from './folder-saves.ts';
import type { AskPerson, Denial, OpenedFiles } from './opened-files.ts';
import type { PageLives } from './page-lives.ts';
import type { RecentFiles } from './recent-files.ts';
import type { Saves } from './saves.ts';
import { systemRecent } from './system-recent.ts';

export interface Services {
  readonly opened: OpenedFiles;
  readonly saves: Saves;
  readonly folderSaves: FolderSaves;
  readonly pages: PageLives;
  readonly recent: RecentFiles;
  readonly addresses: WebAddresses;
  /** Called after the list of recent files has changed. */
  readonly onRecentChanged: () => void;
  /** Asks, then restarts with or without the compatibility flags. */
  readonly offerRestart: (window: BrowserWindow, compatible: boolean) => Promise<void>;
  /** Sets the work that would be lost if the window were closed. */
  readonly setUnfinished: (kinds: readonly UnfinishedKind[]) => void;
  /** Sets the enabled commands of the menus. */
  readonly setMenu: (enabled: readonly MenuCommand[]) => void;
  /** The folder in which dialogs start. */
  readonly lastFolder: { get(): string; noteFile(path: string): void };
  /** The app's window; undefined if there is none. */
  readonly window: () => BrowserWindow | undefined;
  readonly devServer: string | undefined;
}

/** Answers the renderer's calls, but only those of the app's own page in the app's own window. */
export function registerIpc(services: Services): void {
  const handlers = makeHandlers(services);
  ipcMain.handle('stria:call', (event, name: unknown, ...args: unknown[]) =>
    answerFrom(services, event, (window) => answerCall(handlers, window, name, args)),
  );
  ipcMain.handle('stria:open-dropped', (event, path: unknown) =>
    answerFrom(services, event, () =>
      answerOf(async (): Promise<OpenedFile | null> => {
        const checked = checkDroppedPath(path);
        return checked === '' ? null : services.opened.choose(checked);
      }),
    ),
  );
}

function answerFrom<T>(
  { window, devServer }: Services,
  event: IpcMainInvokeEvent,
  answer: (window: BrowserWindow) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const own = window();
  if (own === undefined || event.sender !== own.webContents || !isAppFrame(event.senderFrame, devServer)) {
    return answerOf<T>(() => {
      throw new StriaError('invalid-input', 'Only the app itself may call this');
    });
  }
  return answer(own);
}

function askIn(window: BrowserWindow): AskPerson {
  return async (from, to) => (await dialog.showMessageBox(window, referenceQuestion(from, to))).response === 0;
}

/** Opens a recent web address, to whose host the user has agreed before. */
export function openedAddress(addresses: WebAddresses, address: string, dataset: DatasetName | undefined): OpenedFile {
  addresses.trust(address);
  return { id: '', name: '', size: 0, url: '', address, dataset };
}

function notOpened(name: string, from: string, denial: Denial): never {
  const reason =
    denial === 'declined' ? 'you chose not to. Open both together to use it' : 'files of this kind never refer to such a name';
  throw new StriaError('not-readable', `'${name}', which '${basename(from)}' refers to, was not opened: ${reason}`);
}

function makeHandlers({
  opened,
  saves,
  folderSaves,
  pages,
  recent,
  addresses,
  lastFolder,
  onRecentChanged,
  offerRestart,
  setUnfinished,
  setMenu,
}: Services): Handlers<BrowserWindow> {
  return {
    'shell-info': () => ({
      stria: app.getVersion(),
      electron: process.versions.electron ?? '',
      chromium: process.versions.chrome ?? '',
      platform: process.platform,
      compatibilityMode: isCompatible(process.argv),
    }),
    async 'open-dialog'(window) {
      const { canceled, filePaths } = await dialog.showOpenDialog(window, openVolumesDialog(lastFolder.get()));
      if (canceled) return [];
      for (const path of filePaths) lastFolder.noteFile(path);
      return Promise.all(filePaths.map((path) => opened.choose(path)));
    },
    async 'open-folder-dialog'(window) {
      const { canceled, filePaths } = await dialog.showOpenDialog(window, openFolderDialog(lastFolder.get()));
      const [path] = filePaths;
      if (canceled || path === undefined) return null;
      lastFolder.noteFile(path);
      return opened.choose(path);
    },
    async 'open-sibling'(window, id, name) {
      const sibling = await opened.openReferred(id, name, askIn(window));
      return typeof sibling === 'string' ? notOpened(name, opened.get(id).path, sibling) : sibling;
    },
    async 'open-relative'(window, id, path) {
      const file = await opened.openReferred(id, path, askIn(window));
      // If null, the page asks the user for the session's volume.
      return typeof file === 'string' ? null : file;
    },
    async 'allow-address'(window, address) {
      await addresses.allow(
        address,
        async (host, isPrivate) => (await dialog.showMessageBox(window, addressQuestion(host, isPrivate))).response === 0,
      );
      return relayUrl;
    },
    'recent-list': () => recent.list(),
    async 'recent-open'(_, id) {
      const { path, dataset } = recent.find(id);
      if (isAddress(path)) return openedAddress(addresses, path, dataset);
      return { ...(await opened.choose(path)), dataset };
    },
    'recent-add'(window, id, thumbnail, dataset) {
      const path = opened.chosenPath(id);
      recent.add(path, thumbnail ?? undefined, dataset ?? undefined);
      window.setRepresentedFilename(path);
      systemRecent.add(path);
      lastFolder.noteFile(path);
      onRecentChanged();
      return null;
    },
    'recent-add-address'(_, address, thumbnail, dataset) {
      if (!addresses.isAllowed(address)) throw new StriaError('invalid-input', 'This address was not opened');
      recent.add(address, thumbnail ?? undefined, dataset ?? undefined);
      onRecentChanged();
      return null;
    },
    'recent-clear'() {
      recent.clear();
      systemRecent.clear();
      onRecentChanged();
      return null;
    },
    async 'save-begin'(window, suggestedName) {
      const owner = window.webContents.id;
      const asked = dialog.showSaveDialog(window, saveDialog(join(lastFolder.get(), suggestedName)));
      const { canceled, filePath } = (await pages.answer(owner, asked)) ?? { canceled: true, filePath: '' };
      if (canceled || filePath === '') return null;
      lastFolder.noteFile(filePath);
      return saves.begin(owner, filePath);
    },
    async 'save-beside'(window, openedId, name) {
      const folder = await opened.chosenFolder(openedId);
      // Levels that no longer fit the file are of no use.
      const mayReplace = isLevelsNameOf(opened.nameOf(openedId), name);
      return saves.beginBeside(window.webContents.id, folder, name, mayReplace);
    },
    async 'save-write'(window, id, bytes) {
      await saves.write(window.webContents.id, id, bytes);
      return null;
    },
    async 'save-restart'(window, id) {
      await saves.restart(window.webContents.id, id);
      return null;
    },
    'save-relative': (window, id, openedId) => saves.relativePath(window.webContents.id, id, opened.get(openedId).path),
    async 'save-commit'(window, id) {
      await saves.commit(window.webContents.id, id);
      return null;
    },
    async 'save-abort'(window, id) {
      await saves.abort(window.webContents.id, id);
      return null;
    },
    async 'folder-begin'(window, suggestedName) {
      const owner = window.webContents.id;
      const asked = dialog.showOpenDialog(window, newFolderDialog(lastFolder.get(), suggestedName));
      const { canceled, filePaths } = (await pages.answer(owner, asked)) ?? { canceled: true, filePaths: [] };
      const [parent] = filePaths;
      if (canceled || parent === undefined) return null;
      lastFolder.noteFile(join(parent, suggestedName));
      return { id: await folderSaves.begin(owner, parent, suggestedName), name: suggestedName, folder: parent };
    },
    async 'folder-write'(window, id, fileName, bytes) {
      await folderSaves.write(window.webContents.id, id, fileName, bytes);
      return null;
    },
    'folder-commit': (window, id) => folderSaves.commit(window.webContents.id, id),
    async 'folder-abort'(window, id) {
      await folderSaves.abort(window.webContents.id, id);
      return null;
    },
    'show-folder'(window, id) {
      shell.showItemInFolder(folderSaves.savedPath(window.webContents.id, id));
      return null;
    },
    'show-saved'(window, id) {
      shell.showItemInFolder(saves.savedPath(window.webContents.id, id));
      return null;
    },
    'set-unfinished'(_, kinds) {
      setUnfinished(kinds);
      return null;
    },
    'set-menu'(_, enabled) {
      setMenu(enabled);
      return null;
    },
    async 'restart-compatible'(window) {
      if (isCompatible(process.argv)) throw new StriaError('invalid-input', 'Stria is already in compatibility mode');
      await offerRestart(window, true);
      return null;
    },
  };
}
