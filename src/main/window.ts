import { join } from 'node:path';
import { BrowserWindow, dialog, nativeTheme, screen } from 'electron';
import icon from '../../resources/icon.png?asset';
import type { EventName, Events, UnfinishedKind } from '../core/shared/ipc.ts';
import { appPage } from './app-origin.ts';
import { createCloseGuard } from './close-guard.ts';
import { closeQuestion, hangQuestion, loadFailure } from './dialogs.ts';
import { pagePreferences } from './page-preferences.ts';
import { queueForPage } from './page-queue.ts';
import type { SettingsStore } from './settings.ts';
import { watchHang } from './window-hang.ts';
import { showOnce, watchLoading } from './window-loading.ts';
import { placeWindow, smallestWindow } from './window-place.ts';

/** The background tokens of both themes, for the window before the page has painted. */
const background = { dark: '#121416', light: '#eff0f2' } as const;

/** The window is shown after this time even if it has not painted. */
const showPatienceMs = 3000;

export interface AppWindow {
  readonly browserWindow: BrowserWindow;
  /** Sets the work that would be lost on closing, as the page reports it. */
  setUnfinished(kinds: readonly UnfinishedKind[]): void;
  /** Sends an event at once, or when the page has loaded. */
  send<Name extends EventName>(name: Name, event: Events[Name]): void;
}

export interface WindowOptions {
  readonly settings: SettingsStore;
  readonly devServer: string | undefined;
  /** Called when the page is gone, because it was closed, reloaded or crashed. Its saves must be aborted. */
  readonly onPageGone: (contentsId: number) => void;
  readonly onClosed: () => void;
  /** Whether this window is still saving something. */
  readonly isSaving: (contentsId: number) => boolean;
  /** Called when the user has answered whether to close despite unfinished work: yes (the window is gone) or no. */
  readonly onCloseAnswered: (closes: boolean) => void;
}

export function createWindow(options: WindowOptions): AppWindow {
  const { settings, devServer, onPageGone, onClosed, isSaving, onCloseAnswered } = options;
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
      ...pagePreferences,
    },
  });
  const { webContents } = window;
  const contentsId = webContents.id;
  let unfinished: readonly UnfinishedKind[] = [];
  const queue = queueForPage(webContents);

  showOnce(window, showPatienceMs, () => {
    if (last?.maximized) window.maximize();
    window.show();
  });
  const guard = createCloseGuard({
    unfinished: () => [...new Set([...(isSaving(contentsId) ? (['saving'] as const) : []), ...unfinished])],
    ask: async (kinds) => (await dialog.showMessageBox(window, closeQuestion(kinds))).response === 0,
    leave: () => {
      if (!window.isDestroyed()) window.destroy();
      onCloseAnswered(true);
    },
    stay: () => onCloseAnswered(false),
  });
  window.on('close', (event) => {
    guard(event);
    try {
      settings.change({ window: { ...window.getNormalBounds(), maximized: window.isMaximized() } });
    } catch (error) {
      console.error("The window's place could not be kept:", error);
    }
  });
  const pageGone = () => {
    unfinished = [];
    onPageGone(contentsId);
  };
  window.on('closed', () => {
    onPageGone(contentsId);
    onClosed();
  });
  // A new page has loaded, for example after a reload, so nothing writes the old page's saves any more.
  webContents.on('did-navigate', pageGone);
  const wasEnded = watchHang(
    webContents,
    async (signal) => (await dialog.showMessageBox(window, { ...hangQuestion, signal })).response === 0,
  );
  webContents.on('render-process-gone', (_, { reason }) => {
    pageGone();
    // Not during the event, in which Chromium is still tearing down the page.
    if (wasEnded()) setImmediate(() => window.isDestroyed() || webContents.reload());
    else if (reason !== 'clean-exit') void offerReload(window, reason);
  });

  // `did-fail-load` reports a failure.
  const load = () => void window.loadURL(devServer ?? appPage).catch(() => undefined);
  let isOffering = false;
  watchLoading(webContents, async (reason) => {
    if (isOffering) return;
    isOffering = true;
    // Not a dialog attached to the window, which may be blank.
    const { response } = await dialog.showMessageBox(loadFailure(reason));
    isOffering = false;
    if (window.isDestroyed()) return;
    if (response === 0) load();
    else window.destroy();
  });

  load();
  return {
    browserWindow: window,
    setUnfinished(kinds) {
      unfinished = kinds;
    },
    send(name, event) {
      queue(() => webContents.send('stria:event', name, event));
    },
  };
}

/** Offers to reload after the page has crashed. Its state is lost, but no files are. */
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
