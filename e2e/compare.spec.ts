import type { Page } from 'playwright/test';
import {
  canvasOf,
  choose,
  differingPart,
  drawnPart,
  expectOpen,
  gpuMemory,
  openTab,
  type Picture,
  pictureOf,
  plain,
  settledPicture,
} from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, placed, shapes, volumeOf } from './support/volumes.ts';

const viewport = { width: 960, height: 640 };
test.use({ viewport });

const side = 16;
/** The voxel where the second volume differs, and by how much. */
const [x, y, z, by] = [3, 4, 5, 9];

test('a volume and a copy with one changed voxel: linked side by side, the voxel is found; a compressed volume is identical', async ({
  stria,
}) => {
  const { page } = stria;
  const volume = shapes(side);
  const changed = volume.bytes.slice();
  const at = (z * side + y) * side + x;
  changed[at] = (volume.bytes[at] as number) + by;
  const [one, two] = [stria.write('one.nii', nifti(volume)), stria.write('two.nii', nifti({ ...volume, bytes: changed }))];
  await stria.dropFiles([one]);
  await expectOpen(page, 'one.nii');
  await page.keyboard.press('2');
  const rightThird = { x: 0.85 * viewport.width, y: viewport.height / 2 };

  await test.step('a drop on the right third compares', async () => {
    await stria.dragFiles([two], rightThird);
    await expect(page.getByTestId('drop-compare')).toBeVisible();
    await stria.dropFiles([two], rightThird);
    await expect(page.getByTestId('compare-bar')).toContainText('one.nii and two.nii');
    await expect(page.getByTestId('second-canvas-z')).toBeVisible();
    await expect(canvasOf(page, 'z')).toBeVisible();
  });

  await test.step('each follows the other until they are unlinked', async () => {
    await page.getByTestId('slider-z').fill('2');
    await expect(slice(page, 'second-')).toHaveValue('2');
    await page.getByTestId('second-slider-z').fill('11');
    await expect(slice(page)).toHaveValue('11');
    await page.getByText('Link views').click();
    await page.getByTestId('slider-z').fill('4');
    await expect(slice(page, 'second-')).toHaveValue('11');
    await page.getByText('Link views').click();
    await expect(slice(page, 'second-')).toHaveValue('4');
  });

  await test.step('the difference counts the voxel, says where it is, and goes there', async () => {
    await page.getByTestId('compare-difference').click();
    const words = page.getByTestId('difference');
    await expect(words).toBeVisible();
    expect(plain((await words.textContent()) ?? '')).toContain(
      `1 of ${side ** 3} voxels differ · largest ${by} at x ${x + 1}  y ${y + 1}  z ${z + 1} · mean`,
    );
    await page.getByTestId('go-to-largest').click();
    await expect(slice(page)).toHaveValue(String(z));
    await expect(slice(page, 'second-')).toHaveValue(String(z));
  });

  await test.step('stopping frees the memory', async () => {
    await page.getByTestId('compare-end').click();
    await expect(page.getByTestId('second-canvas-z')).toHaveCount(0);
    await expect.poll(() => gpuMemory(page, 'volume.box')).toBe(side ** 3);
  });

  await test.step('a compressed volume, restored, is identical bit for bit', async () => {
    await choose(page, 'codec-select', 'rle');
    await page.getByTestId('compress-button').click();
    await page.getByTestId('compare-compressed').click();
    await expect(page.getByTestId('difference')).toContainText('Identical, bit for bit');
  });
});

test('the difference also works for volumes kept compressed; if it is not possible, a message says why', async ({ stria }) => {
  const { page } = stria;
  const volume = shapes(side);
  const changed = volume.bytes.slice();
  changed[(z * side + y) * side + x] = volume.voxel(x, y, z) + by;
  const [one, two, other] = [
    stria.write('one.nii', nifti(volume)),
    stria.write('two.nii', nifti({ ...volume, bytes: changed })),
    stria.write('other.nii', nifti(shapes(side, 'i16'))),
  ];
  const rightThird = { x: 0.85 * viewport.width, y: viewport.height / 2 };
  await stria.dropFiles([one]);
  await expectOpen(page, 'one.nii');
  await page.keyboard.press('2');
  await choose(page, 'codec-select', 'rle');
  await openTab(page, 'gpu');
  await page.getByTestId('keep-compressed').click();
  await expect(page.getByTestId('residency')).toHaveAttribute('data-kept', 'compressed');

  await test.step('compared with its source, which is read again', async () => {
    await page.getByTestId('compress-button').click();
    await page.getByTestId('compare-compressed').click();
    await expect(page.getByTestId('compare-bar')).toContainText('one.nii, read again');
    await expect(page.getByTestId('difference')).toContainText('Identical, bit for bit');
    await page.getByTestId('compare-end').click();
  });

  await stria.dropFiles([two], rightThird);
  await page.getByTestId('compare-difference').click();
  await expect(page.getByTestId('difference')).toBeVisible();
  expect(plain((await page.getByTestId('difference').textContent()) ?? '')).toContain(
    `1 of ${side ** 3} voxels differ · largest ${by} at x ${x + 1}  y ${y + 1}  z ${z + 1} · mean`,
  );
  await expect(page.getByTestId('residency')).toHaveAttribute('data-kept', 'compressed');

  await stria.dropFiles([other], rightThird);
  await expect(page.getByTestId('compare-bar')).toContainText('other.nii');
  // The new comparison begins side by side.
  await expect(page.getByTestId('second-canvas-z')).toBeVisible();
  await page.getByTestId('compare-difference').click();
  await expect(page.getByTestId('difference-refused')).toHaveText(
    'The difference cannot be computed, because their voxel types differ: u8 and i16',
  );
});

test.describe('with layers', () => {
  test.use({ asks: true });

  test('layers are drawn over both volumes, in slices and in 3D, and change together', async ({ stria }) => {
    const { page } = stria;
    const scan = placed(nifti(shapes(32)), [1, 0, 0, -16, 0, 1, 0, -16, 0, 0, 1, -16]);
    const labels = volumeOf([16, 16, 16], 'u8', (x, y, z) => 1 + (x >> 3) + 2 * (y >> 3) + 4 * (z >> 3));
    const labelFile = placed(nifti(labels), [2, 0, 0, -15.5, 0, 2, 0, -15.5, 0, 0, 2, -15.5]);
    const turned = placed(nifti(shapes(20, 'i16')), [0, 1.5, 0, -14, 1.5, 0, 0, -15, 0, 0, 1.5, -13]);
    // The same part of the world on a finer grid.
    const larger = placed(nifti(shapes(40)), [0.8, 0, 0, -16, 0, 0.8, 0, -16, 0, 0, 0.8, -16]);
    await stria.dropFiles([stria.write('before.nii', scan)]);
    await expectOpen(page, 'before.nii');
    const add = async (name: string, bytes: Uint8Array) => {
      await stria.dropFiles([stria.write(name, bytes)]);
      await page.getByTestId('second-layer').click();
      await expect(page.getByTestId(`layer-${name}`)).toBeVisible();
    };
    await add('seg.nii', labelFile);
    await add('pet.nii', turned);
    const compareWith = async (name: string, bytes: Uint8Array) => {
      await stria.dropFiles([stria.write(name, bytes)]);
      await page.getByTestId('second-compare').click();
      await expect(page.getByTestId('compare-bar')).toContainText(`before.nii and ${name}`);
    };
    // Wait until textures are filled, which takes additional memory.
    await settledPicture(page, '3d');
    const layerMemory = await gpuMemory(page, 'layer');

    await test.step('over a copy of the volume they look the same', async () => {
      await compareWith('after.nii', scan);
      for (const view of ['z', 'x', '3d'] as const) await expectSame(page, view);
      const all = await settledPicture(page, 'z');
      await page.getByTestId('layer-seg.nii').getByRole('button', { name: 'Hide seg.nii' }).click();
      await expect.poll(async () => differingPart(all, await pictureOf(page, 'second-z'))).toBeGreaterThan(0.1);
      await expectSame(page, 'z');
      await page.keyboard.press('ControlOrMeta+z');
      await expect.poll(async () => differingPart(all, await pictureOf(page, 'second-z'))).toBe(0);
    });

    await test.step('a switch leaves them to the first volume', async () => {
      const both = await pictureOf(page, 'second-z');
      const both3d = await pictureOf(page, 'second-3d');
      await page.getByTestId('link-layers').click();
      await expect.poll(async () => differingPart(both, await pictureOf(page, 'second-z'))).toBeGreaterThan(0.3);
      await expect.poll(async () => differingPart(both3d, await pictureOf(page, 'second-3d'))).toBeGreaterThan(0.3);
      expect(differingPart(both, await settledPicture(page, 'z'))).toBe(0);
      await page.getByTestId('link-layers').click();
      await expect.poll(async () => differingPart(both, await pictureOf(page, 'second-z'))).toBe(0);
    });

    await test.step('a removed layer goes from both; undo brings it back to both', async () => {
      const both = await pictureOf(page, 'second-z');
      await page.getByTestId('layer-pet.nii').click();
      await page.getByTestId('layer-remove').click();
      await expect(page.getByTestId('layer-pet.nii')).toHaveCount(0);
      await expectSame(page, 'z');
      await page.keyboard.press('ControlOrMeta+z');
      await expect.poll(async () => differingPart(both, await pictureOf(page, 'second-z'))).toBe(0);
      await expectSame(page, 'z');
    });

    await test.step('the difference has no layers over it', async () => {
      await page.getByTestId('compare-difference').click();
      await expect(page.getByTestId('difference')).toContainText('Identical, bit for bit');
      const [first, second] = [await settledPicture(page, 'z'), await pictureOf(page, 'second-z')];
      expect(differingPart(first, second)).toBeGreaterThan(0.3);
      // The picture has one colour, except for the crosshair.
      expect(drawnPart(second)).toBeLessThan(0.2);
    });

    await test.step('the readout of the second volume has them by world position', async () => {
      await compareWith('larger.nii', larger);
      const box = await canvasOf(page, 'second-z').boundingBox();
      if (!box) throw new Error('no second view');
      await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.4 * box.height);
      const probe = page.getByTestId('second-probe');
      await expect(probe).toContainText(/seg\.nii.*label \d/);
      const text = plain((await probe.textContent()) ?? '');
      const [x, y, z] = [...(text.match(/x (\d+)\s+y (\d+)\s+z (\d+)/) ?? [])].slice(1).map((digits) => Number(digits) - 1);
      // Voxel v is at 0.8 v - 16; label voxel l covers 2 l - 16.5 to 2 l - 14.5.
      const at = [x, y, z].map((voxel) => Math.floor((0.8 * (voxel as number) + 0.5) / 2)) as [number, number, number];
      expect(text).toContain(`seg.nii  ·  label ${labels.voxel(...at)}`);
      await page.mouse.move(2, 2);
    });

    await test.step('their textures for the second view are freed with the comparison', async () => {
      await page.getByTestId('compare-end').click();
      await expect.poll(() => gpuMemory(page, 'layer')).toBe(layerMemory);
    });
  });
});

/** Expects both viewers to show the same. */
async function expectSame(page: Page, view: '3d' | 'x' | 'z'): Promise<void> {
  let first: Picture = [];
  await expect(async () => {
    first = await settledPicture(page, view);
    expect(differingPart(first, await pictureOf(page, `second-${view}`))).toBe(0);
  }).toPass({ timeout: 60_000 });
}

function slice(page: Page, prefix = '') {
  return page.getByTestId(`${prefix}slider-z`);
}
