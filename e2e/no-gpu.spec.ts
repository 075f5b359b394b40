import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cli } from './support/cli.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

test('without WebGPU the page says so, and files can still be compressed', async ({ stria }) => {
  const { page } = stria;
  await page.addInitScript(() => {
    Reflect.deleteProperty(Navigator.prototype, 'gpu');
    // Keeps the text that the page copies, since tests cannot read the clipboard everywhere.
    Object.assign(window, { copied: [] });
    navigator.clipboard.writeText = async (text) => void (window as unknown as { copied: string[] }).copied.push(text);
  });
  await page.reload();
  await expect(page.getByTestId('no-gpu')).toContainText('WebGPU is not available');
  await expect(page.getByTestId('error-message')).toContainText(/\w{3,}.*\./);

  await page.getByRole('button', { name: 'Copy diagnostics' }).click();
  await expect(page.getByText('Diagnostics copied')).toBeVisible();
  const [copied] = await page.evaluate(() => (window as unknown as { copied: string[] }).copied);
  expect(JSON.parse(copied ?? '')).toMatchObject({ stria: '0.1.0', gpu: 'failed', diagnosis: { state: 'no-webgpu' } });

  const source = nifti(shapes(48));
  await stria.dropFiles([stria.write('scan.nii', source)]);
  await expect(page.getByTestId('queue-row')).toHaveAttribute('data-state', 'done');
  const restored = join(stria.folder, 'restored.nii');
  const packed = await stria.savedFile(join(stria.folder, 'scan.nii.stria'));
  await cli('decompress', packed, '-o', restored, '--device', 'cpu', '--quiet');
  expect(readFileSync(restored).equals(source)).toBe(true);
});
