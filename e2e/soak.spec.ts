import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright/test';
import {
  boxOf,
  canvasOf,
  choose,
  differingPart,
  expectOpen,
  gpuMemory,
  isSettled,
  loseDevice,
  pictureOf,
  settledPicture,
  testHook,
  voxelsInGpu,
} from './support/app.ts';
import { expect, type Stria, test } from './support/test.ts';
import { nifti, placed, series, shapes } from './support/volumes.ts';

// `npm run soak -- losses` and `npm run soak -- files` set these variables and keep the counts in out/soak. Without the variables, only
// a few files are opened.

const { STRIA_SOAK_COUNT: countText, STRIA_SOAK_SECONDS: secondsText } = process.env;
const isSoak = countText !== undefined;
const seconds = Number(secondsText ?? 120);

test.use({ viewport: { width: 840, height: 640 }, asks: true });

const side = 16;
const scan = series(side, 4);
const layer = placed(nifti(shapes(side)), [1.5, 0, 0, 0, 0, 1.5, 0, 0, 0, 0, 2, 0]);

/** The log of a run so far. */
class Record {
  readonly rows: object[] = [];
  readonly #name: string;
  constructor(name: string) {
    this.#name = name;
  }

  add(row: object): void {
    this.rows.push(row);
    if (!isSoak) return;
    mkdirSync(resolve('out/soak'), { recursive: true });
    const path = resolve(`out/soak/${this.#name}-${process.pid}.json`);
    writeFileSync(`${path}.new`, JSON.stringify(this.rows, null, 1));
    renameSync(`${path}.new`, path);
  }
}

/** The activities during which the device is lost. Each ends with only the volume open again, or throws. */
const activities: readonly (readonly [name: string, run: (stria: Stria, lose: () => Promise<void>) => Promise<void>])[] = [
  [
    'opening',
    async ({ page, folder, dropFiles }, lose) => {
      await page.getByTestId('close-button').click();
      await expect(page.getByTestId('empty-state')).toBeVisible();
      await dropFiles([join(folder, 'scan.nii')]);
      await lose();
    },
  ],
  [
    'drawing 3D',
    async ({ page }, lose) => {
      const box = await boxOf(page, '3d');
      await page.mouse.move(box.x + 30, box.y + 30);
      await page.mouse.down();
      await page.mouse.move(box.x + 60, box.y + 40, { steps: 3 });
      await lose();
      await page.mouse.up();
    },
  ],
  [
    'playing',
    async ({ page }, lose) => {
      await page.getByTestId('play-button').click();
      await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'true');
      await lose();
      await back(page);
      const transport = page.getByTestId('transport');
      await expect(transport).toBeVisible();
      if ((await transport.getAttribute('data-playing')) === 'true') await page.getByTestId('play-button').click();
      await expect(transport).toHaveAttribute('data-playing', 'false');
    },
  ],
  [
    'compressing',
    async ({ page }, lose) => {
      await page.getByTestId('compress-button').click();
      await lose();
    },
  ],
  [
    'saving',
    async ({ page, folder, chooseSave }, lose) => {
      await page.getByTestId('compress-button').click();
      await expect(page.getByTestId('result-exact')).toHaveText('Bit-exact: checked on the GPU');
      // Until it is in host memory, a result is lost with the device.
      await expect.poll(() => gpuMemory(page, 'result')).toBe(0);
      rmSync(join(folder, 'saved.stria'), { force: true });
      await chooseSave(join(folder, 'saved.stria'));
      await page.getByTestId('save-button').click();
      await lose();
      await expect(page.getByTestId('saved')).toBeVisible();
    },
  ],
  [
    'with a layer',
    async ({ page, folder, dropFiles }, lose) => {
      const before = await gpuMemory(page, 'volume.box');
      await dropFiles([join(folder, 'layer.nii')]);
      await expect(page.getByTestId('second-dialog')).toContainText('layer.nii');
      await page.keyboard.press('Enter');
      await expect(page.getByTestId('layer-layer.nii')).toBeVisible();
      await expect.poll(() => gpuMemory(page, 'volume.box')).toBeGreaterThan(before);
      await lose();
      await back(page);
      await page.getByTestId('tab-layers').click();
      await page.getByTestId('layer-layer.nii').click();
      await page.getByTestId('layer-remove').click();
      await expect(page.getByTestId('layer-layer.nii')).toHaveCount(0);
      await page.getByTestId('tab-display').click();
    },
  ],
  [
    'comparing',
    async ({ page, folder, dropFiles }, lose) => {
      await dropFiles([join(folder, 'other.nii')], { x: 700, y: 320 });
      await expect(page.getByTestId('compare-bar')).toContainText('other.nii');
      await lose();
      await back(page);
      // A comparison ends with its device.
      await expect(page.getByTestId('compare-bar')).toBeHidden();
    },
  ],
];

test('losses: whatever the app does when the device is lost, voxels, pictures and memory are restored', async ({ stria }) => {
  test.skip(!isSoak, 'device-loss.spec.ts is the short form');
  test.setTimeout(1000 * seconds + 240_000);
  const { page, folder } = stria;
  const end = Date.now() + 1000 * seconds;
  const record = new Record('losses');
  stria.write('scan.nii', nifti(scan));
  stria.write('layer.nii', layer);
  stria.write('other.nii', nifti({ ...scan, bytes: scan.bytes.slice().reverse() }));
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await stria.dropFiles([join(folder, 'scan.nii')]);
  await expectOpen(page, 'scan.nii');
  await choose(page, 'codec-select', 'rle');
  await fixViews(page);
  const picture = await settledPicture(page, 'z');
  /** The maximum GPU memory after any activity of the first two rounds, which fill caches. */
  let mostBytes = 0;
  const count = Number(countText);
  for (let number = 0; number < count && Date.now() < end; number++) {
    const [name, run] = activities[number % activities.length] as (typeof activities)[number];
    // The delay varies, so that it hits each activity early, midway and late.
    const delayMs = (number * 67) % 400;
    await test.step(`${number}: ${name}, after ${delayMs} ms`, async () => {
      const startMs = Date.now();
      await run(stria, async () => {
        await page.waitForTimeout(delayMs);
        await (await testHook(page)).evaluate((hook) => hook.forgetLosses());
        await loseDevice(page);
      });
      await back(page);
      await fixViews(page);
      await expect.poll(async () => differingPart(picture, await pictureOf(page, 'z'))).toBe(0);
      expect((await voxelsInGpu(page)).equals(scan.bytes), 'the voxels are the same').toBe(true);
      if (number < 2 * activities.length) mostBytes = Math.max(mostBytes, await usedBytes(page));
      else await expect.poll(() => usedBytes(page), { message: 'the GPU memory is back' }).toBeLessThanOrEqual(mostBytes);
      record.add({
        number,
        name,
        delayMs,
        tookMs: Date.now() - startMs,
        gpuBytes: await usedBytes(page),
        spareBytes: await gpuMemory(page, 'spare'),
        heapBytes: await heapBytes(page),
      });
    });
  }
});

test('files: opened and closed one after another, they leave no memory behind', async ({ stria }) => {
  test.setTimeout(1000 * seconds + 240_000);
  const { page } = stria;
  const end = Date.now() + 1000 * seconds;
  const record = new Record('files');
  const names = ['a.nii', 'b.nii', 'c.nii'];
  for (const [at, name] of names.entries()) stria.write(name, nifti(at === 0 ? scan : shapes(12 + 4 * at)));
  const count = Number(countText ?? 6);
  const rows: { heapBytes: number; gpuBytes: number; canvases: number; buttons: number }[] = [];
  for (let number = 0; number < count && Date.now() < end; number++) {
    const name = names[number % names.length] as string;
    await stria.dropFiles([join(stria.folder, name)]);
    await expectOpen(page, name);
    await expect.poll(() => isSettled(page)).toBe(true);
    await page.getByTestId('close-button').click();
    await expect(page.getByTestId('empty-state')).toBeVisible();
    await expect.poll(() => gpuMemory(page, 'volume')).toBe(0);
    const row = {
      number,
      name,
      heapBytes: await heapBytes(page),
      gpuBytes: await gpuMemory(page, ''),
      canvases: await countOf(page, 'GPUCanvasContext'),
      buttons: await countOf(page, 'HTMLButtonElement'),
    };
    rows.push(row);
    record.add(row);
  }
  // The first file of each kind fills caches.
  const [first, last] = [rows[names.length - 1], rows.at(-1)];
  if (!first || !last) throw new Error('too few files in the time');
  const mostBytes = Math.max(...rows.slice(0, names.length).map(({ gpuBytes }) => gpuBytes));
  await expect.poll(() => gpuMemory(page, '')).toBeLessThanOrEqual(mostBytes);
  expect(last.canvases, 'contexts of canvases').toBeLessThanOrEqual(first.canvases);
  expect(last.buttons, 'buttons').toBeLessThanOrEqual(first.buttons);
  const grownMiB = (last.heapBytes - first.heapBytes) / 2 ** 20;
  expect(grownMiB, 'MiB more than after the first files').toBeLessThan(3);
});

/** Waits until a lost device is replaced and the volume is shown again. */
async function back(page: Page): Promise<void> {
  await expect(page.getByTestId('gpu-banner')).toBeHidden();
  await expectOpen(page, 'scan.nii');
  await expect(canvasOf(page, 'z')).toBeVisible();
  await expect(page.getByTestId('compress-button')).toBeEnabled();
}

/** GPU memory without spare buffers, whose number depends on how many reads overlapped. */
async function usedBytes(page: Page): Promise<number> {
  return (await gpuMemory(page, '')) - (await gpuMemory(page, 'spare'));
}

/** Sets the same slice and time point each time. */
async function fixViews(page: Page): Promise<void> {
  await expect(page.getByTestId('slider-z'), 'the views are back').toBeVisible();
  await page.getByTestId('slider-z').fill('7');
  await page.getByTestId('scrubber').fill('1');
  await page.mouse.move(2, 2);
}

/** The size of the JavaScript heap after garbage collection, in bytes. */
async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

/** The number of objects of a class that the page keeps, including those outside the document. Collects garbage first. */
async function countOf(page: Page, name: string): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send('Runtime.evaluate', { expression: `${name}.prototype` });
  const { objects } = await session.send('Runtime.queryObjects', { prototypeObjectId: result.objectId as string });
  const functionDeclaration = 'function () { return this.length }';
  const count = await session.send('Runtime.callFunctionOn', {
    objectId: objects.objectId as string,
    functionDeclaration,
    returnByValue: true,
  });
  await session.send('Runtime.releaseObject', { objectId: objects.objectId as string });
  await session.detach();
  return count.result.value as number;
}
