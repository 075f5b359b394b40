import { join } from 'node:path';
import { BrowserWindow, dialog, nativeTheme, screen } from 'electron';
import icon from '../../resources/icon.png?asset';
import type { EventName, Events } from '../core/shared/ipc.ts';
import { appPage } from './app-origin.ts';
import type { SettingsStore } from './settings.ts';
import { placeWindow, smallestWindow } from './window-place.ts';

/** The tokens' background in both themes, as the window's before the page has painted. */
const background = { dark: '#121416', light: '#eff0f2' } as const;

export interface AppWindow {
  readonly browserWindow: BrowserWindow;
  /** Sends at once, or when the page has loaded. */
  send<Name extends EventName>(name: Name, event: Events[Name]): void;
}

export interface WindowOptions {
  readonly settings: SettingsStore;
  readonly devServer: string | undefined;
  /** The page is gone, with everything that it was writing: it was closed, or it crashed. */
  readonly onPageGone: (contentsId: number) => void;
  readonly onClosed: () => void;
}

export function createWindow({ settings, devServer, onPageGone, onClosed }: WindowOptions): AppWindow {
  const last = settings.get().window;
  const screens = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map(({ workArea }) => workArea);
  const window = new BrowserWindow({
    ...placeWindow(last, screens),
    minWidth: smallestWindow.width,
    minHeight: smallestWindow.height,
    title: 'Stria',
    icon,
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? background.dark : background.light,
    webPreferences: {
      preload: join(import.meta.dirname, '../preload/index.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    },
  });
  const { webContents } = window;
  const contentsId = webContents.id;
  let loaded = false;
  let waiting: (() => void)[] = [];

  window.once('ready-to-show', () => {
    if (last?.maximized) window.maximize();
    window.show();
  });
  window.on('close', () => {
    try {
      settings.change({ window: { ...window.getNormalBounds(), maximized: window.isMaximized() } });
    } catch (error) {
      console.error("The window's place could not be kept:", error);
    }
  });
  window.on('closed', () => {
    onPageGone(contentsId);
    onClosed();
  });
  // Another page is there, after a reload for instance: the old one's saves have lost their writer.
  webContents.on('did-navigate', () => {
    loaded = false;
    onPageGone(contentsId);
  });
  webContents.on('did-finish-load', () => {
    loaded = true;
    const ready = waiting;
    waiting = [];
    for (const send of ready) send();
  });
  webContents.on('render-process-gone', (_, { reason }) => {
    onPageGone(contentsId);
    if (reason !== 'clean-exit') void offerReload(window, reason);
  });
  webContents.on('will-prevent-unload', (event) => {
    const choice = dialog.showMessageBoxSync(window, {
      type: 'question',
      message: 'Leave without saving?',
      detail: 'There is unsaved work, or work still running. It will be lost.',
      buttons: ['Leave', 'Stay'],
      defaultId: 1,
      cancelId: 1,
    });
    if (choice === 0) event.preventDefault();
  });

  void window.loadURL(devServer ?? appPage);
  return {
    browserWindow: window,
    send(name, event) {
      const send = () => webContents.send('stria:event', name, event);
      if (loaded) send();
      else waiting.push(send);
    },
  };
}

/** After a crash of the page: its state is lost, the files are not. */
async function offerReload(window: BrowserWindow, reason: string): Promise<void> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'error',
    message: 'The view has stopped working',
    detail: `Its process ended (${reason}). Files on disk are as they were; what was being saved is discarded. Reload to go on.`,
    buttons: ['Reload', 'Close'],
    defaultId: 0,
    cancelId: 1,
  });
  if (window.isDestroyed()) return;
  if (response === 0) window.webContents.reload();
  else window.destroy();
}
