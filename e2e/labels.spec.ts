import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { boxOf, differingPart, expectOpen, openTab, pictureOf, plain, settledPicture } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, placed, shapes, volumeOf } from './support/volumes.ts';

test.use({ asks: true });

const side = 32;
const scan = shapes(side);
/** Blocks of half the scan's size along each axis, with voxels twice as long; the middle of the volume is label 8. */
const labels = volumeOf([side / 2, side / 2, side / 2], 'u8', (x, y, z) => 1 + (x >> 3) + 2 * (y >> 3) + 4 * (z >> 3));
const scanFile = placed(nifti(scan), [1, 0, 0, -16, 0, 1, 0, -16, 0, 0, 1, -16]);
const labelFile = placed(nifti(labels), [2, 0, 0, -15.5, 0, 2, 0, -15.5, 0, 0, 2, -15.5]);
const table = 'index,name,color\n1,Left front,#ff0000\n2,Right front,#00ff00\n8,"Vertex, right",#0000ff\n99,Not there,#ffffff\n';

/**
 * Clicks in the list once it has stopped scrolling. While a virtual list scrolls, and for 0.3 s after, it takes no pointer events. A click
 * of Playwright would then scroll it to other places, and be lost.
 */
async function clickIn(page: Page, id: string): Promise<void> {
  const target = page.getByTestId(id);
  await target.scrollIntoViewIfNeeded();
  // The list learns that it scrolls at the next frame.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await expect.poll(() => target.evaluate((element) => getComputedStyle(element).pointerEvents)).not.toBe('none');
  await target.click();
}

const crosshair = (page: Page) => page.getByTestId('slider-z').inputValue();

test('labels are named by a table beside them, found in both directions, edited, hidden, undone and saved', async ({ stria }) => {
  const { page } = stria;
  const one = stria.write('scan.nii', scanFile);
  const two = stria.write('seg.nii', labelFile);
  const names = stria.write('seg.csv', table);
  await stria.dropFiles([one]);
  await expectOpen(page, 'scan.nii');
  await page.keyboard.press('3');
  await stria.dropFiles([two, names]);
  await expect(page.getByTestId('second-dialog')).toContainText('seg.nii');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('layer-seg.nii')).toBeVisible();

  await test.step('the list has the labels that occur, with names and counts', async () => {
    await expect(page.getByTestId('labels-count')).toHaveText('8');
    await expect(page.getByTestId('label-1')).toContainText('Left front');
    expect(plain((await page.getByTestId('label-1').textContent()) ?? '')).toContain('512');
    await expect(page.getByTestId('label-1')).toContainText('mm³');
    await page.getByTestId('labels-search').fill('right');
    await expect(page.getByTestId('labels-count')).toHaveText('2');
    await page.getByTestId('labels-search').fill('');
    await page.getByTestId('labels-by-name').click();
    await expect(page.getByTestId('labels').getByRole('row').first()).toContainText('Left front');
    await page.getByTestId('labels-by-number').click();
  });

  await test.step('a row leads to its label, and a click on a label to its row; the readout has its name', async () => {
    await page.getByTestId('slider-z').fill('2');
    await clickIn(page, 'label-8');
    await expect.poll(() => crosshair(page)).not.toBe('2');
    await expect(page.getByTestId('label-name')).toHaveValue('Vertex, right');
    await page.getByTestId('slider-z').fill('2');
    const box = await boxOf(page, 'z');
    const [x, y] = [box.x + 0.42 * box.width, box.y + 0.58 * box.height];
    await page.mouse.click(x, y);
    await expect(page.getByTestId('probe')).toContainText(/seg\.nii {2}· {2}label (1 Left|2 Right) front/);
    const number = /label (\d)/.exec((await page.getByTestId('probe').textContent()) ?? '')?.[1];
    await expect(page.getByTestId(`label-${number}`)).toHaveAttribute('data-selected', 'true');
    await page.mouse.move(2, 2);
  });

  await test.step('hiding and colours change the picture; undo brings it back', async () => {
    const before = await settledPicture(page, 'z');
    await page.getByTestId('labels-hide-all').click();
    await expect.poll(async () => differingPart(before, await pictureOf(page, 'z'))).toBeGreaterThan(0.3);
    await expect(page.getByTestId('label-eye-1')).toHaveAttribute('aria-label', 'Show Left front');
    await clickIn(page, 'label-eye-1');
    await expect(page.getByTestId('label-eye-1')).toHaveAttribute('aria-label', 'Hide Left front');
    await expect(page.getByTestId('label-eye-2')).toHaveAttribute('aria-label', 'Show Right front');
    await page.waitForTimeout(500);
    await page.getByTestId('labels-show-all').click();
    await expect.poll(async () => differingPart(before, await pictureOf(page, 'z'))).toBe(0);
    await page.waitForTimeout(500);
    await page.getByTestId('label-color').fill('#ffff00');
    await expect.poll(async () => differingPart(before, await pictureOf(page, 'z'))).toBeGreaterThan(0.05);
    await page.waitForTimeout(500);
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(async () => differingPart(before, await pictureOf(page, 'z'))).toBe(0);
  });

  await test.step('statistics of the scan inside each label', async () => {
    const csv = join(stria.folder, 'scan-labels.csv');
    await stria.chooseSave(csv);
    await page.getByTestId('labels-statistics').click();
    const saved = await stria.savedFile(csv);
    const [head, first] = readFileSync(saved, 'utf8').split('\r\n');
    expect(head).toBe('label,name,voxels,volume_mm3,count,outside,not_finite,mean,deviation,min,max');
    let [sum, count] = [0, 0];
    for (let z = 0; z < 8; z++) {
      for (let y = 0; y < 8; y++) {
        // The centre of a label's voxel is where eight voxels of the scan meet; the last of these counts.
        for (let x = 0; x < 8; x++, count++) sum += scan.voxel(2 * x + 1, 2 * y + 1, 2 * z + 1);
      }
    }
    const [number, name, voxels, mm3, counted, outside, , mean] = (first ?? '').split(',');
    expect([number, name, voxels, mm3, counted, outside]).toEqual(['1', 'Left front', '512', '4096', '512', '0']);
    expect(Number(mean)).toBeCloseTo(sum / count, 9);
  });

  await test.step('a session keeps what was set', async () => {
    await clickIn(page, 'label-1');
    await page.getByTestId('label-name').fill('Renamed');
    await page.keyboard.press('Enter');
    await clickIn(page, 'label-eye-2');
    await expect(page.getByTestId('label-1')).toContainText('Renamed');
    const path = join(stria.folder, 'scan.stria-session');
    await stria.chooseSave(path);
    await page.keyboard.press('ControlOrMeta+Shift+S');
    const saved = readFileSync(await stria.savedFile(path), 'utf8');
    expect(JSON.parse(saved).layers.list[0].look.labels).toEqual({
      edits: [{ number: 1, name: 'Renamed' }],
      shows: 'all',
      except: [2],
    });
  });
});

test('a volume of labels has a table of its own, and takes one that is dropped', async ({ stria }) => {
  const { page } = stria;
  const file = Uint8Array.from(labelFile);
  // NIfTI's intent code for labels.
  new DataView(file.buffer).setInt16(68, 1002, true);
  await stria.dropFiles([stria.write('atlas.nii', file)]);
  await expectOpen(page, 'atlas.nii');
  await openTab(page, 'layers');
  await expect(page.getByTestId('labels-count')).toHaveText('8');
  await expect(page.getByTestId('label-1')).toContainText('Label 1');
  await stria.dropFiles([stria.write('names.csv', table)]);
  await expect(page.getByTestId('label-1')).toContainText('Left front');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByTestId('label-1')).toContainText('Label 1');
  await stria.dropFiles([stria.write('letter.txt', 'Dear reader,\nthis is a letter.')]);
  await expect(page.getByTestId('labels')).toContainText('letter.txt');
});
