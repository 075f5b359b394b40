import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementBytes, elementTypes } from '../../../core/shared/volume.ts';
import { checkLayout, suggestLayouts } from './raw-layout.ts';

describe('checkLayout', () => {
  it('says how many bytes are missing or left over', () => {
    expect(checkLayout({ dims: [10, 10, 10, 1], type: 'u16' }, 2000)).toEqual({ state: 'fits' });
    expect(checkLayout({ dims: [10, 10, 10, 1], type: 'u16', offset: 8 }, 2008)).toEqual({ state: 'fits' });
    expect(checkLayout({ dims: [10, 10, 10, 1], type: 'u16' }, 1990)).toMatchObject({
      state: 'wrong',
      words: expect.stringContaining('10 bytes more'),
    });
    expect(checkLayout({ dims: [10, 10, 10, 1], type: 'u8' }, 1001)).toMatchObject({ state: 'shorter' });
    expect(checkLayout({ dims: [0, 10, 10, 1], type: 'u8' }, 0)).toMatchObject({ state: 'wrong' });
    expect(checkLayout({ dims: [10, 10, 10.5, 1], type: 'u8' }, 1050)).toMatchObject({ state: 'wrong' });
  });
});

describe('suggestLayouts', () => {
  it('trusts the name first', () => {
    expect(suggestLayouts('head_256x256x109_uint16.raw', 256 * 256 * 109 * 2)[0]).toMatchObject({
      dims: [256, 256, 109, 1],
      type: 'u16',
    });
    expect(suggestLayouts('a_4x5x6x7_int16_be.raw', 4 * 5 * 6 * 7 * 2)[0]).toEqual({
      dims: [4, 5, 6, 7],
      type: 'i16',
      endian: 'big',
      offset: 0,
    });
  });

  it('tries cubes, then stacks of square slices', () => {
    expect(suggestLayouts('a.raw', 512 ** 3)[0]).toMatchObject({ dims: [512, 512, 512, 1], type: 'u8' });
    expect(suggestLayouts('a.raw', 512 * 512 * 77)).toContainEqual({
      dims: [512, 512, 77, 1],
      type: 'u8',
      endian: 'little',
      offset: 0,
    });
    expect(suggestLayouts('a.raw', 1009)).toEqual([]);
  });

  it('only suggests layouts that use every byte of the file', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 }), fc.constantFrom(...elementTypes), (size, type) => {
        for (const layout of suggestLayouts(`x_${type}.raw`, size)) {
          const [x, y, z, t] = layout.dims;
          expect(x * y * z * t * elementBytes(layout.type)).toBe(size);
        }
      }),
    );
  });

  it('only whole words of a name tell of big-endian voxels', () => {
    const endianOf = (name: string) => suggestLayouts(name, 2 * 8 * 8 * 8)[0]?.endian;
    for (const name of [
      'big_8x8x8_uint16.raw',
      'a_8x8x8_uint16-big-endian.raw',
      'a_bigendian_8x8x8_uint16.raw',
      'a_8x8x8_uint16be.raw',
      'a_8x8x8_uint16_be.raw',
    ])
      expect(endianOf(name), name).toBe('big');
    for (const name of ['bigbrain_8x8x8_uint16.raw', 'ambiguous_8x8x8_uint16.raw', 'beam_8x8x8_uint16.raw'])
      expect(endianOf(name), name).toBe('little');
  });
});
