import Zstd from 'numcodecs/zstd';
import { describedTiff, omeTiff, omeXml, type TestImage } from '../src/core/io/ome-tiff/ome-tiff-testing.ts';
import { expectOpen, probeAt, volumeFacts, voxelsInGpu } from './support/app.ts';
import { expect, test } from './support/test.ts';

const size = 24;
/** A ball in front of a ramp. The brightness of its centre identifies the channel. */
const ball = (z: number, channel: number) =>
  Uint8Array.from({ length: size * size }, (_, at) => {
    const [x, y] = [at % size, Math.floor(at / size)];
    const distance = Math.hypot(x - size / 2, y - size / 2, z - size / 2);
    return distance < size / 3 ? 60 * (channel + 1) - Math.floor(2 * distance) : x;
  });
const slices = Array.from({ length: size }, (_, z) => z);
const colors = [65535, 16711935, -16776961, -1];
const image: TestImage = {
  sizes: [size, size, size, 4, 1],
  type: 'u8',
  attributes: 'PhysicalSizeX="0.5" PhysicalSizeY="0.5" PhysicalSizeZ="0.5"',
  channels: ['DAPI', 'GFP', 'RFP', 'Cy5'].map((name, c) => `<Channel Name="${name}" Color="${colors[c]}"/>`).join(''),
};
const everything = Buffer.concat([0, 1, 2, 3].flatMap((c) => slices.map((z) => ball(z, c))));

test('an OME-TIFF with four channels in two files shows each channel with its name and colour', async ({ stria }) => {
  const { page } = stria;
  const set: TestImage = {
    ...image,
    tiffData: [0, 1, 2, 3]
      .map((c) => {
        const file = c >> 1;
        return `<TiffData IFD="${size * (c & 1)}" FirstC="${c}" PlaneCount="${size}"><UUID FileName="c${file}.ome.tif">urn:uuid:${file}</UUID></TiffData>`;
      })
      .join(''),
  };
  const zstd = Zstd.fromConfig({ id: 'zstd' } as never);
  const paths: string[] = [];
  for (const file of [0, 1]) {
    const planes = [0, 1].flatMap((c) => slices.map((z) => ball(z, 2 * file + c)));
    // The decoder of Zstandard is loaded in the worker.
    const blocks = await Promise.all(planes.map((bytes) => zstd.encode(bytes)));
    let next = 0;
    const spec = { encode: () => blocks[next++] as Uint8Array, tags: [{ tag: 259, type: 3, values: [50000] }] } as const;
    const bytes = describedTiff(set, omeXml([set], `UUID="urn:uuid:${file}"`), planes, spec);
    paths.push(stria.write(`c${file}.ome.tif`, Buffer.from(bytes)));
  }
  await stria.dropFiles(paths);
  const select = page.getByTestId('channel-select');
  await expect(select).toHaveText('All together');
  expect((await voxelsInGpu(page)).equals(everything)).toBe(true);
  expect(await volumeFacts(page)).toMatchObject({ Format: 'OME-TIFF', Channels: 'DAPI, GFP, RFP, Cy5' });
  await select.click();
  await expect(page.getByRole('option')).toHaveText([/^All together/, 'DAPI', 'GFP', 'RFP', 'Cy5']);
  await page.getByRole('option', { name: 'RFP' }).click();
  await expect(select).toHaveText('RFP');
  expect((await probeAt(page, 'z', 0.5, 0.5)).value).toBe(180);
  await expect(page.getByTestId('probe')).toContainText('RFP');
});

test('levels of an OME-TIFF can be chosen, and the largest one opens by default', async ({ stria }) => {
  const { page } = stria;
  const levels = [
    {
      spec: { width: size / 2, height: size / 2, type: 'u8' as const },
      pages: Array.from({ length: 4 * size }, () => new Uint8Array(size * size * 0.25)),
    },
  ];
  const file = omeTiff(image, { compression: 'deflate', tile: [16, 16], levels });
  await stria.dropFiles([stria.write('cells.ome.tif', Buffer.from(file))]);
  await expectOpen(page, 'cells.ome.tif');
  expect(await volumeFacts(page)).toMatchObject({ Format: 'OME-TIFF', Dimensions: `${size} × ${size} × ${size} × 4` });
});
