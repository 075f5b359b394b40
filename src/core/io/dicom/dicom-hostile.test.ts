import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import type { StriaError } from '../../shared/errors.ts';
import { volumeBytes } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { memoryTree } from '../common/file-tree.ts';
import { faultOf, noise, readVoxels } from '../common/source-testing.ts';
import { listVolumes, openVolume } from '../open-volume.ts';
import { ctSlice, dicomFile, fragmentBytes, head, type TestElements, uids } from './dicom-testing.ts';
import { encodeRle } from './pixels/encoders-testing.ts';

const pixels = noise(24, 3);
const sequence: TestElements = {
  528704: ['SQ', [{ 528725: ['UI', '1.2.9'] }, { 528704: ['SQ', [{ 528720: ['UI', '1.2'] }]] }]],
  593921: ['UN', joinBytes([head(0xfffee000, 0, { isLittle: true })])],
};

async function read(bytes: Uint8Array) {
  const volume = await openVolume(memorySource('IM1', bytes));
  const voxels = await readVoxels(volume);
  expect(voxels.byteLength).toBe(volumeBytes(volume.info));
  await volume.source();
  return voxels;
}

const { 0x7fe00010: _, ...header } = ctSlice({ pixels });
const originals: readonly (readonly [string, Uint8Array])[] = [
  ['explicit', dicomFile(ctSlice({ pixels, more: sequence }))],
  ['implicit', dicomFile(ctSlice({ pixels, more: sequence }), { syntax: uids.implicit })],
  ['with delimiters', dicomFile(ctSlice({ pixels, more: sequence }), { isDelimited: true })],
  ['big-endian', dicomFile(ctSlice({ pixels, more: sequence }), { syntax: uids.big })],
  ['deflated', dicomFile(ctSlice({ pixels, more: sequence }), { syntax: uids.deflated, pack: deflateRawSync })],
  ['in fragments', dicomFile(header, { syntax: uids.rle, after: fragmentBytes([encodeRle(pixels, 2)]) })],
];

describe.each(originals)('%s', (name, original) => {
  test('truncated anywhere, it is refused', async () => {
    // The delimiter after the fragments may be missing.
    const end = original.byteLength - (name === 'in fragments' ? 8 : 0);
    for (let length = 0; length < end; length++) {
      const result = await read(original.subarray(0, length)).catch((error: unknown) => error);
      // The last deflated bytes may only mark the end.
      if (name === 'deflated' && result instanceof Uint8Array) expect(result).toEqual(pixels);
      else expect((result as StriaError).tag, `cut at ${length}`).toMatch(/corrupt|unsupported/);
    }
  });

  test('with wrong bytes, it is refused or has as many voxels as it states', async () => {
    for (let seed = 1; seed <= 400; seed++) {
      const bytes = original.slice();
      const [count = 0, ...places] = noise(13, seed);
      for (let change = 0; change <= count % 4; change++) {
        const [high = 0, low = 0, value = 0] = places.slice(change * 3);
        // After the preamble, which is not read.
        bytes[128 + ((high * 256 + low) % (bytes.byteLength - 128))] = seed % 3 === 0 ? 255 : value;
      }
      const fault = await faultOf(read(bytes));
      if (fault !== undefined) expect(fault.tag, `seed ${seed}: ${fault.message}`).toMatch(/corrupt|unsupported/);
    }
  });
});

describe('malicious files', () => {
  const little = { isLittle: true };

  test.each([
    ['of undefined length', 0xffffffff],
    ['of known length', undefined],
  ])('sequences in sequences, %s', async (_, length) => {
    let inner = new Uint8Array();
    for (let depth = 0; depth < 3000; depth++) {
      const item = joinBytes([head(0xfffee000, length ?? inner.byteLength, little), inner]);
      inner = joinBytes([head(0x00081140, length ?? item.byteLength, little), item]);
    }
    const fault = await faultOf(read(joinBytes([dicomFile({}, { syntax: uids.implicit }), inner, new Uint8Array(8)])));
    expect(fault?.message).toMatch(/nested more than 32 deep|holds no pixels/);
  });

  test('many empty items', async () => {
    const items = new Uint8Array(8 * 2 ** 17);
    for (let at = 0; at < items.byteLength; at += 8) items.set(head(0xfffee000, 0, little), at);
    const bytes = dicomFile(ctSlice({ pixels, more: { 528704: ['SQ', []], 593921: ['UN', items] } }));
    expect(await read(bytes)).toEqual(pixels);
  });

  test('a deflated bomb', async () => {
    const bomb = deflateRawSync(new Uint8Array(2 ** 27 + 2 ** 20));
    const bytes = dicomFile({}, { syntax: uids.deflated, pack: () => bomb });
    expect((await faultOf(read(bytes)))?.message).toContain('holds more than 128 MiB');
  });

  test('an endless header', async () => {
    const long = head(0x00081140, 0x7fffffff, little);
    const size = 2 ** 31;
    const begin = joinBytes([dicomFile({}, { syntax: uids.implicit }), long]);
    let asked = 0;
    const source = {
      name: 'IM1',
      size,
      async read(offset: number, length: number) {
        asked += length;
        const bytes = new Uint8Array(Math.min(length, size - offset));
        if (offset < begin.byteLength) bytes.set(begin.subarray(offset, offset + length));
        return bytes;
      },
    };
    expect((await faultOf(openVolume(source)))?.tag).toMatch(/corrupt|unsupported/);
    expect(asked).toBeLessThan(2 ** 27);
  });

  test('more frames and pixels than bytes', async () => {
    for (const more of [{ 2621448: ['IS', '1048576'] }, { 2621456: ['US', 65535], 2621457: ['US', 65535] }] as TestElements[]) {
      expect((await faultOf(read(dicomFile(ctSlice({ pixels, more })))))?.message).toContain('the header promises');
    }
    expect((await faultOf(read(dicomFile(ctSlice({ pixels, more: { 2621448: ['IS', '2000000000'] } })))))?.tag).toBe('corrupt');
  });

  test('a damaged file in a folder is named, and the others open', async () => {
    const good = dicomFile(ctSlice({ pixels }));
    const tree = memoryTree('folder', { 'a/1': good, 'a/2': good.subarray(0, 300) });
    const entries = (await listVolumes(tree)) ?? [];
    expect(entries.map(({ id, problem }) => [id, problem !== undefined])).toEqual([
      ['3', false],
      ['a/2', true],
    ]);
    expect((await openVolume(tree)).info.dims).toEqual([4, 3, 1, 1]);
  });
});
