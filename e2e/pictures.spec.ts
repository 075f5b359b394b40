import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encode } from 'fast-png';
import { expectOpen, volumeFacts, voxelsInGpu } from './support/app.ts';
import { expect, test } from './support/test.ts';

const [width, height, count] = [40, 30, 12];

const frame = (index: number) => Uint8Array.from({ length: width * height }, (_, at) => (at * 7 + index * 31) & 255);
const png = (index: number) => encode({ width, height, channels: 1, depth: 8, data: frame(index) });
const expected = Buffer.concat(Array.from({ length: count }, (_, index) => frame(index + 1)));

test('pictures dropped together, or in a folder, become a stack in the order of their numbers', async ({ stria }) => {
  const { page } = stria;
  const paths = Array.from({ length: count }, (_, index) => stria.write(`frame${index + 1}.png`, Buffer.from(png(index + 1))));
  await stria.dropFiles([...paths].sort());
  await expectOpen(page, 'frame1-stack.png');
  expect((await voxelsInGpu(page)).equals(expected)).toBe(true);
  expect(await volumeFacts(page)).toMatchObject({ Format: 'PNG', Dimensions: '40 × 30 × 12' });

  await page.getByTestId('close-button').click();
  const folder = join(dirname(paths[0] as string), 'frames');
  mkdirSync(folder);
  for (let index = 1; index <= count; index++) stria.write(`frames/scan${index}.png`, Buffer.from(png(index)));
  await stria.dropFiles([folder]);
  await expectOpen(page, 'scan1-stack.png');
  expect((await voxelsInGpu(page)).equals(expected)).toBe(true);
});
