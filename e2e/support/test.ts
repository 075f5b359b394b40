import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test as base, expect, type Page } from 'playwright/test';
import { findElectron } from '../../scripts/electron-files.mjs';
import { startVirtualDisplay } from '../../scripts/virtual-display.mjs';
import { drawCoarsely, replaceWithoutAsking } from './app.ts';
import { openDouble } from './double-shell.ts';
import { openElectron } from './electron-shell.ts';
import type { Shell } from './shell.ts';
import { openWeb, startWebServer, type WebServer } from './web-shell.ts';

/** Stria in one of its shells, as specs see it. */
export interface Stria extends Omit<Shell, 'beforeDrop' | 'close'> {
  /** The folder for the app's files. It is empty at the start, and removed at the end. */
  readonly folder: string;
  /** Writes a file into the folder and returns its path. */
  write(name: string, bytes: Uint8Array | string): string;
  /** Drags files from the system's file manager over the page, and keeps them hovering there. */
  dragFiles(paths: readonly string[], at?: Point): Promise<void>;
  /** Drops files from the system's file manager on the page, by default in its centre. */
  dropFiles(paths: readonly string[], at?: Point): Promise<void>;
  /**
   * Waits until a save has created this path, and returns the path. In a browser, saving beside a file is a download to the
   * test's folder, so keep the sources there.
   */
  savedFile(path: string): Promise<string>;
  /** Errors on the console, uncaught errors, and violations of the content security policy so far. A test must end with none. */
  readonly problems: string[];
}
export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Options {
  /** Arguments of the desktop app, files and switches: `test.use({ launchArguments: [path] })`. */
  readonly launchArguments: readonly string[];
  /** Whether to draw the 3D view as sharp as for users. Otherwise it is coarse, deterministic and fast. */
  readonly sharp: boolean;
  /** Whether the app asks what to do with a file that is opened while a volume is open. Otherwise the file replaces the volume. */
  readonly asks: boolean;
}

export const test = base.extend<Options & { folder: string; stria: Stria }, { webServer: WebServer }>({
  launchArguments: [[], { option: true }],
  sharp: [false, { option: true }],
  asks: [false, { option: true }],

  // Windows on the same display disturb each other's drags, so each additional worker gets a display of its own.
  launchOptions: [
    async ({ launchOptions }, use, { parallelIndex }) => {
      if (parallelIndex === 0) return use(launchOptions);
      const { display, stop } = await startVirtualDisplay();
      process.env.DISPLAY = display;
      await use(launchOptions);
      stop();
    },
    { scope: 'worker' },
  ],

  webServer: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const server = await startWebServer();
      await use(server);
      server.stop();
    },
    { scope: 'worker' },
  ],

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
  folder: async ({}, use) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stria-e2e-')));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },

  stria: async ({ context, folder, launchArguments, sharp, asks, webServer }, use, { project }) => {
    const userData = mkdtempSync(join(tmpdir(), 'stria-user-'));
    const problems: string[] = [];
    const binary = findElectron();
    context.on('page', (page) => watch(page, problems));
    let shell: Shell;
    if (project.name === 'web') shell = await openWeb(context, webServer.url, folder);
    else if (binary === undefined) shell = await openDouble(context, userData, launchArguments);
    else {
      shell = await openElectron(binary, userData, launchArguments);
      watch(shell.page, problems);
    }
    if (!sharp) await drawCoarsely(shell.page);
    if (!asks) await replaceWithoutAsking(shell.page);
    await use({ ...shell, folder, problems, ...fileActions(shell, folder) });
    await shell.close();
    rmSync(userData, { recursive: true, force: true });
    expect(problems, 'errors on the console').toEqual([]);
  },
});

export { expect };

function watch(page: Page, problems: string[]): void {
  page.on('console', (message) => {
    // Violations of the content security policy are errors, too.
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.stack ?? error.message}`));
}

function fileActions(shell: Shell, folder: string): Pick<Stria, 'write' | 'dragFiles' | 'dropFiles' | 'savedFile'> {
  /** Sends Chromium's own drag events, since a DataTransfer made by a script cannot contain real files. */
  const drag = async (paths: readonly string[], at: Point | undefined, last: 'dragOver' | 'drop'): Promise<void> => {
    await shell.beforeDrop(paths);
    await shell.page.locator('#root > *').first().waitFor({ state: 'attached' }); // after a reload
    const size = shell.page.viewportSize() ?? (await shell.page.evaluate(() => ({ width: innerWidth, height: innerHeight })));
    const point = at ?? { x: size.width / 2, y: size.height / 2 };
    const data = { items: [], files: paths.map((path) => resolve(path)), dragOperationsMask: 1 };
    const session = await shell.page.context().newCDPSession(shell.page);
    for (const type of ['dragEnter', 'dragOver', last] as const) {
      await session.send('Input.dispatchDragEvent', { type, ...point, data });
    }
    await session.detach();
  };
  return {
    write(name, bytes) {
      const path = join(folder, name);
      writeFileSync(path, bytes);
      return path;
    },
    dragFiles: (paths, at) => drag(paths, at, 'dragOver'),
    dropFiles: (paths, at) => drag(paths, at, 'drop'),
    async savedFile(path) {
      await expect.poll(() => existsSync(path), { message: `${path} is saved` }).toBe(true);
      return path;
    },
  };
}
