import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BrowserContext, chromium, expect, type Page, test } from 'playwright/test';
import { expectAccessible, loadAxe } from '../support/access.ts';
import { expectOpen } from '../support/app.ts';
import { launchOptions } from '../support/chromium.ts';
import { type StaticServer, serveStatic, unanswered } from '../support/static-server.ts';
import { nifti, shapes } from '../support/volumes.ts';

// The folder that `npm run build:web` makes, served below a path.

const folder = mkdtempSync(join(tmpdir(), 'stria-web-app-'));
const webFolder = join(folder, 'web');
const path = '/lab/tools/stria/';
let server: StaticServer;
let context: BrowserContext;

function buildWeb(...args: readonly string[]): void {
  execFileSync(process.execPath, [resolve('scripts/build-web.mjs'), '--out', webFolder, ...args], { stdio: 'pipe' });
}

// A profile on disk, because Chromium does not install apps in private windows.
test.beforeAll(async () => {
  buildWeb();
  server = await serveStatic(webFolder, path, {});
  context = await chromium.launchPersistentContext(join(folder, 'profile'), launchOptions);
});
test.afterAll(async () => {
  await context.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the app's page. WebGPU is off by default, since most tests draw nothing. */
async function openPage({ query = '', gpu = false } = {}): Promise<Page> {
  const page = await context.newPage();
  if (!gpu) await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'gpu'));
  await page.goto(`${server.url}${query}`);
  return page;
}

/** Waits until the service worker has all files and controls this page. */
function whenInstalled(page: Page): Promise<unknown> {
  return page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
}

const versionsKept = (page: Page) =>
  page.evaluate(async () => (await caches.keys()).map((name) => name.split(' ')[1]).filter((name) => name !== 'shared'));

/** Stands in for the system, which opens files with an installed app. */
async function launchWith(page: Page, name: string, bytes: Buffer): Promise<void> {
  await page.evaluate(
    async ([name, base64]) => {
      const root = await navigator.storage.getDirectory();
      const handle = await root.getFileHandle(name, { create: true });
      const writable = await handle.createWritable();
      await writable.write(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
      await writable.close();
      (window as unknown as { launch: (given: object) => void }).launch({ files: [handle] });
    },
    [name, bytes.toString('base64')] as const,
  );
}

test('opens below a path, can be installed, and opens a file offline', async () => {
  const first = await openPage();
  await expect(first.getByTestId('no-gpu')).toContainText('WebGPU is not available');
  const picture = first.getByTestId('introduction').getByRole('img');
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  expect(await first.evaluate(() => crossOriginIsolated)).toBe(false);
  await whenInstalled(first);

  const devtools = await context.newCDPSession(first);
  expect((await devtools.send('Page.getInstallabilityErrors')).installabilityErrors).toEqual([]);
  const { data, errors } = await devtools.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  expect(JSON.parse(data ?? '')).toMatchObject({ name: 'Stria', start_url: './', file_handlers: [{ action: './' }] });
  await first.close();

  // `context.setOffline` would not affect a service worker's own requests.
  const { url } = server;
  server.close();
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.addInitScript(() => {
    const launchQueue = { setConsumer: (consumer: unknown) => Object.assign(window, { launch: consumer }) };
    Object.defineProperty(window, 'launchQueue', { value: launchQueue });
    localStorage.setItem('stria.settings', '{"introduced":true}');
  });
  await page.goto(url);
  await expect(page.getByTestId('empty-state')).toBeVisible();
  await launchWith(page, 'scan.nii', nifti(shapes(32)));
  await expectOpen(page, 'scan');
  expect(problems).toEqual([]);
  await page.close();
  server = await serveStatic(webFolder, path, {}, Number(new URL(url).port));
});

test('a new version is announced, used on request, and never mixed with the old one', async () => {
  const page = await openPage();
  await whenInstalled(page);
  const [first] = await versionsKept(page);
  /** Looks for a newer version, and returns the state of its installation. */
  const look = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      const outcome = new Promise<string>((resolve) => {
        const watch = ({ installing }: ServiceWorkerRegistration) =>
          installing?.addEventListener('statechange', () => resolve(installing.state), { once: true });
        registration.addEventListener('updatefound', () => watch(registration), { once: true });
      });
      await registration.update();
      return outcome;
    });

  // The host has the new worker, but one file belongs to another version.
  buildWeb('--version', 'damaged');
  writeFileSync(join(webFolder, 'icon.svg'), '<svg/>');
  expect(await look()).toBe('redundant');
  // The browser may try a second time.
  await expect.poll(() => versionsKept(page)).toEqual([first]);
  await expect(page.getByTestId('new-version')).toBeHidden();

  buildWeb('--version', 'next');
  expect(await look()).toBe('installed');
  await expect(page.getByTestId('new-version')).toContainText('A new version of Stria is ready');
  // Until then, the old version answers.
  await page.reload();
  expect(await versionsKept(page)).toEqual([first, 'next']);
  const worker = await page.evaluate(async () => (await navigator.serviceWorker.ready).waiting?.state);
  expect(worker).toBe('installed');

  // The old version's worker waits for a file that the host does not send.
  await page.evaluate((file) => void fetch(file), new URL(`.${unanswered}`, server.url).href);
  await expect.poll(() => server.waiting()).toBe(1);
  const reloaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(page.getByRole('button', { name: 'Reloading…' })).toBeDisabled();
  await reloaded;
  await expect(page.getByTestId('new-version')).toBeHidden();
  expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).waiting)).toBeNull();

  // The previous version is kept for its pages that are still open, but no older one is.
  buildWeb('--version', 'last');
  expect(await look()).toBe('installed');
  await page.getByTestId('new-version').getByRole('button').click();
  await expect.poll(() => versionsKept(page).catch(() => [])).toEqual(['next', 'last']);
  await page.close();
});

test('takes files that other apps share', async () => {
  const page = await openPage();
  await whenInstalled(page);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  // The system sends this request for the app. A page of Stria itself may not send forms.
  await page.goto(new URL('/elsewhere', server.url).href);
  await page.setContent(
    `<form method="post" enctype="multipart/form-data" action="${server.url}share"><input type="file" name="files" multiple><button>Share</button></form>`,
  );
  await page.locator('input').setInputFiles([
    { name: 'a b.nii', mimeType: 'application/octet-stream', buffer: nifti(shapes(16)) },
    { name: 'c.nii', mimeType: 'application/octet-stream', buffer: nifti(shapes(16)) },
  ]);
  await page.getByRole('button', { name: 'Share' }).click();
  // Without a GPU, the files are compressed.
  await expect(page.getByTestId('queue-row')).toHaveText([/a b\.nii/, /c\.nii/]);
  expect(page.url()).toBe(server.url);
  // The files are taken only once.
  await page.reload();
  await expect(page.getByTestId('no-gpu')).toBeVisible();
  await expect(page.getByTestId('queue-row')).toHaveCount(0);
  expect(problems).toEqual([]);
  await page.close();
});

test('is isolated if the host sends the headers; the first start shows a compressed sample and hints, once', async () => {
  const [everywhere = ''] = readFileSync(join(webFolder, '_headers'), 'utf8').split('/assets/*');
  const headers = Object.fromEntries(
    [...everywhere.matchAll(/^ {2}([\w-]+): (.+)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  const isolated = await serveStatic(webFolder, '/', headers);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await page.goto(isolated.url);
  await expect(page.getByTestId('canvas-3d')).toBeVisible();
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  await expect(page.getByTestId('first-outcome')).toContainText(/compressed it to .+×\), bit for bit\.$/);
  await loadAxe(page);
  await expectAccessible(page, 'first start', { within: '[data-testid=first-hints]' });
  await page.getByTestId('first-hints-done').click();
  await expect(page.getByTestId('first-hints')).toBeHidden();
  await expect(page.getByTestId('result-card')).toBeVisible();
  await page.reload();
  await expect(page.getByTestId('empty-state')).toBeVisible();
  await expect(page.getByTestId('first-hints')).toBeHidden();
  expect(problems).toEqual([]);
  await page.close();
  isolated.close();
});
