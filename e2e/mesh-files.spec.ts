import { join } from 'node:path';
import { expectOpen } from './support/app.ts';
import { cli } from './support/cli.ts';
import { expect, test } from './support/test.ts';
import { nifti, placed, shapes } from './support/volumes.ts';

const affine = [0, 1.5, 0, -14, -1.5, 0, 0, 20, 0, 0, 2, -13];

test('a file of a surface becomes a layer of the open volume, and asks for one if there is none', async ({ stria }) => {
  const { page } = stria;
  const scan = stria.write('scan.nii', placed(nifti(shapes(33, 'i16')), affine));
  const surface = join(stria.folder, 'shape.ply');
  await cli('mesh', scan, '--level', '321.5', '-o', surface, '--device', 'cpu', '--quiet');
  await stria.dropFiles([surface]);
  await expect(page.getByText('shape.ply is a surface, which is shown over a volume. Open a volume first')).toBeVisible();
  await stria.dropFiles([scan]);
  await expectOpen(page, 'scan.nii');
  await stria.dropFiles([surface]);
  await expect(page.getByTestId('mesh-facts')).toContainText('triangles');
  await expect(page.getByTestId('mesh-name')).toHaveValue('shape');
});
