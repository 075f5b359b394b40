import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { type Dims4, type Endian, elementTypes } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { faultOf, noise, readVoxels, rebuild, siblingsAmong, testVoxels, trickling } from '../common/source-testing.ts';
import type { RawLayout } from '../common/volume-reader.ts';
import { openVolume } from '../open-volume.ts';

const dims: Dims4 = [5, 3, 7, 2];

function openWith(bytes: Uint8Array, sidecar: unknown, name = 'scan.raw') {
  const text = new TextEncoder().encode(typeof sidecar === 'string' ? sidecar : JSON.stringify(sidecar));
  return openVolume(memorySource(name, bytes), { siblings: siblingsAmong([{ name: 'scan.raw.json', bytes: text }]) });
}

describe.each<Endian>(['little', 'big'])('%s-endian', (endian) => {
  test.each(elementTypes)('reads %s by a given layout, plain and gzipped', async (type) => {
    const { stored, read } = testVoxels(dims, type, endian);
    const bytes = joinBytes([noise(19), stored, noise(6)]);
    for (const [name, file] of [
      ['scan.raw', bytes],
      ['scan.raw.gz', gzipSync(bytes)],
    ] as const) {
      const volume = await openVolume(trickling(memorySource(name, file), 41), { raw: { dims, type, endian, offset: 19 } });
      expect(volume.info).toMatchObject({ dims, type, spacing: [1, 1, 1, 1], slope: 1, intercept: 0 });
      expect(await readVoxels(volume)).toEqual(read);
      const source = await volume.source();
      expect(source).toMatchObject({ format: 'raw', endian });
      expect(rebuild(source, read, type)).toEqual([{ name: 'scan.raw', bytes }]);
    }
  });
});

test('reads voxels that look like gzip by chance', async () => {
  const voxels = joinBytes([Uint8Array.of(0x1f, 0x8b, 8), noise(61)]);
  const given = await openVolume(memorySource('scan.raw', voxels), { raw: { dims: [4, 4, 4, 1], type: 'u8' } });
  expect(await readVoxels(given)).toEqual(voxels);
  const named = await openVolume(memorySource('scan_4x4x4_uint8.raw', voxels));
  expect(await readVoxels(named)).toEqual(voxels);
});

describe('a sidecar', () => {
  test('gives the whole layout, and belongs to the source', async () => {
    const { stored, read } = testVoxels([5, 3, 7, 1], 'i16', 'big');
    const text =
      '{ "dims": [5, 3, 7], "type": "int16", "endian": "big", "offset": 3,\n "spacing": [0.5, 0.5, 2], "unit": "um", "by": "x" }\n';
    const bytes = joinBytes([noise(3), stored]);
    for (const [name, file] of [
      ['scan.raw', bytes],
      ['scan.raw.gz', gzipSync(bytes)],
    ] as const) {
      const volume = await openWith(file, text, name);
      expect(volume.info).toMatchObject({ dims: [5, 3, 7, 1], type: 'i16', spacing: [0.5, 0.5, 2, 1], spatialUnit: 'um' });
      expect(volume.info.affine).toEqual([0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 2, 0]);
      expect(await readVoxels(volume)).toEqual(read);
      expect(rebuild(await volume.source(), read, 'i16')).toEqual([
        { name: 'scan.raw.json', bytes: new TextEncoder().encode(text) },
        { name: 'scan.raw', bytes },
      ]);
    }
  });

  test.each([
    ['no JSON', 'JSON'],
    ['[1, 2]', 'type'],
    ['null', 'type'],
    [{ dims: [2, 2, 2], type: 'u128' }, 'type'],
    [{ dims: [2, 2, 2], type: 'constructor' }, 'type'],
    [{ type: 'u8' }, 'dims'],
    [{ dims: [2, 2], type: 'u8' }, 'dims'],
    [{ dims: [2, 2, '2'], type: 'u8' }, 'dims'],
    [{ dims: [2, 2, 0], type: 'u8' }, '2×2×0'],
    [{ dims: [2, 2, 1.5], type: 'u8' }, '2×2×1.5'],
    [{ dims: [1e9, 1e9, 1e9], type: 'u8' }, 'exceed the size'],
    [{ dims: [2, 2, 2], type: 'u8', endian: 'middle' }, 'endian'],
    [{ dims: [2, 2, 2], type: 'u8', offset: '5' }, 'offset'],
    [{ dims: [2, 2, 2], type: 'u8', offset: -5 }, 'offset'],
    [{ dims: [2, 2, 2], type: 'u8', spacing: [1, 0, 1] }, 'spacing'],
    [{ dims: [2, 2, 2], type: 'u8', unit: 'inch' }, 'unit'],
  ])('that is wrong is named: %j', async (sidecar, named) => {
    const fault = await faultOf(openWith(noise(100), sidecar));
    expect(fault).toMatchObject({ tag: 'invalid-input' });
    expect(fault?.message).toContain(named);
  });
});

test.each<[string, RawLayout]>([
  ['skull_4x3x2_uint8.raw', { dims: [4, 3, 2, 1], type: 'u8' }],
  ['a_b_4x3x2x2_int16.RAW', { dims: [4, 3, 2, 2], type: 'i16' }],
  ['1x1x1_4x3x2_float64.raw', { dims: [4, 3, 2, 1], type: 'f64' }],
])('reads the layout off the name %s', async (name, layout) => {
  const volume = await openVolume(memorySource(name, noise(192)));
  expect(volume.info).toMatchObject(layout);
});

describe('a layout that does not fit', () => {
  const openAs = (bytes: Uint8Array, layout: RawLayout, name = 'scan.raw') =>
    openVolume(memorySource(name, bytes), { raw: layout });

  test('too short: the message has both sizes and layouts that fit', async () => {
    const fault = await faultOf(openAs(noise(1000), { dims: [10, 10, 20, 1], type: 'u8' }));
    expect(fault).toMatchObject({ tag: 'invalid-input' });
    expect(fault?.message).toBe('the file has 1000 bytes of voxels, but 10×10×20 u8 needs 2000; 10×10×10 u8 would fit');
    const type = await faultOf(openAs(noise(1003), { dims: [10, 10, 10, 1], type: 'u16', offset: 3 }));
    expect(type?.message).toContain('10×10×5 u16 or 10×10×10 u8 would fit');
    const cube = await faultOf(openAs(noise(2000), { dims: [99, 99, 99, 1], type: 'u16' }));
    expect(cube?.message).toContain('10×10×10 u16 would fit');
  });

  test('too long: a remark has both sizes and layouts that fit', async () => {
    const remarks: string[] = [];
    const open = (layout: RawLayout) =>
      openVolume(memorySource('scan.raw', noise(1000)), { raw: layout, onRemark: (text) => remarks.push(text) });
    await open({ dims: [10, 10, 9, 1], type: 'u8' });
    expect(remarks).toEqual([
      'scan.raw: the file has 1000 bytes of voxels, but 10×10×9 u8 needs 900; 10×10×10 u8 would fit. The bytes after the voxels are kept, but not shown.',
    ]);
    await open({ dims: [10, 10, 9, 1], type: 'u8', offset: 100 });
    expect(remarks).toHaveLength(1);
    await open({ dims: [7, 7, 20, 1], type: 'u8' });
    expect(remarks[1]).toContain('7×7×20 u8 needs 980; 10×10×10 u8 would fit. ');
  });

  test('too short after unpacking', async () => {
    const volume = await openAs(gzipSync(noise(1000)), { dims: [10, 10, 20, 1], type: 'u8' }, 'scan.raw.gz');
    expect(await faultOf(readVoxels(volume))).toMatchObject({ tag: 'invalid-input' });
  });

  test('an offset past the end', async () => {
    expect(await faultOf(openAs(noise(10), { dims: [1, 1, 1, 1], type: 'u8', offset: 11 }))).toMatchObject({
      tag: 'invalid-input',
    });
  });

  test('far too long', async () => {
    const bytes = new Uint8Array(17 * 2 ** 20);
    expect(await faultOf(openAs(bytes, { dims: [2, 2, 2, 1], type: 'u8' }))).toMatchObject({ tag: 'unsupported' });
    const volume = await openAs(gzipSync(bytes), { dims: [2, 2, 2, 1], type: 'u8' }, 'scan.raw.gz');
    expect(await faultOf(readVoxels(volume))).toMatchObject({ tag: 'unsupported' });
  });
});
