import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { faultOf, readVoxels } from '../common/source-testing.ts';
import { listVolumes, openVolume } from '../open-volume.ts';
import { describedTiff, omeXml, plane, type TestImage, voxelsOfImage } from './ome-tiff-testing.ts';
import { parseOmeXml } from './ome-xml.ts';
import { PlaneMapper } from './plane-map.ts';

const most = 2 ** 22;
const page: TestImage = { sizes: [6, 4, 1, 1, 1] };
const fileOf = (text: string) => memorySource('a.ome.tif', describedTiff(page, text, [plane(page, 0, 0, 0)]));

test('a list keeps no maps of planes, and all images together have a limit', async () => {
  const images = Array.from({ length: 6 }, (): TestImage => ({ sizes: [6, 4, most, 1, 1] }));
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage().arrayBuffers;
  const entries = (await listVolumes(fileOf(omeXml(images)))) ?? [];
  // The last map may be collected only once the work that made it has left the stack.
  await vi.waitFor(() => {
    collect();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 23);
  });
  expect(entries.map(({ problem }) => problem !== undefined)).toEqual([false, false, false, false, true, true]);
  expect(entries[4]?.problem).toContain('the limit for all images is 16777216');
  // The map is made when the volume is opened.
  expect(await faultOf(entries[0]?.open({}) ?? Promise.resolve())).toMatchObject({
    message: expect.stringContaining('has 1 pict'),
  });
});

test.each(['<TiffData IFD="0" PlaneCount="4194304"/>', '<TiffData PlaneCount="4194304"/>', '<TiffData/><TiffData IFD="0"/>'])(
  'many times %s is refused',
  async (element) => {
    const image: TestImage = { sizes: [6, 4, most, 1, 1], tiffData: element.repeat(20) };
    const fault = await faultOf(listVolumes(fileOf(omeXml([image]))));
    expect(fault).toMatchObject({ tag: 'corrupt', message: expect.stringContaining('more than 4 times over') });
  },
);

test('elements without counts, one for each of many files, end where the next begins', async () => {
  const times = Array.from({ length: 40 }, (_, t) => t);
  const tiffData = times
    .map((t) => `<TiffData FirstT="${t}"><UUID FileName="t${t}.tif">urn:uuid:${t}</UUID></TiffData>`)
    .join('');
  const set: TestImage = { sizes: [6, 4, 2, 1, 40], tiffData };
  const siblings = async (name: string) => {
    const planes = [0, 1].map((z) => plane(set, z, 0, Number(/\d+/.exec(name)?.[0])));
    return memorySource(name, describedTiff(set, 'x', planes));
  };
  const companion = memorySource('a.companion.ome', new TextEncoder().encode(omeXml([set])));
  const voxels = await readVoxels(await openVolume(companion, { siblings }));
  expect(Buffer.compare(voxels, voxelsOfImage(set))).toBe(0);
});

test('the names of a document’s files are gathered once, not for each image', () => {
  const { images, ...rest } = parseOmeXml(omeXml(Array.from({ length: 100 }, () => page)));
  let looks = 0;
  const watched = images.map((image) => ({
    ...image,
    get tiffData() {
      looks++;
      return image.tiffData;
    },
  }));
  const mapper = new PlaneMapper({ ...rest, images: watched }, 'a.ome.tif');
  for (const image of watched) {
    mapper.firstPlace(image);
    mapper.survey(image, 1);
  }
  expect(looks).toBeLessThan(1000);
});
