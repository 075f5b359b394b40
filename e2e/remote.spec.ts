import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canvasOf, expectOpen, volumeFacts } from './support/app.ts';
import { cli } from './support/cli.ts';
import { expect, test } from './support/test.ts';
import { nifti, noise, shapes } from './support/volumes.ts';

// Volumes at web addresses, from a server that lets other origins read. Every fifth request fails.

const files = new Map<string, Buffer>();
let server: Server;
let address = '';
/** If set, answers wait once more than so many bytes have been sent. */
let held: { mostBytes: number; readonly waiting: (() => void)[] } | undefined;
/** How many requests the page has ended before they were answered. */
let ended = 0;
let requests: { readonly method: string | undefined; readonly range: string | undefined }[] = [];

test.beforeAll(async () => {
  files.set('/data/scan.nii', nifti(shapes(48)));
  server = createServer((request, response) => {
    requests.push({ method: request.method, range: request.headers.range });
    if (requests.length % 5 === 4) {
      response.socket?.destroy();
      return;
    }
    const cors = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'range',
      'access-control-expose-headers': 'content-range, etag',
    };
    const bytes = files.get(new URL(request.url ?? '', 'http://a').pathname);
    if (request.url?.startsWith('/closed')) response.writeHead(200).end('no CORS');
    else if (request.method === 'OPTIONS') response.writeHead(204, cors).end();
    else if (bytes === undefined) response.writeHead(404, cors).end();
    else {
      const [, first, last] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
      const start = Number(first ?? 0);
      const end = last === undefined ? bytes.length : Math.min(bytes.length, Number(last) + 1);
      response.writeHead(first === undefined ? 200 : 206, {
        ...cors,
        etag: '"1"',
        'content-length': end - start,
        ...(first === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` }),
      });
      response.on('close', () => {
        if (!response.writableEnded) ended++;
      });
      const answer = () => void response.end(bytes.subarray(start, end));
      if (held) held.mostBytes -= end - start;
      if (held && held.mostBytes < 0) held.waiting.push(answer);
      else answer();
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.afterAll(() => {
  server.closeAllConnections();
  server.close();
});
test.beforeEach(() => {
  held = undefined;
  requests = [];
});

test('Open URL: a mistyped address is explained, and a right one opens; it is among the recent ones', async ({ stria }) => {
  const { page, kind } = stria;
  await page.getByTestId('open-url-button').click();
  const input = page.getByTestId('address-input');
  await expect(input).toBeFocused();
  await input.fill('example.org/scan.nii');
  await input.press('Enter');
  await expect(page.getByTestId('error-message')).toContainText('must begin with https://');
  // The desktop app asks before it connects to this computer; the second button cancels.
  if (kind !== 'browser') {
    await stria.chooseButton(1);
    await input.fill(`${address}/data/scan.nii`);
    await input.press('Enter');
    await expect(page.getByTestId('error-message')).toContainText('you chose not to connect');
    expect((await stria.messages()).at(-1)?.message).toContain('in your own network');
    expect(requests).toHaveLength(0);
    await stria.chooseButton(0);
  }
  await input.fill(`${address}/data/none.nii?key=secret`);
  await input.press('Enter');
  await expect(page.getByTestId('error-message')).toContainText('there is nothing at this address (404)', { ignoreCase: true });
  await expect(page.getByTestId('error-message')).not.toContainText('secret');

  await input.fill(` ${address}/data/scan.nii `);
  await page.getByTestId('address-open').click();
  await expectOpen(page, 'scan.nii');
  expect(await volumeFacts(page)).toMatchObject({ Dimensions: '48 × 48 × 48' });
  expect(requests.some(({ range }) => range === 'bytes=0-131071')).toBe(true);

  await page.keyboard.press('Control+u');
  await page
    .getByTestId('address-dialog')
    .getByRole('button', { name: /scan\.nii.*127\.0\.0\.1/ })
    .click();
  await expectOpen(page, 'scan.nii');
  await expect(page.getByTestId('address-dialog')).toBeHidden();
  // The browser reports the missing file and the dropped connections.
  const expected = /Failed to load resource|net::ERR/;
  expect(stria.problems.filter((problem) => !expected.test(problem))).toEqual([]);
  stria.problems.length = 0;
});

test('a .stria without levels shows its middle slices before the rest has arrived', async ({ stria, folder }) => {
  const { page } = stria;
  const source = stria.write('noise.nii', nifti(noise([256, 256, 256])));
  await cli('compress', source, '-o', `${folder}/noise.stria`, '--device', 'cpu');
  const bytes = readFileSync(`${folder}/noise.stria`);
  files.set('/data/noise.stria', bytes);
  held = { mostBytes: 0.7 * bytes.length, waiting: [] };
  if (stria.kind !== 'browser') await stria.chooseButton(0);
  await page.keyboard.press('Control+u');
  await page.getByTestId('address-input').fill(`${address}/data/noise.stria`);
  await page.getByTestId('address-open').click();
  await expectOpen(page, 'noise.stria');
  const arrived = page.getByText('loading, middle slices first');
  await expect(arrived).toBeVisible();
  const inSlices = page.getByText('parts are still loading').filter({ visible: true });
  await expect(inSlices).toHaveCount(3);
  expect((await volumeFacts(page)).Shown).toContain('the rest is loading');
  const { waiting } = held;
  held = undefined;
  for (const answer of waiting) answer();
  await expect(arrived).toBeHidden({ timeout: 30_000 });
  await expect(inSlices).toHaveCount(0);
  await expect.poll(async () => 'Shown' in (await volumeFacts(page))).toBe(false);
  stria.problems.length = 0;
});

test('Cancel ends the requests, and the address opens again', async ({ stria, folder }) => {
  const { page } = stria;
  const source = stria.write('shapes.nii', nifti(noise([96, 96, 96])));
  await cli('compress', source, '-o', `${folder}/noise.stria`, '--device', 'cpu');
  const bytes = readFileSync(`${folder}/noise.stria`);
  files.set('/data/noise.stria', bytes);
  const open = async () => {
    await page.keyboard.press('Control+u');
    await page.getByTestId('address-input').fill(`${address}/data/noise.stria`);
    await page.getByTestId('address-open').click();
  };
  // The page's own request is answered, and nothing else.
  held = { mostBytes: 140_000, waiting: [] };
  if (stria.kind !== 'browser') await stria.chooseButton(0);
  await open();
  await expect.poll(() => held?.waiting.length).toBeGreaterThan(0);
  const before = ended;
  await page.getByTestId('cancel-button').click();
  await expect(page.getByTestId('empty-state')).toBeVisible();
  // The double's relay does not see that a request was ended.
  if (stria.kind !== 'electron double') await expect.poll(() => ended).toBe(before + held.waiting.length);

  held = undefined;
  await open();
  await expectOpen(page, 'noise.stria');
  stria.problems.length = 0;
});

test('a .stria opens by ranges, in its own part of a session too', async ({ stria, folder }) => {
  const { page } = stria;
  const source = stria.write('shapes.nii', nifti(shapes(64)));
  await cli('compress', source, '-o', `${folder}/shapes.stria`, '--device', 'cpu');
  files.set('/data/shapes.stria', readFileSync(`${folder}/shapes.stria`));
  if (stria.kind !== 'browser') await stria.chooseButton(0);
  await page.keyboard.press('Control+u');
  await page.getByTestId('address-input').fill(`${address}/data/shapes.stria`);
  await page.getByTestId('address-open').click();
  await expectOpen(page, 'shapes.stria');
  await expect(canvasOf(page, 'z')).toBeVisible();
  const session = `${folder}/shapes.stria-session`;
  await stria.chooseSave(session);
  await page.keyboard.press('Control+Shift+s');
  await stria.savedFile(session);
  await expect.poll(() => readFileSync(session, 'utf8')).toContain(`"address":"${address}/data/shapes.stria"`);
  await page.getByRole('button', { name: 'Close volume' }).or(page.getByTestId('close-button')).first().click();
  await expect(page.getByTestId('empty-state')).toBeVisible();
  await stria.dropFiles([session]);
  await expectOpen(page, 'shapes.stria');
  stria.problems.length = 0;
});
