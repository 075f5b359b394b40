import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { canvasOf, drawCoarsely, drawnPart, expectOpen, settledPicture } from '../support/app.ts';
import { expect, test } from '../support/test.ts';
import { nifti, shapes } from '../support/volumes.ts';

let running: ChildProcess | undefined;
test.afterEach(() => {
  if (running?.exitCode === null) running.kill();
});

test('?url= opens an address; a server without CORS is explained', async ({ stria, webServer }) => {
  const bytes = nifti(shapes(32));
  const server = createServer((request, response) => {
    if (request.url === '/open.nii') response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', 'range').writeHead(request.method === 'OPTIONS' ? 204 : 200);
    response.end(request.method === 'OPTIONS' ? undefined : bytes);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { page } = stria;
  await page.goto(`${webServer.url}?debug&url=${encodeURIComponent(`${address}/open.nii`)}`);
  await expectOpen(page, 'open.nii');
  expect(stria.problems).toEqual([]);
  await page.goto(`${webServer.url}?debug&url=${encodeURIComponent(`${address}/closed.nii`)}`);
  await expect(page.getByTestId('error-message')).toContainText('does not let web pages read its files (CORS)');
  stria.problems.length = 0;
  server.close();
});

test('stria serve opens a file in the browser, from the command to the picture', async ({ stria, folder }) => {
  const data = join(folder, 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'a & b.nii'), nifti(shapes(48)));
  execFileSync(process.execPath, [resolve('scripts/build-web.mjs'), '--out', join(folder, 'web')], { stdio: 'pipe' });
  const command = [resolve('out/main/cli.js'), 'serve', data, '--port', '0', '--app', join(folder, 'web')];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  running = child;
  const address = await new Promise<string>((found) => {
    child.stdout.on('data', (text) => {
      const [url] = /http:\/\/127\.0\.0\.1:\d+\//.exec(String(text)) ?? [];
      if (url !== undefined) found(url);
    });
  });
  const { page } = stria;
  await page.addInitScript(() => localStorage.setItem('stria.debug', '1'));
  await page.goto(address);
  await expect(page.getByRole('row', { name: /a & b\.nii/ })).toContainText('48 × 48 × 48');
  await page.getByRole('link', { name: 'a & b.nii' }).click();
  await expectOpen(page, 'a & b.nii');
  await drawCoarsely(page);
  await expect(canvasOf(page, 'z')).toBeVisible();
  expect(drawnPart(await settledPicture(page, 'z'))).toBeGreaterThan(0.05);
  const ended = new Promise((exited) => child.once('exit', exited));
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});
