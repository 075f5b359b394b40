import { expect, test } from 'vitest';
import { type ByteSource, memorySink, memorySource } from '../../shared/bytes.ts';
import { noise, readVoxels } from '../common/source-testing.ts';
import { readDirectory, readTiffHeader } from '../tiff/tiff-directory.ts';
import { textOf } from '../tiff/tiff-facts.ts';
import { type TestTiff, tiffFile } from '../tiff/tiff-testing.ts';
import { planPictures } from './describe-pictures.ts';
import { openStack } from './picture-stack.ts';
import { createPictureWriter } from './picture-writer.ts';

const gray: TestTiff = { width: 50, height: 60, type: 'u8' };
const described = (spec: TestTiff, pages: number, text: string, name = 'a.tif') =>
  memorySource(
    name,
    tiffFile(
      { ...spec, firstTags: [{ tag: 270, type: 2, values: text }] },
      Array.from({ length: pages }, (_, index) => noise(spec.width * spec.height * (spec.channels ?? 1), index)),
    ),
  );

/** The descriptions of the pictures of a restored file. */
async function descriptions(...sources: readonly ByteSource[]): Promise<readonly string[]> {
  const volume = await openStack(sources);
  const voxels = await readVoxels(volume);
  const sink = memorySink();
  const plan = planPictures(volume.info, 'tiff', await volume.source());
  const writer = createPictureWriter(volume.info, plan, { open: async () => sink, close: (open) => open.close() });
  const { channels, pages } = plan.table;
  const plane = voxels.byteLength / channels / pages.length;
  for (const index of pages.keys()) {
    const planes = Array.from({ length: channels }, (_, channel) => (channel * pages.length + index) * plane);
    await writer.rows(planes.map((at) => voxels.subarray(at, at + plane)));
  }
  const file = await readTiffHeader(memorySource('b.tif', sink.bytes()), {});
  const texts: string[] = [];
  for (let at = file.firstDirectory; at !== 0; ) {
    const directory = await readDirectory(file, at, {});
    texts.push(await textOf(file, directory, 270, {}));
    at = directory.next;
  }
  return texts;
}

test("tifffile's description of an array stays where it is true of the written file", async () => {
  const rgb: TestTiff = { ...gray, channels: 3, tags: [{ tag: 262, type: 3, values: [2] }] };
  for (const [spec, pages, text] of [
    [gray, 1, '{"shape": [60, 50]}'],
    [gray, 4, '{"shape": [2, 2, 60, 50], "axes": "TZYX"}'],
    [gray, 4, 'shape=(4, 60, 50)'],
    [rgb, 1, '{"shape": [60, 50, 3]}'],
    [gray, 1, 'the "shape": [1] of a cell'],
  ] as const) {
    expect((await descriptions(described(spec, pages, text)))[0], text).toBe(text);
  }
});

test("tifffile's description of an array is left out where tifffile would read other pixels by it", async () => {
  // Planes become samples side by side.
  const planar: TestTiff = { ...gray, channels: 3, isPlanar: true, tags: [{ tag: 262, type: 3, values: [2] }] };
  expect(await descriptions(described(planar, 1, '{"shape": [3, 60, 50]}'))).toEqual(['']);
  // Each file says that it is one picture.
  const files = ['a.tif', 'b.tif'].map((name) => described(gray, 1, '{"shape": [60, 50]}', name));
  expect(await descriptions(...files)).toEqual(['', '']);
  // The pictures are smaller than a directory.
  expect(await descriptions(described({ ...gray, width: 5, height: 6 }, 3, '{"shape": [3, 6, 5]}'))).toEqual(['', '', '']);
});
