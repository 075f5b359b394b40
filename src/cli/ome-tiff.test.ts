import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describedTiff, omeXml, plane, type TestImage, voxelsOfImage } from '../core/io/ome-tiff/ome-tiff-testing.ts';
import { cpu, niftiFile, scanBytes, stria, testFolders } from './cli-testing.ts';

const place = testFolders();
const { at } = place;

/** Two channels, each in a file of its own. */
const set: TestImage = {
  sizes: [40, 30, 3, 2, 2],
  attributes: 'PhysicalSizeX="0.5" PhysicalSizeY="0.5" PhysicalSizeZ="2"',
  channels: '<Channel Name="DAPI" Color="65535"/><Channel Name="GFP" Color="16711935"/>',
  tiffData: [0, 1]
    .map((c) =>
      [0, 1]
        .map(
          (t) =>
            `<TiffData IFD="${3 * t}" FirstC="${c}" FirstT="${t}" PlaneCount="3"><UUID FileName="c${c}.ome.tif">urn:uuid:${c}</UUID></TiffData>`,
        )
        .join(''),
    )
    .join(''),
};

function writeSet() {
  for (const c of [0, 1]) {
    const planes = [0, 1].flatMap((t) => [0, 1, 2].map((z) => plane(set, z, c, t)));
    writeFileSync(at(`c${c}.ome.tif`), describedTiff(set, omeXml([set], `UUID="urn:uuid:${c}"`), planes, { compression: 'lzw' }));
  }
}

async function voxelsIn(file: string): Promise<Buffer> {
  expect(await stria('compress', file, '-o', at('again.stria'), ...cpu)).toMatchObject({ code: 0 });
  expect(await stria('decompress', at('again.stria'), '--to', 'raw', '-o', at('again.raw'), ...cpu)).toMatchObject({ code: 0 });
  return readFileSync(at('again.raw'));
}

test.each([[['c0.ome.tif']], [['c1.ome.tif', 'c0.ome.tif']], [['.']]])(
  'a set by %j is compressed, described, and restored as one OME-TIFF',
  async (names) => {
    writeSet();
    const ended = await stria('compress', ...names.map(at), '-o', at('out.stria'), ...cpu);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    const info = await stria('info', at('out.stria'), '--json');
    expect(JSON.parse(info.stdout)).toMatchObject({
      volume: { dims: [40, 30, 3, 4], spacing: [0.5, 0.5, 2, 1], channels: [{ name: 'DAPI' }, { name: 'GFP' }] },
    });
    const restored = await stria('decompress', at('out.stria'), ...cpu);
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    expect(restored.stderr).toContain('this is a new file with them');
    expect(readdirSync(place.folder).sort()).toEqual(['c0.ome.tif', 'c1.ome.tif', 'out.ome.tif', 'out.stria']);
    expect(Buffer.compare(await voxelsIn(at('out.ome.tif')), voxelsOfImage(set))).toBe(0);
    const again = await stria('info', at('out.ome.tif'), '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({
      volume: {
        spacing: [0.5, 0.5, 2, 1],
        spatialUnit: 'um',
        channels: [
          { name: 'DAPI', color: '#0000ff' },
          { name: 'GFP', color: '#00ff00' },
        ],
      },
    });
  },
);

test('a missing file of a set is named', async () => {
  writeSet();
  rmSync(at('c1.ome.tif'));
  const ended = await stria('compress', at('c0.ome.tif'), ...cpu);
  expect(ended.code).not.toBe(0);
  expect(ended.stderr).toContain('c1.ome.tif is missing');
});

test('any volume is written as OME-TIFF, to a file or into a folder', async () => {
  const dims = [50, 40, 9] as const;
  writeFileSync(at('scan.nii'), niftiFile(dims, 2));
  expect(await stria('compress', at('scan.nii'), ...cpu)).toMatchObject({ code: 0 });
  const write = (...more: readonly string[]) => stria('decompress', at('scan.stria'), '--to', 'ome-tiff', ...cpu, ...more);
  expect(await write('-o', at('named.ome.tif'))).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining('despite its ending'),
  });
  mkdirSync(at('sub'));
  expect(await write('-o', at('sub'))).toMatchObject({ code: 0 });
  expect(readdirSync(at('sub'))).toEqual(['scan.ome.tif']);
  expect(readFileSync(at('sub/scan.ome.tif')).byteLength).toBeGreaterThan(1000);
  expect(Buffer.compare(await voxelsIn(at('named.ome.tif')), scanBytes(dims, 2))).toBe(0);
  const refused = await write('-o', at('sub'));
  expect(refused.stderr).toContain('already exists; add -f');
});
