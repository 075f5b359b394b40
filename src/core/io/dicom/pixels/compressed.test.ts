import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../shared/bytes.ts';
import { typedVoxels } from '../../../shared/volume.ts';
import { joinBytes } from '../../common/byte-stream.ts';
import { faultOf, noise, readVoxels } from '../../common/source-testing.ts';
import { openVolume } from '../../open-volume.ts';
import { ctSlice, dicomFile, fragmentBytes, type TestElements, uids } from '../dicom-testing.ts';
import { encodeLosslessJpeg, encodeRle, encodeWith } from './encoders-testing.ts';

const columns = 24;
const rows = 17;
const base = '1.2.840.10008.1.2.4';

/** Signed 12-bit values: smooth, with a few outliers. */
const values = Int16Array.from({ length: columns * rows }, (_, index) =>
  index % 41 === 0 ? -2048 : Math.round(900 * Math.sin(index / 30) + (index % columns)),
);
const signed: TestElements = { 2621697: ['US', 12], 2621698: ['US', 11], 2621699: ['US', 1] };
const bytes8: TestElements = { 2621696: ['US', 8], 2621697: ['US', 8], 2621698: ['US', 7], 2621699: ['US', 0] };
const rgb: TestElements = { ...bytes8, 2621442: ['US', 3], 2621444: ['CS', 'RGB'], 2621446: ['US', 0] };

/** A file with compressed frames. */
function compressed(frames: readonly Uint8Array[], syntax: string, more: TestElements = {}, fragments = fragmentBytes(frames)) {
  const { 0x7fe00010: _, ...elements } = ctSlice({ columns, rows, pixels: new Uint8Array(), more });
  const count: TestElements = frames.length > 1 ? { 2621448: ['IS', String(frames.length)] } : {};
  return dicomFile({ ...elements, ...count }, { syntax, after: fragments });
}

async function open(bytes: Uint8Array) {
  return openVolume(memorySource('IM1', bytes));
}

async function valuesOf(bytes: Uint8Array, type: 'u8' | 'i16' | 'u16' = 'i16') {
  return Array.from(typedVoxels(type, await readVoxels(await open(bytes))));
}

describe('RLE', () => {
  test('16 bits, several frames', async () => {
    const frames = [values, values.map((value) => value >> 1), values.slice().reverse()];
    const bytes = compressed(
      frames.map((frame) => encodeRle(new Uint8Array(frame.buffer), 2)),
      uids.rle,
      signed,
    );
    const volume = await open(bytes);
    expect(volume.info).toMatchObject({ dims: [columns, rows, 3, 1], type: 'i16' });
    expect(Array.from(typedVoxels('i16', await readVoxels(volume)))).toEqual(frames.flatMap((frame) => Array.from(frame)));
  });

  test('colors', async () => {
    const pixels = noise(columns * rows * 3);
    const volume = await open(compressed([encodeRle(pixels, 3)], uids.rle, rgb));
    expect(volume.info).toMatchObject({ dims: [columns, rows, 1, 3], type: 'u8' });
    expect(volume.info.channels?.map(({ name }) => name)).toEqual(['Red', 'Green', 'Blue']);
    const planes = [0, 1, 2].flatMap((channel) => Array.from(pixels).filter((_, index) => index % 3 === channel));
    expect(Array.from(await readVoxels(volume))).toEqual(planes);
  });

  test('truncated anywhere, it is corrupt or only lacks padding', async () => {
    const whole = encodeRle(new Uint8Array(values.buffer), 2);
    for (let length = 0; length < whole.byteLength - 2; length += 7) {
      const fault = await faultOf(valuesOf(compressed([whole.subarray(0, length)], uids.rle, signed)));
      expect(fault, `cut at ${length}`).toMatchObject({ tag: 'corrupt' });
    }
  });
});

describe('fragments of frames', () => {
  const halves = [values, values.map((value) => value + 1)].map((frame) => encodeRle(new Uint8Array(frame.buffer), 2));
  const cut = halves.flatMap((frame) => {
    const middle = (frame.byteLength >> 1) & ~1;
    return [frame.subarray(0, middle), frame.subarray(middle)];
  });
  const wanted = [...values, ...values.map((value) => value + 1)];
  const lengths = cut.map((part) => part.byteLength + (part.byteLength % 2) + 8);
  const second = (lengths[0] as number) + (lengths[1] as number);
  const two: TestElements = { ...signed, 2621448: ['IS', '2'] };

  test('are found by the offset table', async () => {
    const table = new Uint8Array(new Uint32Array([0, second]).buffer);
    expect(await valuesOf(compressed([], uids.rle, two, fragmentBytes(cut, 'OB', table)))).toEqual(wanted);
  });

  test('are found by the extended offset table', async () => {
    const table = new Uint8Array(new BigUint64Array([0n, BigInt(second)]).buffer);
    expect(await valuesOf(compressed([], uids.rle, { ...two, 2145386497: ['OV', table] }, fragmentBytes(cut)))).toEqual(wanted);
  });

  test('cannot be assigned without a table', async () => {
    const fault = await faultOf(valuesOf(compressed([], uids.rle, two, fragmentBytes(cut))));
    expect(fault?.message).toContain('the 2 frames are in 4 fragments, and no table assigns');
  });

  test('all belong to a single frame', async () => {
    expect(await valuesOf(compressed([], uids.rle, signed, fragmentBytes(cut.slice(0, 2))))).toEqual([...values]);
  });
});

describe('packages', () => {
  const cases = [
    ['JPEG-LS', 'jpeg-ls', `${base}.80`],
    ['JPEG 2000', 'jpeg-2000', `${base}.90`],
    ['HTJ2K', 'htj2k', `${base}.201`],
  ] as const;
  test.each(cases)('%s: unsigned 12 bits, in 16', async (_, kind, syntax) => {
    const unsigned = Uint16Array.from(values, (value) => value + 2048);
    const stream = await encodeWith(kind, new Uint8Array(unsigned.buffer), {
      width: columns,
      height: rows,
      bits: 12,
      components: 1,
    });
    const more: TestElements = { ...signed, 2621699: ['US', 0] };
    expect(await valuesOf(compressed([stream], syntax, more), 'u16')).toEqual([...unsigned]);
  });

  test.each(cases)('%s: 8-bit colors', async (_, kind, syntax) => {
    const pixels = Uint8Array.from({ length: columns * rows * 3 }, (_, index) => (index * 7) % 251);
    const stream = await encodeWith(kind, pixels, { width: columns, height: rows, bits: 8, components: 3 });
    const planes = [0, 1, 2].flatMap((channel) => Array.from(pixels).filter((_, index) => index % 3 === channel));
    expect(await valuesOf(compressed([stream], syntax, rgb), 'u8')).toEqual(planes);
  });

  test('unsigned 12-bit JPEG 2000 in a signed file: its highest bit is the sign', async () => {
    const unsigned = Uint16Array.from(values, (value) => value & 0xfff);
    const stream = await encodeWith('jpeg-2000', new Uint8Array(unsigned.buffer), {
      width: columns,
      height: rows,
      bits: 12,
      components: 1,
    });
    expect(await valuesOf(compressed([stream], `${base}.90`, signed))).toEqual([...values]);
  });

  // Some encoders code all allocated bits, not only the stored ones.
  test.each([12, 16])('lossless JPEG of %i bits', async (bits) => {
    const stream = encodeLosslessJpeg(
      Uint16Array.from(values, (value) => value & 0xfff),
      columns,
      rows,
      bits,
    );
    expect(await valuesOf(compressed([stream], `${base}.70`, signed))).toEqual([...values]);
  });

  test('JPEG: gray, and colours according to the header', async () => {
    const flat = (color: readonly number[]) =>
      Uint8Array.from({ length: columns * rows * color.length }, (_, index) => color[index % color.length] as number);
    const shape = { width: columns, height: rows, bits: 8 };
    const gray = await encodeWith('jpeg', flat([77]), { ...shape, components: 1 });
    expect(await valuesOf(compressed([gray], `${base}.50`, bytes8), 'u8')).toEqual(Array(columns * rows).fill(77));
    const red = await encodeWith('jpeg', flat([200, 30, 40]), { ...shape, components: 3 });
    const asYbr = await valuesOf(compressed([red], `${base}.50`, { ...rgb, 2621444: ['CS', 'YBR_FULL_422'] }), 'u8');
    const [first, second, third] = [0, 1, 2].map((channel) => asYbr[channel * columns * rows] as number);
    expect(Math.abs((first as number) - 200) + Math.abs((second as number) - 30) + Math.abs((third as number) - 40)).toBeLessThan(
      9,
    );
    // If the header says RGB, the stored YCbCr samples are not converted.
    const asRgb = await valuesOf(compressed([red], `${base}.50`, rgb), 'u8');
    expect(Math.abs((asRgb[0] as number) - 82)).toBeLessThan(4);
  });

  test('wrong sizes are detected before a decoder allocates memory', async () => {
    const huge = { width: columns, height: rows, bits: 12, components: 1 };
    for (const [, kind, syntax] of cases) {
      const stream = await encodeWith(kind, new Uint8Array(columns * rows * 2), huge);
      const fault = await faultOf(
        valuesOf(compressed([stream], syntax, { ...signed, 2621456: ['US', 65535], 2621457: ['US', 1000] })),
      );
      expect(fault?.message).toContain(`it is ${columns} × ${rows} of 1, but the header says 1000 × 65535`);
    }
    const bomb = compressed([new Uint8Array(100)], `${base}.90`, { ...signed, 2621456: ['US', 65535], 2621457: ['US', 65535] });
    expect((await faultOf(valuesOf(bomb)))?.message).toContain('a compressed frame takes more than 256 MiB');
  });

  test('damaged streams are refused or give the stated number of voxels', async () => {
    const unsigned = Uint16Array.from(values, (value) => value + 2048);
    for (const [, kind, syntax] of cases) {
      const stream = await encodeWith(kind, new Uint8Array(unsigned.buffer), {
        width: columns,
        height: rows,
        bits: 12,
        components: 1,
      });
      // For the other kinds, a part is also a picture, of lower quality.
      if (kind === 'jpeg-ls') {
        expect(await faultOf(valuesOf(compressed([stream.subarray(0, 200)], syntax, signed)))).toMatchObject({ tag: 'corrupt' });
      }
      for (let round = 0; round < 25; round++) {
        const damaged = stream.slice();
        for (const at of noise(3, round + 1)) damaged[(at * 37 + round * 11) % damaged.byteLength] = at;
        const result = await open(joinBytes([compressed([damaged], syntax, signed)]))
          .then(readVoxels)
          .catch((error: unknown) => error);
        if (result instanceof Uint8Array) expect(result.byteLength).toBe(columns * rows * 2);
        else expect((result as { tag: string }).tag).toMatch(/corrupt|unsupported/);
      }
    }
  });

  test('12-bit JPEG is refused by name', async () => {
    const stream = await encodeWith('jpeg', new Uint8Array(columns * rows), {
      width: columns,
      height: rows,
      bits: 8,
      components: 1,
    });
    const precision = stream.findIndex((byte, index) => byte === 0xff && (stream[index + 1] as number) >> 2 === 0x30) + 4;
    stream[precision] = 12;
    expect((await faultOf(valuesOf(compressed([stream], `${base}.51`, signed))))?.message).toContain(
      'JPEG of 12 bits (extended, process 4) is not supported',
    );
  });
});
