import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import {
  type Box,
  boxOf,
  canvasOf,
  differingPart,
  expectOpen,
  gpuMemory,
  loseDevice,
  openTab,
  pictureOf,
  plain,
  settledPicture,
  testHook,
} from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, placed, series, shapes, volumeOf } from './support/volumes.ts';

const viewport = { width: 780, height: 570 };
test.use({ viewport, asks: true });

const side = 32;
const scan = shapes(side);
/** Blocks of half the scan's size along each axis, with voxels twice as long. */
const labels = volumeOf([side / 2, side / 2, side / 2], 'u8', (x, y, z) => 1 + (x >> 3) + 2 * (y >> 3) + 4 * (z >> 3));

const scanFile = placed(nifti(scan), [1, 0, 0, -16, 0, 1, 0, -16, 0, 0, 1, -16]);
/** The first voxel covers the scan's first two along each axis, so its centre is between theirs. */
const labelFile = placed(nifti(labels), [2, 0, 0, -15.5, 0, 2, 0, -15.5, 0, 0, 2, -15.5]);
/** An image that lies sideways: its x axis runs along the scan's y axis. */
const turnedFile = placed(nifti(shapes(20, 'i16')), [0, 1.5, 0, -14, 1.5, 0, 0, -15, 0, 0, 1.5, -13]);

async function addLayer(page: Page, name: string): Promise<void> {
  await expect(page.getByTestId('second-dialog')).toContainText(name);
  // The dialog has the focus on its first choice.
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('second-dialog')).toBeHidden();
  await expect(page.getByTestId(`layer-${name}`)).toBeVisible();
  await expect(page.getByTestId('layer-facts')).toContainText('Placed by world coordinates');
}

const volumeBytes = (page: Page) => gpuMemory(page, 'volume.box');

test('files that are added together follow in order, and one that cannot be read says so without holding up the others', async ({
  stria,
}) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('scan.nii', scanFile)]);
  await expectOpen(page, 'scan.nii');
  await openTab(page, 'layers');
  await page.evaluate(() => {
    const seen = new Set<string>();
    Object.assign(window, { seenWaiting: seen });
    const look = () => seen.add(document.querySelector('[data-testid="waiting-layers"]')?.textContent ?? '');
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  const files = [
    ['seg.nii', labelFile],
    ['broken.nii', labelFile.subarray(0, 900)],
    ['pet.nii', turnedFile],
  ] as const;
  await stria.chooseOpen(files.map(([name, bytes]) => stria.write(name, bytes)));
  await page.getByTestId('add-layer').click();
  const rows = page.getByTestId('layers').getByRole('row');
  await expect(rows).toHaveCount(2);
  await expect(page.getByTestId('layer-pet.nii')).toBeVisible();
  expect((await rows.allInnerTexts()).map((text) => text.match(/\w+\.nii/)?.[0])).toEqual(['pet.nii', 'seg.nii']);
  const waiting = await page.evaluate(() => [...(window as unknown as { seenWaiting: Set<string> }).seenWaiting]);
  expect(waiting).toContain('Then broken.nii, pet.nii');
  await expect(page.getByTestId('adding-layer')).toContainText('broken.nii');
  await expect(page.getByTestId('adding-layer').getByTestId('error-message')).toBeVisible();
  await expect(page.getByTestId('add-layer-cancel')).toHaveText('Dismiss');
  await page.getByTestId('add-layer-cancel').click();
  await expect(page.getByTestId('adding-layer')).toHaveCount(0);
});

test('files that are dropped or opened while a question is open wait, and each is asked about in turn', async ({ stria }) => {
  const { page } = stria;
  const [a, b, c] = [stria.write('a.nii', labelFile), stria.write('b.nii', labelFile), stria.write('c.nii', labelFile)];
  await stria.dropFiles([stria.write('scan.nii', scanFile)]);
  await expectOpen(page, 'scan.nii');
  const dialog = page.getByTestId('second-dialog');
  const waiting = page.getByTestId('waiting-files');
  await stria.dropFiles([a]);
  await expect(dialog).toContainText('Open a.nii');
  await stria.dropFiles([b]);
  await expect(waiting).toHaveText('After this: b.nii');
  await stria.chooseOpen([c]);
  // The menu of the desktop app runs the command although the window is covered.
  await (await testHook(page)).evaluate((striaTest) => striaTest.runCommand('open'));
  await expect(waiting).toHaveText('After this: b.nii, c.nii');
  await expect(dialog).toContainText('Open a.nii');

  await page.getByTestId('second-layer').click();
  await expect(page.getByTestId('layer-a.nii')).toBeVisible();
  await expect(dialog).toContainText('Open b.nii');
  await expect(waiting).toHaveText('After this: c.nii');
  await page.getByTestId('second-replace').click();
  // Once b.nii is open.
  await expect(dialog).toContainText('Open c.nii');
  await expect(waiting).toHaveCount(0);
  await expectOpen(page, 'b.nii');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expectOpenOnly(page, 'b.nii');
});

test('a second file becomes a layer: it is drawn in slices, read under the pointer, changed, undone, and freed', async ({
  stria,
}) => {
  const { page } = stria;
  const [one, two] = [stria.write('scan.nii', scanFile), stria.write('seg.nii', labelFile)];
  await stria.dropFiles([one]);
  await expectOpen(page, 'scan.nii');
  await page.keyboard.press('3');
  await page.getByTestId('slider-z').fill('12');
  const alone = await settledPicture(page, 'z');
  const before = await volumeBytes(page);

  await test.step('Escape leaves everything as it is', async () => {
    await stria.dragFiles([two]);
    await expect(page.getByTestId('drop-overlay')).toContainText('Drop to add as layer, or to open');
    await stria.dropFiles([two]);
    await expect(page.getByTestId('second-dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('second-dialog')).toBeHidden();
    await expectOpenOnly(page, 'scan.nii');
  });

  await stria.dropFiles([two]);
  await addLayer(page, 'seg.nii');
  await expect.poll(async () => differingPart(alone, await pictureOf(page, 'z'))).toBeGreaterThan(0.3);
  const covered = await settledPicture(page, 'z');
  await expect.poll(() => volumeBytes(page)).toBe(before + (side / 2) ** 3);
  await expect(page.getByTestId('layer-colormap')).toHaveText('Labels');

  await test.step('the readout has the label at the same world position', async () => {
    const box = await boxOf(page, 'z');
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.4 * box.height);
    const probe = page.getByTestId('probe');
    await expect(probe).toContainText(/seg.nii.*label \d/);
    const text = plain((await probe.textContent()) ?? '');
    const [x, y, z] = [...(text.match(/x (\d+)\s+y (\d+)\s+z (\d+)/) ?? [])].slice(1).map((digits) => Number(digits) - 1);
    const half = [x, y, z].map((at) => Math.floor((at as number) / 2)) as [number, number, number];
    expect(text).toContain(`seg.nii  ·  label ${labels.voxel(...half)}`);
    expect(text).toContain(`·  ${scan.voxel(x as number, y as number, z as number)}`);
    await page.mouse.move(2, 2);
  });

  await test.step('opacity, outline and eye change the picture; undo brings it back', async () => {
    await page.getByTestId('layer-outline').click();
    await expect.poll(async () => differingPart(covered, await pictureOf(page, 'z'))).toBeGreaterThan(0.1);
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(async () => differingPart(covered, await pictureOf(page, 'z'))).toBe(0);
    await page.getByTestId('layer-opacity').fill('0');
    await expect.poll(async () => differingPart(alone, await pictureOf(page, 'z'))).toBe(0);
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(async () => differingPart(covered, await pictureOf(page, 'z'))).toBe(0);
    await page.getByTestId('layer-seg.nii').getByRole('button', { name: 'Hide seg.nii' }).click();
    await expect.poll(async () => differingPart(alone, await pictureOf(page, 'z'))).toBe(0);
    await page.keyboard.press('ControlOrMeta+z');
  });

  await test.step('removing frees its memory, and undo loads it again', async () => {
    await page.getByTestId('layer-seg.nii').click();
    await page.getByTestId('layer-remove').click();
    await expect(page.getByTestId('layer-seg.nii')).toHaveCount(0);
    await expect.poll(() => volumeBytes(page)).toBe(before);
    expect(differingPart(alone, await settledPicture(page, 'z'))).toBe(0);
    await page.keyboard.press('ControlOrMeta+z');
    await expect(page.getByTestId('layer-seg.nii')).toBeVisible();
    await expect.poll(async () => differingPart(covered, await pictureOf(page, 'z'))).toBe(0);
  });

  await test.step('a lost device brings the layers back', async () => {
    await loseDevice(page);
    await expect(page.getByTestId('gpu-banner')).toBeHidden();
    await expectOpenOnly(page, 'scan.nii');
    await expect(canvasOf(page, 'z')).toBeVisible();
    await expect.poll(async () => differingPart(covered, await pictureOf(page, 'z'))).toBe(0);
    await expect.poll(() => volumeBytes(page)).toBe(before + (side / 2) ** 3);
  });

  await test.step('a session brings them back, and closing frees everything', async () => {
    const path = join(stria.folder, 'scan.stria-session');
    await stria.chooseSave(path);
    await page.keyboard.press('ControlOrMeta+Shift+s');
    await stria.savedFile(path);
    await page.getByTestId('close-button').click();
    await expect(page.getByTestId('empty-state')).toBeVisible();
    await expect.poll(() => gpuMemory(page, 'volume')).toBe(0);
    await stria.dropFiles([path, one, two]);
    await expectOpenOnly(page, 'scan.nii');
    await expect(canvasOf(page, 'z')).toBeVisible();
    await openTab(page, 'layers');
    await expect(page.getByTestId('layer-seg.nii')).toBeVisible();
    await expect.poll(async () => differingPart(covered, await pictureOf(page, 'z'))).toBe(0);
    await expect(page.getByTestId('undo-button')).toBeDisabled();
  });
});

test('the 3D view draws layers in their colours, and frees their textures', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('scan.nii', scanFile)]);
  await expectOpen(page, 'scan.nii');
  await page.keyboard.press('1');
  /** The part of the picture that is clearly coloured; the scan is gray. */
  const colored = async (): Promise<number> => {
    const squares = await pictureOf(page, '3d');
    return squares.filter((color) => Math.max(...color) - Math.min(...color) > 50).length / squares.length;
  };
  const alone = await settledPicture(page, '3d');
  expect(await colored()).toBeLessThan(0.005);
  await stria.dropFiles([stria.write('seg.nii', labelFile)]);
  await addLayer(page, 'seg.nii');
  await expect.poll(colored).toBeGreaterThan(0.05);
  expect(await gpuMemory(page, 'layer')).toBeGreaterThan(0);
  const covered = await settledPicture(page, '3d');

  await test.step('the open volume can be hidden, and what is hidden is not drawn', async () => {
    await page.getByTestId('layer-base').getByRole('button', { name: 'Hide scan.nii' }).click();
    await expect.poll(async () => differingPart(covered, await settledPicture(page, '3d'))).toBeGreaterThan(0.01);
    await expect.poll(colored).toBeGreaterThan(0.05);
    await page.getByTestId('layer-seg.nii').getByRole('button', { name: 'Hide seg.nii' }).click();
    await expect.poll(colored).toBeLessThan(0.005);
    await page.keyboard.press('ControlOrMeta+z');
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(async () => differingPart(covered, await settledPicture(page, '3d'))).toBeLessThan(0.01);
  });

  await test.step('more layers than it can draw are named', async () => {
    // SwiftShader takes long to draw several volumes, so the picture is small, and is drawn once all five are there.
    await page.setViewportSize({ width: 700, height: 420 });
    await page.keyboard.press('2');
    for (const name of ['b.nii', 'c.nii', 'd.nii']) {
      await stria.dropFiles([stria.write(name, labelFile)]);
      await addLayer(page, name);
    }
    await page.keyboard.press('1');
    await settledPicture(page, '3d');
    await expect(page.getByTestId('layers-not-in-3d')).toHaveCount(0);
    await stria.dropFiles([stria.write('e.nii', labelFile)]);
    await addLayer(page, 'e.nii');
    await expect(page.getByTestId('layers-not-in-3d')).toHaveText(/draws 5 volumes at once.*Without: seg\.nii\./);
  });

  for (let left = 5; left > 0; left--) await page.getByTestId('layer-remove').click();
  await page.setViewportSize(viewport);
  await expect.poll(async () => differingPart(alone, await settledPicture(page, '3d'))).toBe(0);
  expect(await gpuMemory(page, 'layer')).toBe(0);
});

test('layers are reordered by buttons, keys and dragging, shown alone, and compared or replaced instead', async ({ stria }) => {
  const { page } = stria;
  const paths = [
    stria.write('scan.nii', scanFile),
    stria.write('seg.nii', labelFile),
    stria.write('pet.nii', turnedFile),
  ] as const;
  await stria.dropFiles([paths[0]]);
  await expectOpen(page, 'scan.nii');
  await page.keyboard.press('3');
  await stria.dropFiles([paths[1]]);
  await addLayer(page, 'seg.nii');
  await stria.dropFiles([paths[2]]);
  await addLayer(page, 'pet.nii');
  const rows = page.getByTestId('layers').getByRole('row');
  const names = async () => (await rows.allInnerTexts()).map((text) => text.match(/\w+\.nii/)?.[0]);
  expect(await names()).toEqual(['pet.nii', 'seg.nii']);
  await expect(page.getByTestId('layer-up')).toBeDisabled();

  await test.step('by buttons', async () => {
    await page.getByTestId('layer-down').click();
    expect(await names()).toEqual(['seg.nii', 'pet.nii']);
    await expect(page.getByTestId('layer-down')).toBeDisabled();
  });

  await test.step('by keys: Enter on the handle picks it up, arrows move it, Enter drops it', async () => {
    await page.getByTestId('layer-pet.nii').getByRole('button', { name: 'Move pet.nii' }).focus();
    await page.keyboard.press('Enter');
    const target = page.locator(':focus');
    await expect(target).toHaveAttribute('aria-label', /Insert/);
    for (let step = 0; step < 3 && (await target.getAttribute('aria-label')) !== 'Insert before seg.nii'; step++)
      await page.keyboard.press('ArrowUp');
    await expect(target).toHaveAttribute('aria-label', 'Insert before seg.nii');
    await page.keyboard.press('Enter');
    await expect.poll(names).toEqual(['pet.nii', 'seg.nii']);
  });

  await test.step('by dragging', async () => {
    await page.getByTestId('layer-seg.nii').dragTo(page.getByTestId('layer-pet.nii'), { targetPosition: { x: 120, y: 2 } });
    await expect.poll(names).toEqual(['seg.nii', 'pet.nii']);
  });

  await test.step('solo shows only the chosen one', async () => {
    const all = await settledPicture(page, 'z');
    await page.getByTestId('layer-solo').click();
    await expect(page.getByTestId('layer-base').getByRole('button', { name: 'Show scan.nii' })).toBeVisible();
    await expect.poll(async () => differingPart(all, await pictureOf(page, 'z'))).toBeGreaterThan(0.1);
    await page.getByTestId('layer-solo').click();
    await expect.poll(async () => differingPart(all, await pictureOf(page, 'z'))).toBe(0);
  });

  await test.step('they are drawn without the volume below them', async () => {
    await page.getByTestId('layer-base').getByRole('button', { name: 'Hide scan.nii' }).click();
    // `settledPicture` waits until something is drawn.
    await settledPicture(page, 'z');
  });

  await test.step('a file that cannot be read says so, and nothing else changes', async () => {
    await stria.dropFiles([stria.write('broken.nii', labelFile.subarray(0, 900))]);
    await page.getByTestId('second-layer').click();
    await expect(page.getByTestId('adding-layer')).toContainText('broken.nii');
    await expect(page.getByTestId('error-message')).toBeVisible();
    await page.getByTestId('add-layer-cancel').click();
    await expect(page.getByTestId('adding-layer')).toHaveCount(0);
    await expect(rows).toHaveCount(2);
  });

  await test.step('a layer that is cancelled while it loads leaves nothing', async () => {
    const before = await gpuMemory(page, 'volume');
    const large = 128;
    const path = stria.write('large.nii', placed(nifti(shapes(large)), [0.25, 0, 0, -16, 0, 0.25, 0, -16, 0, 0, 0.25, -16]));
    // The page itself presses the button, in the same task in which it appears.
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(window, { seenLoading: seen });
      const observer = new MutationObserver(() => {
        const button = document.querySelector<HTMLButtonElement>('[data-testid="add-layer-cancel"]');
        const words = document.querySelector('[data-testid="adding-layer"]')?.textContent;
        if (!button || !words) return;
        observer.disconnect();
        seen.push(words);
        button.click();
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    await stria.dropFiles([path]);
    await page.getByTestId('second-layer').click();
    await expect.poll(() => page.evaluate(() => (window as unknown as { seenLoading: string[] }).seenLoading)).toHaveLength(1);
    expect(await page.evaluate(() => (window as unknown as { seenLoading: string[] }).seenLoading)).toEqual([
      expect.stringMatching(/large\.nii/),
    ]);
    await expect(page.getByTestId('adding-layer')).toHaveCount(0);
    await expect(page.getByTestId('error-message')).toHaveCount(0);
    await expect.poll(() => gpuMemory(page, 'volume')).toBe(before);
    await expect(rows).toHaveCount(2);
  });

  await stria.dropFiles([paths[1]]);
  await page.getByTestId('second-compare').click();
  await expect(page.getByTestId('compare-bar')).toContainText('scan.nii and seg.nii');
  await page.getByTestId('compare-end').click();
  await stria.dropFiles([paths[1]]);
  await page.getByTestId('second-replace').click();
  await expectOpenOnly(page, 'seg.nii');
  await expect.poll(() => volumeBytes(page)).toBe((side / 2) ** 3);
});

test('a distance shows the values along it, of the volume and of its layers, and exports them', async ({ stria }) => {
  const { page } = stria;
  const [one, two] = [stria.write('scan.nii', scanFile), stria.write('pet.nii', turnedFile)];
  await stria.dropFiles([one]);
  await expectOpen(page, 'scan.nii');
  await page.keyboard.press('2');
  await stria.dropFiles([two]);
  await addLayer(page, 'pet.nii');
  const box = await boxOf(page, 'z');
  await page.keyboard.press('m');
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 0.55 * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.7 * box.width, box.y + 0.42 * box.height, { steps: 4 });
  await page.mouse.up();
  await openTab(page, 'measure');
  await page
    .getByTestId('measurements')
    .getByRole('button', { name: /^Go to/ })
    .click();
  const profile = page.getByTestId('profile');
  await expect(profile).toHaveAttribute('aria-label', /scan\.nii from .* to .*; pet\.nii from/);

  const [session, csv] = [join(stria.folder, 'scan.stria-session'), join(stria.folder, 'scan-profile.csv')];
  await stria.chooseSave(session);
  await page.keyboard.press('ControlOrMeta+Shift+s');
  const { measurements } = JSON.parse(readFileSync(await stria.savedFile(session), 'utf8'));
  const [from, to] = measurements[0].points as [number[], number[]];
  await stria.chooseSave(csv);
  await page.getByTestId('export-profile').click();
  const [head, ...rows] = readFileSync(await stria.savedFile(csv), 'utf8')
    .trim()
    .split(/\r?\n/);
  expect(head).toBe('distance (mm),scan.nii,pet.nii');
  expect(rows.length).toBeGreaterThan(20);
  const length = Math.hypot(...from.map((at, axis) => (to[axis] as number) - at));
  let compared = 0;
  for (const [index, row] of rows.entries()) {
    const [distance, value] = row.split(',').map(Number) as [number, number];
    const part = index / (rows.length - 1);
    expect(distance).toBeCloseTo(length * part, 6);
    const place = from.map((at, axis) => at + part * ((to[axis] as number) - at));
    // Close to a voxel's edge, rounding decides.
    if (place.some((at, axis) => axis < 2 && Math.abs(at - Math.round(at)) < 1e-3)) continue;
    const [x, y, z] = place.map(Math.floor) as [number, number, number];
    expect(value).toBe(scan.voxel(x, y, z));
    compared++;
  }
  expect(compared).toBeGreaterThan(20);
});

test('profiles in a thick slice and on the oblique slice have the stored values', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('scan.nii', scanFile)]);
  await expectOpen(page, 'scan.nii');
  const draw = async (box: Box) => {
    await page.getByTestId('tool-distance').click();
    await page.mouse.move(box.x + 0.35 * box.width, box.y + 0.6 * box.height);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.65 * box.width, box.y + 0.42 * box.height, { steps: 4 });
    await page.mouse.up();
    await page.getByTestId('tool-pointer').click();
    await openTab(page, 'measure');
  };
  /** The profile's CSV, and the ends of the last distance, in voxels. */
  const exported = async (name: string) => {
    await expect(page.getByTestId('profile')).toBeVisible();
    const [session, csv] = [join(stria.folder, `${name}.stria-session`), join(stria.folder, `${name}.csv`)];
    await stria.chooseSave(session);
    await page.keyboard.press('ControlOrMeta+Shift+s');
    const { measurements } = JSON.parse(readFileSync(await stria.savedFile(session), 'utf8'));
    await stria.chooseSave(csv);
    await page.getByTestId('export-profile').click();
    const [head, ...rows] = readFileSync(await stria.savedFile(csv), 'utf8')
      .trim()
      .split(/\r?\n/);
    const [from, to] = measurements.at(-1).points as [number[], number[]];
    const samples = rows.map((row, index) => {
      const place = from.map((at, axis) => at + (index / (rows.length - 1)) * ((to[axis] as number) - at));
      return { place, value: Number(row.split(',').at(-1)) };
    });
    return { head, samples };
  };
  // Close to a voxel's edge, rounding decides.
  const isClear = (place: readonly number[]) => place.every((at) => Math.abs(at - Math.round(at)) > 1e-3);

  await test.step('thick', async () => {
    await page.keyboard.press('2');
    await openTab(page, 'display');
    await page.getByTestId('slab-select').click();
    await page.getByRole('option', { name: 'Slab, mean' }).click();
    await draw(await boxOf(page, 'z'));
    await expect(page.getByTestId('profile')).toContainText('mean of 5 slices');
    const { head, samples } = await exported('thick');
    expect(head).toBe('distance (mm),"scan.nii, mean of 5 slices"');
    const clear = samples.filter(({ place }) => isClear(place.slice(0, 2)));
    expect(clear.length).toBeGreaterThan(10);
    for (const { place, value } of clear) {
      const [x, y, z] = place.map(Math.floor) as [number, number, number];
      const column = [-2, -1, 0, 1, 2].map((by) => scan.voxel(x, y, z + by));
      expect(value).toBeCloseTo(column.reduce((sum, one) => sum + one) / 5, 3);
    }
  });

  await test.step('oblique', async () => {
    await page.keyboard.press('5');
    await page.getByTestId('oblique-turn').fill('30');
    await page.getByTestId('oblique-tilt').fill('-20');
    const box = await page.getByTestId('canvas-oblique').boundingBox();
    if (!box) throw new Error('the oblique slice is not shown');
    await draw(box);
    await expect(page.getByTestId('measurements')).toContainText('oblique slice, turn 30°, tilt −20°');
    await expect(page.getByTestId('profile')).not.toContainText('slices');
    const { head, samples } = await exported('oblique');
    expect(head).toBe('distance (mm),scan.nii');
    const clear = samples.filter(({ place }) => isClear(place));
    expect(clear.length).toBeGreaterThan(10);
    for (const { place, value } of clear) {
      const [x, y, z] = place.map(Math.floor) as [number, number, number];
      expect(value).toBe(scan.voxel(x, y, z));
    }
  });
});

test('a series plays with a layer over it', async ({ stria }) => {
  const { page } = stria;
  const moving = placed(nifti(series(20, 6)), [1.6, 0, 0, -15.7, 0, 1.6, 0, -15.7, 0, 0, 1.6, -15.7]);
  await stria.dropFiles([stria.write('moving.nii', moving)]);
  await expectOpen(page, 'moving.nii');
  await page.keyboard.press('2');
  await stria.dropFiles([stria.write('seg.nii', labelFile)]);
  await addLayer(page, 'seg.nii');
  await page.getByTestId('play-button').click();
  await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'true');
  const frames = await (await testHook(page)).evaluateHandle((hook) => hook.recordFrames());
  await expect.poll(() => frames.evaluate((shown) => new Set(shown.map(({ index }) => index)).size)).toBe(6);
  await page.getByTestId('play-button').click();
  await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'false');
  await page.keyboard.press('Home');
  const first = await settledPicture(page, 'z');
  await page.keyboard.press('End');
  await expect.poll(async () => differingPart(first, await pictureOf(page, 'z'))).toBeGreaterThan(0.01);
  const last = await settledPicture(page, 'z');
  const row = page.getByTestId('layer-seg.nii');
  await row.getByRole('button', { name: 'Hide seg.nii' }).click();
  await expect.poll(async () => differingPart(last, await pictureOf(page, 'z'))).toBeGreaterThan(0.3);
  await row.getByRole('button', { name: 'Show seg.nii' }).click();
  await expect.poll(async () => differingPart(last, await pictureOf(page, 'z'))).toBe(0);
});

test('a series shows the curve over time at the crosshair, and exports it', async ({ stria }) => {
  const { page } = stria;
  const moving = series(12, 20);
  await stria.dropFiles([stria.write('moving.nii', nifti(moving))]);
  await expectOpen(page, 'moving.nii');
  await openTab(page, 'measure');
  const curve = page.getByTestId('time-curve');
  await expect(curve).toHaveAttribute('aria-label', /at x 7\s+y 7\s+z 7: moving\.nii from/);
  await page.getByTestId('pin-time-curve').click();
  await expect(curve.getByRole('button', { name: 'Remove the curve at x 7 y 7 z 7' })).toBeVisible();
  await page.getByTestId('slider-z').fill('4');
  await expect(curve).toHaveAttribute('aria-label', /at x 7\s+y 7\s+z 5: /);
  const csv = join(stria.folder, 'moving-curve.csv');
  await stria.chooseSave(csv);
  await page.getByTestId('export-time-curve').click();
  const [, ...rows] = readFileSync(await stria.savedFile(csv), 'utf8')
    .trim()
    .split(/\r?\n/);
  const valuesAt = (z: number) => Array.from({ length: 20 }, (_, time) => moving.bytes[((time * 12 + z) * 12 + 6) * 12 + 6]);
  const expected = valuesAt(4);
  expect(rows.map((row) => Number(row.split(',')[1]))).toEqual(expected);
  // The pinned one.
  expect(rows.map((row) => Number(row.split(',')[2]))).toEqual(valuesAt(6));
  expect(new Set(expected).size).toBeGreaterThan(3);

  await test.step('a session brings the pinned curve back', async () => {
    const session = join(stria.folder, 'moving.stria-session');
    await stria.chooseSave(session);
    await page.keyboard.press('ControlOrMeta+Shift+s');
    const saved = await stria.savedFile(session);
    await page.getByTestId('close-button').click();
    await expect(page.getByTestId('empty-state')).toBeVisible();
    await stria.dropFiles([saved, join(stria.folder, 'moving.nii')]);
    await expectOpenOnly(page, 'moving.nii');
    await expect(curve).toHaveAttribute('aria-label', /at x 7\s+y 7\s+z 5: /);
    await expect(curve.getByRole('button', { name: 'Remove the curve at x 7 y 7 z 7' })).toBeVisible();
    const again = join(stria.folder, 'again.csv');
    await stria.chooseSave(again);
    await page.getByTestId('export-time-curve').click();
    const text = readFileSync(await stria.savedFile(again), 'utf8');
    expect(text).toBe(readFileSync(await stria.savedFile(csv), 'utf8'));
  });
});

/** Waits until a volume is open, whatever the layout is. */
async function expectOpenOnly(page: Page, name: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
}
