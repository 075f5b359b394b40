import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { memoryTree } from '../../io/common/file-tree.ts';
import { encodeFilesTable, parseFilesTable, type SourceFile } from '../../io/common/files-table.ts';
import { noise } from '../../io/common/source-testing.ts';
import { ctSlice, dicomFile, fragmentBytes, type TestElements, uids } from '../../io/dicom/dicom-testing.ts';
import { encodeRle } from '../../io/dicom/pixels/encoders-testing.ts';
import { openVolume } from '../../io/open-volume.ts';
import { memorySink, memorySource } from '../../shared/bytes.ts';
import { verifyContainer } from '../check/verify.ts';
import { compressVolume } from '../compress/compress.ts';
import { auto, infoOf, voxelsOf } from '../engine-testing.ts';
import { restoreVolume } from './restore.ts';

const backend = createCpuBackend(inlinePool());
const columns = 20;
const rows = 9;
const pixels = (seed: number, frames = 1, bytes = 2) => noise(columns * rows * frames * bytes, seed);
const slice = (z: number, more: TestElements = {}, bytes = pixels(z + 1)) =>
  ctSlice({ columns, rows, z, instance: z + 1, pixels: bytes, more });

/** Bytes of a .stria of the files. */
async function compressed(files: Record<string, Uint8Array>): Promise<Uint8Array> {
  const sink = memorySink();
  await compressVolume(await openVolume(memoryTree('folder', files)), sink, {
    backend,
    choice: auto,
    chunkShape: [16, 16, 4, 1],
  });
  return sink.bytes();
}

async function restored(stria: Uint8Array): Promise<Record<string, Uint8Array>> {
  const container = await ContainerReader.open(memorySource('a.stria', stria));
  const sinks = new Map<string, ReturnType<typeof memorySink>>();
  const makeSink = async (name: string) => {
    const sink = memorySink();
    sinks.set(name, sink);
    return sink;
  };
  const report = await restoreVolume(container, makeSink, { backend, baseName: 'a' });
  expect([...report.files].sort()).toEqual([...sinks.keys()].sort());
  return Object.fromEntries([...sinks].map(([name, sink]) => [name, sink.bytes()]));
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const rgb: TestElements = {
  2621442: ['US', 3],
  2621444: ['CS', 'RGB'],
  2621446: ['US', 0],
  2621696: ['US', 8],
  2621697: ['US', 8],
  2621698: ['US', 7],
  2621699: ['US', 0],
};

const folders: Readonly<Record<string, Record<string, Uint8Array>>> = {
  'slices in any order, with elements behind the pixels': Object.fromEntries(
    range(7).map((z) => [`study/IM${(z * 3) % 7}`, dicomFile(slice(z, { 4294770684: ['OB', noise(z * 2)] }))]),
  ),
  'big-endian and implicit files': {
    a: dicomFile(slice(0), { syntax: uids.big }),
    b: dicomFile(slice(1), { syntax: uids.implicit }),
    c: dicomFile(slice(2)).slice(132),
  },
  'time points': Object.fromEntries(
    range(12).map((index) => [
      `IM${index}`,
      dicomFile(
        ctSlice({
          columns,
          rows,
          z: index % 3,
          instance: index + 1,
          pixels: pixels(index),
          more: { 2097408: ['IS', String(index >> 2)] },
        }),
      ),
    ]),
  ),
  'several frames': { film: dicomFile(slice(0, { 2621448: ['IS', '6'] }, pixels(5, 6))) },
  'colors, pixel by pixel': Object.fromEntries(range(5).map((z) => [`c${z}.dcm`, dicomFile(slice(z, rgb, pixels(z, 1, 3)))])),
  'colors in planes': { p: dicomFile(slice(0, { ...rgb, 2621446: ['US', 1] }, pixels(9, 1, 3))) },
  'big-endian bytes in words': {
    w: dicomFile(slice(0, { ...rgb, 2145386512: ['OW', pixels(4, 1, 3)] }), { syntax: uids.big }),
    b: dicomFile(slice(1, { ...rgb, 2145386512: ['OB', pixels(5, 1, 3)] }), { syntax: uids.big }),
  },
  palettes: {
    p: dicomFile(
      slice(
        0,
        {
          ...rgb,
          2621442: ['US', 1],
          2621444: ['CS', 'PALETTE COLOR'],
          ...Object.fromEntries(
            [1, 2, 3].flatMap((channel) => [
              [0x00281100 + channel, ['US', [256, 0, 8]]],
              [0x00281200 + channel, ['OW', noise(256, channel)]],
            ]),
          ),
        },
        pixels(7, 1, 1),
      ),
    ),
  },
  YBR: { y: dicomFile(slice(0, { ...rgb, 2621444: ['CS', 'YBR_FULL'] }, pixels(8, 1, 3))) },
  'single bits': {
    s: dicomFile(slice(0, { 2621448: ['IS', '3'], 2621696: ['US', 1], 2621697: ['US', 1], 2621698: ['US', 0] }, noise(68))),
  },
  'bits that are no part of a value': {
    a: dicomFile(slice(0, { 2621697: ['US', 12], 2621698: ['US', 11] })),
    b: dicomFile(slice(1, { 2621697: ['US', 12], 2621698: ['US', 11] }, new Uint8Array(columns * rows * 2))),
  },
  'a scaling for each slice': Object.fromEntries(
    range(3).map((z) => [`s${z}`, dicomFile(slice(z, { 2625619: ['DS', String(z + 1.5)] }))]),
  ),
  'more bytes of pixels than are needed': { padded: dicomFile(slice(0, {}, noise(columns * rows * 2 + 30))) },
};

describe('files come back byte for byte', () => {
  test.each(Object.entries(folders))('%s', async (_, files) => {
    expect(await restored(await compressed(files))).toEqual(files);
  });

  test('gzipped ones unpacked', async () => {
    const file = dicomFile(slice(0));
    expect(await restored(await compressed({ 'a.dcm.gz': gzipSync(file) }))).toEqual({ 'a.dcm': file });
  });
});

test('compressed pixels come back uncompressed, with equal values and elements', async () => {
  const file = (z: number) => {
    const { 0x7fe00010: _, ...elements } = slice(z, { 593921: ['OB', noise(40)] });
    return dicomFile(elements, { syntax: uids.rle, after: fragmentBytes([encodeRle(pixels(z), 2)]) });
  };
  const stria = await compressed({ a: file(0), b: file(1) });
  const files = await restored(stria);
  for (const z of [0, 1]) {
    const wanted = dicomFile(slice(z, { 593921: ['OB', noise(40)] }, pixels(z)));
    expect(files[z === 0 ? 'a' : 'b']).toEqual(wanted);
  }
  const container = await ContainerReader.open(memorySource('a.stria', stria));
  const { parts } = await container.sourceDescription();
  const table = parseFilesTable(parts[0]?.before ?? new Uint8Array(), container.header.volume);
  expect(table.map(({ isRewritten }) => isRewritten)).toEqual([true, true]);
});

describe('a forged table', () => {
  const info = { ...infoOf([4, 3, 5, 6], 'u16') };
  const file: SourceFile = {
    name: 'a/b',
    before: noise(50),
    after: noise(3),
    endian: 'little',
    samples: 1,
    isPlanar: false,
    planes: [3, 4],
    isRewritten: false,
  };
  const parse = (changes: Partial<Record<keyof SourceFile, unknown>>, more: readonly SourceFile[] = []) =>
    parseFilesTable(encodeFilesTable([{ ...file, ...changes } as SourceFile, ...more]), info);

  test('what was written is read', () => {
    expect(parse({})).toEqual([file]);
    expect(parse({ samples: 3, planes: [9] })).toMatchObject([{ samples: 3, planes: [9] }]);
  });

  test.each([
    ['a plane behind the last one', () => parse({ planes: [30] })],
    ['a plane of a third sample', () => parse({ samples: 3, planes: [10] })],
    ['samples that do not divide t', () => parse({ samples: 4 })],
    ['half a plane', () => parse({ planes: [1.5] })],
    ['a byte order', () => parse({ endian: 'middle' })],
    ['two files of one name', () => parse({}, [file])],
    ['more planes than there are', () => parse({ planes: range(31).map(() => 0) })],
    ['nothing', () => parseFilesTable(new Uint8Array(), info)],
    ['a huge length', () => parseFilesTable(Uint8Array.of(255, 255, 255, 255, 1), info)],
  ])('%s is refused', (_, read) => {
    expect(read).toThrow(expect.objectContaining({ tag: 'corrupt' }));
  });

  test('a name that leads out of the folder is made plain', () => {
    expect(parse({ name: '../../etc/passwd' }).map(({ name }) => name)).toEqual(['_/_/etc/passwd']);
  });

  test('cut or changed anywhere, it is refused or harmless', () => {
    const bytes = encodeFilesTable([file]);
    for (let length = 0; length < bytes.byteLength; length++) {
      expect(() => parseFilesTable(bytes.subarray(0, length), info)).toThrow(expect.objectContaining({ tag: 'corrupt' }));
    }
    for (let at = 0; at < bytes.byteLength; at++) {
      const changed = bytes.slice();
      changed[at] = (changed[at] as number) ^ (1 << (at % 8));
      try {
        parseFilesTable(changed, info);
      } catch (error) {
        expect(error).toMatchObject({ tag: 'corrupt' });
      }
    }
  });

  test('verify finds it', async () => {
    const voxels = voxelsOf(info, 'blobs');
    const source = async () => ({
      format: 'dicom' as const,
      endian: 'little' as const,
      parts: [{ name: 'a', before: encodeFilesTable([{ ...file, planes: [30] }]), hasVoxels: true, after: new Uint8Array() }],
    });
    const sink = memorySink();
    const volume = {
      info,
      format: 'dicom' as const,
      source,
      voxels: async function* () {
        yield voxels.slice();
      },
    };
    await compressVolume(volume, sink, { backend, choice: auto });
    const container = await ContainerReader.open(memorySource('a.stria', sink.bytes()));
    const report = await verifyContainer(container, { backend });
    expect(report.problems.join()).toContain('the table of files has 30');
  });
});
