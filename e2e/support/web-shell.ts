import { type ChildProcess, spawn } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BrowserContext } from 'playwright/test';
import { emptyQueues, type Shell } from './shell.ts';

export interface WebServer {
  readonly url: string;
  stop(): void;
}

/** Runs `npm run web` on a free port, without opening a browser. */
export async function startWebServer(): Promise<WebServer> {
  const server: ChildProcess = spawn(process.execPath, [resolve('scripts/web.mjs'), '--port', '0', '--no-open'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((done, failed) => {
    let text = '';
    server.stdout?.on('data', (data) => {
      text += data;
      const [found] = /http:\/\/127\.0\.0\.1:\d+\//.exec(text) ?? [];
      if (found !== undefined) done(found);
    });
    server.once('exit', () => failed(new Error(`scripts/web.mjs ended before it served: ${text}`)));
  });
  return { url, stop: () => void server.kill() };
}

/**
 * Opens the web shell. Tests cannot drive Chromium's own file pickers, so these are removed from the page, which falls back to
 * <input> and downloads. e2e/web/pickers.spec.ts covers the pickers with files of the page's private file system.
 * @param folder where downloads without a `chooseSave` go
 */
export async function openWeb(context: BrowserContext, url: string, folder: string): Promise<Shell> {
  const page = await context.newPage();
  const queues = emptyQueues();
  await page.addInitScript(() => {
    for (const name of ['showOpenFilePicker', 'showSaveFilePicker', 'showDirectoryPicker']) {
      Object.defineProperty(window, name, { value: undefined });
    }
  });
  page.on('filechooser', (chooser) => void chooser.setFiles([...(queues.open.shift() ?? [])]));
  page.on('download', async (download) => {
    const path = queues.save.shift() ?? join(folder, download.suggestedFilename());
    await download.saveAs(`${path}.part`);
    renameSync(`${path}.part`, path);
  });
  await page.goto(`${url}?debug`);

  const onlyDesktop = async (): Promise<never> => {
    throw new Error('Only the desktop shell can do this: put the spec into e2e/desktop/');
  };
  return {
    kind: 'browser',
    page,
    async chooseOpen(paths) {
      queues.open.push(paths);
    },
    async chooseSave(path) {
      queues.save.push(path);
    },
    chooseButton: onlyDesktop,
    async beforeDrop() {},
    openArgument: onlyDesktop,
    clickMenu: onlyDesktop,
    messages: onlyDesktop,
    shownItems: onlyDesktop,
    quit: onlyDesktop,
    close: () => page.close(),
  };
}
