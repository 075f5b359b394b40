import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { _electron } from 'playwright/test';
import { gpuSwitches } from './chromium.ts';
import { type DialogQueues, emptyQueues, type Shell } from './shell.ts';

/** Opens the real Electron binary with main's real bundle. The test answers only native dialogs. */
export async function openElectron(binary: string, userData: string, launchArguments: readonly string[]): Promise<Shell> {
  const root = resolve('.');
  const switches = [...gpuSwitches, `--user-data-dir=${userData}`, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  const app = await _electron.launch({ executablePath: binary, args: [...switches, root, ...launchArguments] });
  // The queues are a global in main; the test keeps only a handle.
  const queues = await app.evaluateHandle(({ dialog, shell }, empty: DialogQueues) => {
    dialog.showOpenDialog = async () => {
      const filePaths = [...(empty.open.shift() ?? [])];
      return { canceled: filePaths.length === 0, filePaths };
    };
    dialog.showSaveDialog = async () => {
      const filePath = empty.save.shift();
      return { canceled: filePath === undefined, filePath: filePath ?? '' };
    };
    dialog.showMessageBox = async (...args: readonly unknown[]) => {
      const { cancelId = 0, message, detail } = args.at(-1) as Electron.MessageBoxOptions;
      empty.messages.push({ message, ...(detail === undefined ? {} : { detail }) });
      return { response: empty.buttons.shift() ?? cancelId, checkboxChecked: false };
    };
    shell.showItemInFolder = (path) => void empty.shown.push(path);
    return empty;
  }, emptyQueues());
  const page = await app.firstWindow();
  await page.waitForLoadState('load');
  // A file from the command line would not be sent a second time, so those specs have no test hook.
  if (launchArguments.length === 0) {
    await page.evaluate(() => localStorage.setItem('stria.debug', '1'));
    await page.reload();
  }

  return {
    kind: 'electron',
    page,
    chooseOpen: (paths) => queues.evaluate(({ open }, given) => void open.push(given), paths),
    chooseSave: (path) => queues.evaluate(({ save }, given) => void save.push(given), path),
    chooseButton: (index) => queues.evaluate(({ buttons }, given) => void buttons.push(given), index),
    async beforeDrop() {},
    async openArgument(path) {
      const second = spawn(binary, [...switches, root, resolve(path)], { stdio: 'ignore' });
      await new Promise((ended) => second.once('exit', ended));
    },
    clickMenu: (id) => app.evaluate(({ Menu }, itemId) => void Menu.getApplicationMenu()?.getMenuItemById(itemId)?.click(), id),
    messages: () => queues.evaluate(({ messages }) => messages),
    shownItems: () => queues.evaluate(({ shown }) => shown),
    // Not awaited, since the app's process may end before it can answer.
    quit: () => app.evaluate(({ app: electron }) => void setTimeout(() => electron.quit())),
    async crashPage() {
      await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer());
      // Ask through main, because Playwright's page has crashed.
      return (testId) =>
        app.evaluate(
          async ({ BrowserWindow }, selector) =>
            (await BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(
              `document.querySelector('${selector}') !== null`,
            )) === true,
          `[data-testid=${testId}]`,
        );
    },
    async close() {
      // 'Close' is the first button of the question about unfinished work. The app may have ended already.
      await queues.evaluate(({ buttons }) => void buttons.splice(0, buttons.length, 0)).catch(() => undefined);
      await app.close();
    },
  };
}
