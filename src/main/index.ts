import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { app, type BrowserWindow, dialog, Menu, protocol, session } from 'electron';
import { isAddress } from '../core/remote/address.ts';
import { toStriaError } from '../core/shared/errors.ts';
import type { OpenedFile } from '../core/shared/ipc.ts';
import { type MenuCommand, menuCommands } from '../core/shared/menu-commands.ts';
import type { DatasetName } from '../core/shared/volume-names.ts';
import { WebAddresses } from './addresses.ts';
import { appScheme, fileUrl } from './app-origin.ts';
import { compatibleArguments, isCompatible, plainArguments } from './compatibility.ts';
import { restartQuestion } from './dialogs.ts';
import { fileArguments } from './file-arguments.ts';
import { createFolderSaves } from './folder-saves.ts';
import { harden } from './hardening.ts';
import { openedAddress, registerIpc } from './ipc-handlers.ts';
import { isEnabled, menuTemplate } from './menu.ts';
import { createOpenedFiles } from './opened-files.ts';
import { PageLives } from './page-lives.ts';
import { createProtocol } from './protocol.ts';
import { createRecentFiles } from './recent-files.ts';
import { restart } from './restart.ts';
import { createSaves } from './saves.ts';
import { createSettings } from './settings.ts';
import { showFailure } from './shown-failure.ts';
import { systemRecent } from './system-recent.ts';
import { createUnfinishedSaves } from './unfinished-saves.ts';
import { createUpdates } from './updates.ts';
import { type AppWindow, createWindow } from './window.ts';

app.setName('Stria');
// The id of the installed shortcut, under which Windows keeps the jump list.
if (process.platform === 'win32') app.setAppUserModelId('org.stria.Stria');
protocol.registerSchemesAsPrivileged([
  { scheme: appScheme, privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true, corsEnabled: true } },
]);

const devServer = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;
const ownArguments = process.argv.slice(1);
const settings = createSettings(join(app.getPath('userData'), 'settings.json'));
const filesToOpen = fileArguments(process.argv, process.cwd(), app.isPackaged);

if (settings.get().compatibilityMode && !isCompatible(process.argv)) {
  // Chromium needs the switches when it starts, which is before this script runs.
  restart(app, compatibleArguments(ownArguments, process.platform));
} else if (app.requestSingleInstanceLock({ files: filesToOpen })) {
  run();
} else {
  app.quit();
}

function run(): void {
  const unfinished = createUnfinishedSaves(join(app.getPath('userData'), 'unfinished-saves.json'));
  void unfinished.removeLeft();
  const saves = createSaves(unfinished);
  const folderSaves = createFolderSaves(unfinished);
  const abortSaves = () => Promise.all([saves.abortAll(), folderSaves.abortAll()]);
  const pages = new PageLives();
  const recent = createRecentFiles(join(app.getPath('userData'), 'recent-files.json'));
  const addresses = new WebAddresses();
  const opened = createOpenedFiles(fileUrl, recent.paths);
  let appWindow: AppWindow | undefined;
  let lastFolder: string | undefined;
  /** The menu commands that the page has enabled; undefined while there is no page. */
  let enabled: ReadonlySet<MenuCommand> | undefined;
  // Files that the system passed before the app was ready.
  const early: string[] = [...filesToOpen];
  let started = false;
  let isQuitting = false;

  const showWindow = (): AppWindow => {
    appWindow ??= createWindow({
      settings,
      devServer,
      onPageGone: (contentsId) => {
        pages.end(contentsId);
        void saves.abortAll(contentsId);
        void folderSaves.abortAll(contentsId);
      },
      onClosed: () => {
        appWindow = undefined;
        setMenu(undefined);
      },
      isSaving: (contentsId) => saves.pending(contentsId) + folderSaves.pending(contentsId) > 0,
      onCloseAnswered: (closes) => {
        // The question interrupted quitting, which closing was part of.
        if (closes && isQuitting) app.quit();
        isQuitting = false;
      },
    });
    return appWindow;
  };

  const placesOf = (paths: readonly string[]) => paths.map((path) => ({ path }));
  const openPaths = async (
    places: readonly { readonly path: string; readonly dataset?: DatasetName | undefined }[],
  ): Promise<void> => {
    const window = showWindow();
    if (window.browserWindow.isMinimized()) window.browserWindow.restore();
    window.browserWindow.focus();
    const files: OpenedFile[] = [];
    for (const { path, dataset } of places) {
      try {
        files.push(isAddress(path) ? openedAddress(addresses, path, dataset) : { ...(await opened.choose(path)), dataset });
      } catch (error) {
        const { message } = toStriaError(error);
        await dialog.showMessageBox(window.browserWindow, {
          type: 'error',
          message: 'This file could not be opened',
          detail: message,
        });
      }
    }
    if (files.length > 0) window.send('files-opened', files);
  };

  const openRecent = async (id: string): Promise<void> => openPaths([recent.find(id)]);

  const offerRestart = async (window: BrowserWindow, compatible: boolean): Promise<void> => {
    const { response } = await dialog.showMessageBox(window, restartQuestion(compatible));
    if (response !== 0) return;
    settings.change({ compatibilityMode: compatible });
    await abortSaves();
    restart(app, compatible ? compatibleArguments(ownArguments, process.platform) : plainArguments(ownArguments));
  };

  /** Runs work of a menu item that changes a setting. */
  const changing = (work: () => void | Promise<void>): void =>
    void showFailure('The setting could not be saved', work, (box) => dialog.showMessageBox(showWindow().browserWindow, box));

  // If the app is packaged with an address for updates, electron-builder writes it beside the app.
  const updates =
    app.isPackaged && existsSync(join(process.resourcesPath, 'app-update.yml'))
      ? createUpdates({
          version: app.getVersion(),
          settings,
          loadUpdater: async () => (await import('electron-updater')).default.autoUpdater,
          ask: async (question) => (await dialog.showMessageBox(showWindow().browserWindow, question)).response,
        })
      : undefined;

  const buildMenu = (): void => {
    const template = menuTemplate({
      platform: process.platform,
      recent: recent.list(),
      compatible: isCompatible(process.argv),
      development: !app.isPackaged,
      enabled,
      send: (command) => {
        if (command === 'close') appWindow?.browserWindow.setRepresentedFilename('');
        showWindow().send('menu-command', command);
      },
      openRecent: (id) => void openRecent(id),
      clearRecent: () => {
        recent.clear();
        systemRecent.clear();
        buildMenu();
      },
      toggleCompatible: () => {
        // The click has toggled the item. Rebuild the menu to show the actual mode.
        buildMenu();
        changing(() => offerRestart(showWindow().browserWindow, !isCompatible(process.argv)));
      },
      updates: updates && {
        atStart: settings.get().updateChecks,
        check: () => void updates.check(),
        toggleAtStart: () => {
          changing(() => settings.change({ updateChecks: !settings.get().updateChecks }));
          buildMenu();
        },
      },
    });
    Menu.setApplicationMenu(Menu.buildFromTemplate(template));
  };

  /** Updates the items in place: a rebuilt menu would close under the pointer. */
  const setMenu = (commands: ReadonlySet<MenuCommand> | undefined): void => {
    enabled = commands;
    const menu = Menu.getApplicationMenu();
    for (const command of menuCommands) {
      const item = menu?.getMenuItemById(command);
      if (item) item.enabled = isEnabled(command, enabled);
    }
  };

  app.on('second-instance', (_event, _argv, _folder, data) => void openPaths(placesOf(sentFiles(data))));
  app.on('open-file', (event, path) => {
    event.preventDefault();
    if (started) void openPaths([{ path }]);
    else early.push(path);
  });
  app.on('activate', () => void showWindow());
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  app.on('before-quit', () => {
    isQuitting = true;
  });
  app.on('will-quit', (event) => {
    if (saves.pending() + folderSaves.pending() === 0) return;
    event.preventDefault();
    void abortSaves().then(() => app.quit());
  });

  void app.whenReady().then(() => {
    harden(app, session.defaultSession, devServer);
    const root = resolve(import.meta.dirname, '../renderer');
    const relay = addresses.relay.bind(addresses);
    protocol.handle(appScheme, createProtocol({ root, findFile: opened.find, findFolder: opened.folder, relay, devServer }));
    registerIpc({
      opened,
      addresses,
      saves,
      folderSaves,
      pages,
      recent,
      devServer,
      offerRestart,
      onRecentChanged: buildMenu,
      window: () => appWindow?.browserWindow,
      setUnfinished: (kinds) => appWindow?.setUnfinished(kinds),
      setMenu: (commands) => setMenu(new Set(commands)),
      lastFolder: {
        get: () => lastFolder ?? app.getPath('documents'),
        noteFile: (path) => {
          lastFolder = dirname(path);
        },
      },
    });
    buildMenu();
    started = true;
    void openPaths(placesOf(early));
    void updates?.checkAtStart();
  });
}

/** The files that a second instance was started with. @param data what it sent */
function sentFiles(data: unknown): string[] {
  const { files } = typeof data === 'object' && data !== null && 'files' in data ? data : { files: [] };
  return Array.isArray(files) ? files.filter((file): file is string => typeof file === 'string') : [];
}
