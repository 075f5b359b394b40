import { canvasOf, factsOf, plain, probeAt } from './support/app.ts';
import { type OddName, oddNifti, oddVolume } from './support/odd-volumes.ts';
import { expect, type Stria, test } from './support/test.ts';

test.use({ viewport: { width: 1280, height: 800 } });

/** Opens one of the volumes whose values are hard to show, with the slices alone: no spec here looks at the 3D view. */
async function open(stria: Stria, name: OddName): Promise<void> {
  await stria.dropFiles([stria.write(`${name}.nii`, oddNifti(name))]);
  await expect(stria.page.getByRole('heading', { level: 1 })).toContainText(`${name}.nii`);
  await expect(stria.page.getByTestId('volume-facts')).toBeVisible();
  await stria.page.keyboard.press('2');
  await expect(canvasOf(stria.page, 'z')).toBeVisible();
}

test('values are shown exactly, and ranges by as many digits as tell their ends apart', async ({ stria }) => {
  const { page } = stria;
  const ranges: Partial<Record<OddName, string>> = {
    offset: '1000000.25 to 1000008',
    'near-2^32': '4294967095 to 4294967295',
    tiny: '0 to 6.2e-13',
    constant: '42 everywhere',
    nan: 'none is a number',
    'negative-slope': '922.5 to 1000',
  };
  for (const [name, range] of Object.entries(ranges) as [OddName, string][]) {
    await open(stria, name);
    expect((await factsOf(page.getByTestId('volume-facts'))).Values, name).toBe(range);
    if (name === 'nan') continue;
    const { voxel, stored } = await probeAt(page, 'z', 0.6, 0.45);
    expect(Math.fround(stored), name).toBe(Math.fround(oddVolume(name).voxel(...voxel)));
    if (name === 'offset') expect(plain((await page.getByTestId('probe').textContent()) ?? '')).toMatch(/1000\d{3}\.\d/);
  }
});
