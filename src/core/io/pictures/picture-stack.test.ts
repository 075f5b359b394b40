import fc from 'fast-check';
import { encode } from 'fast-png';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { faultOf, noise, readVoxels } from '../common/source-testing.ts';
import { tiffFile } from '../tiff/tiff-testing.ts';
import { compareNatural } from './natural-order.ts';
import { openStack } from './picture-stack.ts';
import { ExtraPool, encodePictureTable, parsePictureTable } from './picture-table.ts';

const gray = (name: string, data: Uint8Array, width = 3, height = 2) =>
  memorySource(name, encode({ width, height, channels: 1, depth: 8, data }));

describe('natural order', () => {
  test.each([
    [
      ['frame10.png', 'frame2.png', 'frame1.png'],
      ['frame1.png', 'frame2.png', 'frame10.png'],
    ],
    [
      ['b', 'a10', 'a9', 'a'],
      ['a', 'a9', 'a10', 'b'],
    ],
    [
      ['01', '1', '001', '2'],
      ['001', '01', '1', '2'],
    ],
    [
      ['x12345678901234567890', 'x12345678901234567889'],
      ['x12345678901234567889', 'x12345678901234567890'],
    ],
    [
      ['t2z1', 't1z10', 't1z9'],
      ['t1z9', 't1z10', 't2z1'],
    ],
  ])('%j', (names, sorted) => {
    expect([...names].sort(compareNatural)).toEqual(sorted);
  });

  test('sorts any names consistently, whatever their initial order', () => {
    const names = fc.array(fc.stringMatching(/^[ab]{0,2}\d{0,3}[ab]?\d{0,2}$/), { maxLength: 12 });
    fc.assert(
      fc.property(names, (list) => {
        const sorted = [...list].sort(compareNatural);
        expect([...list].reverse().sort(compareNatural)).toEqual(sorted);
        for (let at = 1; at < sorted.length; at++) {
          expect(compareNatural(sorted[at - 1] as string, sorted[at] as string)).toBeLessThanOrEqual(0);
        }
      }),
    );
  });
});

describe('a stack of files', () => {
  test('is sorted in natural order, whatever the order of its files', async () => {
    const files = [10, 2, 1].map((number) => gray(`frame${number}.png`, new Uint8Array(6).fill(number)));
    const volume = await openStack(files);
    expect(volume.info).toMatchObject({ dims: [3, 2, 3, 1], type: 'u8' });
    expect([...(await readVoxels(volume))]).toEqual([1, 2, 10].flatMap((number) => Array(6).fill(number)));
    const source = await volume.source();
    expect(source.parts[0]?.name).toBe('frame1-stack.png');
    const table = parsePictureTable(source.parts[0]?.before ?? new Uint8Array());
    expect(table.pages.map(({ name }) => name)).toEqual(['frame1.png', 'frame2.png', 'frame10.png']);
  });

  test('of TIFF files takes all pictures of each file', async () => {
    const file = (name: string, ...pages: Uint8Array[]) =>
      memorySource(name, tiffFile({ width: 3, height: 2, type: 'u8' }, pages));
    const [a, b, c] = [noise(6, 1), noise(6, 2), noise(6, 3)] as const;
    const volume = await openStack([file('2.tif', c), file('1.tif', a, b)]);
    expect(volume.info.dims).toEqual([3, 2, 3, 1]);
    expect(Buffer.compare(await readVoxels(volume), Buffer.concat([a, b, c]))).toBe(0);
  });

  test('of RGB pictures has its samples along t', async () => {
    const rgb = (name: string, data: readonly number[]) =>
      memorySource(name, encode({ width: 2, height: 1, channels: 3, depth: 8, data: Uint8Array.from(data) }));
    const volume = await openStack([rgb('1.png', [1, 2, 3, 4, 5, 6]), rgb('2.png', [7, 8, 9, 10, 11, 12])]);
    expect(volume.info.dims).toEqual([2, 1, 2, 3]);
    expect(volume.info.channels?.map(({ name }) => name)).toEqual(['Red', 'Green', 'Blue']);
    expect([...(await readVoxels(volume))]).toEqual([1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12]);
  });

  test('is refused if its pictures differ, and the odd one is named', async () => {
    const one = gray('1.png', noise(6));
    const wide = gray('2.png', noise(8), 4);
    const deep = memorySource('3.png', encode({ width: 3, height: 2, channels: 1, depth: 16, data: new Uint16Array(6) }));
    const tiff = memorySource('4.tif', tiffFile({ width: 3, height: 2, type: 'u8' }, [noise(6)]));
    for (const [odd, says] of [
      [wide, /2\.png is 4 × 2, u8, but 1\.png is 3 × 2, u8/],
      [deep, /3\.png is 3 × 2, u16/],
    ] as const) {
      const fault = await faultOf(openStack([odd, one]));
      expect(fault).toMatchObject({ tag: 'invalid-input', message: expect.stringMatching(says) });
    }
    expect(await faultOf(openStack([tiff, one]))).toMatchObject({ tag: 'invalid-input', context: ['4.tif'] });
    expect(await faultOf(openStack([memorySource('5.png', noise(99)), one]))).toMatchObject({ tag: 'invalid-input' });
    expect(await faultOf(openStack([]))).toMatchObject({ tag: 'invalid-input' });
  });

  test('names the file with damaged pixels', async () => {
    const broken = await gray('2.png', noise(6)).read(0, 1000);
    broken[50] = (broken[50] as number) ^ 1;
    const volume = await openStack([gray('1.png', noise(6)), memorySource('2.png', broken)]);
    expect(await faultOf(readVoxels(volume))).toMatchObject({ tag: 'corrupt', context: ['2.png'] });
  });

  test('holds at most one picture in memory, because files are read one after another', async () => {
    let open = 0;
    let most = 0;
    const files = Array.from({ length: 5 }, (_, index) => {
      const file = gray(`${index}.png`, noise(6, index));
      return {
        ...file,
        read: async (...args: Parameters<typeof file.read>) => {
          most = Math.max(most, ++open);
          const bytes = await file.read(...args);
          open--;
          return bytes;
        },
      };
    });
    await readVoxels(await openStack(files));
    expect(most).toBe(1);
  });
});

describe('the table of pictures', () => {
  test('survives a round trip, and stores equal metadata once', () => {
    const pool = new ExtraPool();
    const extra = noise(1000);
    const pages = Array.from({ length: 100 }, (_, index) => ({ name: `${index}.png`, extra: pool.keep(extra.slice()) }));
    const bytes = encodePictureTable({ channels: 3, bits: 16, pages });
    expect(bytes.byteLength).toBeLessThan(5000);
    expect(parsePictureTable(bytes)).toEqual({ channels: 3, bits: 16, pages });
  });

  test('leaves out metadata beyond the limit', () => {
    const pool = new ExtraPool();
    const kept = Array.from({ length: 200 }, (_, index) => pool.keep(noise(65_536, index)));
    const total = kept.reduce((sum, extra) => sum + extra.byteLength, 0);
    expect(total).toBe(2 ** 23);
  });

  test.each([
    ['nothing', ''],
    ['no object', '[]'],
    ['no pictures', '{"channels":1,"bits":8,"names":[],"extras":[],"extraOf":[]}'],
    ['no channels', '{"channels":0,"bits":8,"names":[""],"extras":[],"extraOf":[-1]}'],
    ['odd bits', '{"channels":1,"bits":7,"names":[""],"extras":[],"extraOf":[-1]}'],
    ['a path as name', '{"channels":1,"bits":8,"names":["../x.png"],"extras":[],"extraOf":[-1]}'],
    ['an extra that is not there', '{"channels":1,"bits":8,"names":[""],"extras":[],"extraOf":[0]}'],
    ['no base64', '{"channels":1,"bits":8,"names":[""],"extras":["*"],"extraOf":[0]}'],
    ['lists of different lengths', '{"channels":1,"bits":8,"names":["",""],"extras":[],"extraOf":[-1]}'],
  ])('%s is refused', (_name, text) => {
    expect(() => parsePictureTable(new TextEncoder().encode(text))).toThrow(expect.objectContaining({ tag: 'corrupt' }));
  });
});
