import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, expect, test } from 'playwright/test';
import { expectOpen } from '../support/app.ts';
import { gpuSwitches } from '../support/chromium.ts';
import { nifti, shapes } from '../support/volumes.ts';

// The packaged app. Its fuses disable Node's inspector, so only Chromium's own protocol reaches it, and tests cannot answer dialogs.

const { STRIA_PACKAGED: binary = '' } = process.env;
const folder = mkdtempSync(join(tmpdir(), 'stria-packaged-'));
const started: ChildProcess[] = [];
test.afterAll(() => {
  for (const child of started) child.kill();
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: readonly string[]): ChildProcess {
  const switches = [
    ...gpuSwitches,
    `--user-data-dir=${join(folder, 'user')}`,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
  const child = spawn(binary, [...switches, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  started.push(child);
  return child;
}

function write(name: string, side: number): string {
  const path = join(folder, name);
  writeFileSync(path, nifti(shapes(side)));
  return path;
}

test('the packaged app opens its argument from the asar, has a GPU, and takes the file of a second start', async () => {
  test.skip(binary === '', 'STRIA_PACKAGED does not name the packaged app');
  const app = start('--remote-debugging-port=0', write('given.nii', 32));
  const address = await new Promise<string>((found, failed) => {
    let text = '';
    app.stderr?.on('data', (data) => {
      text += data;
      const [, one] = /DevTools listening on (ws:\S+)/.exec(text) ?? [];
      if (one !== undefined) found(one);
    });
    app.once('exit', (code) => failed(new Error(`the app ended with ${code}: ${text}`)));
  });
  const browser = await chromium.connectOverCDP(address);
  const pages = () => browser.contexts().flatMap((context) => context.pages());
  await expect.poll(() => pages().length).toBe(1);
  const [page] = pages();
  if (page === undefined) throw new Error('there is no window');
  await expectOpen(page, 'given.nii');
  expect(page.url()).toMatch(/^app:\/\/stria\//);
  expect(await page.evaluate(async () => (await navigator.gpu?.requestAdapter()) != null)).toBe(true);
  const second = start(write('second.nii', 16));
  await once(second, 'exit');
  await expect(
    page
      .getByTestId('second-dialog')
      .or(page.getByRole('heading', { name: /second\.nii/ }))
      .first(),
  ).toBeVisible();
  await browser.close();
});
