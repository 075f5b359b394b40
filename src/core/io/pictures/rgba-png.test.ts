import { decode } from 'fast-png';
import { expect, test } from 'vitest';
import { pngChunks } from './png-chunks.ts';
import { encodeRgbaPng } from './rgba-png.ts';

const rgba = Uint8Array.from({ length: 5 * 3 * 4 }, (_, at) => (at % 4 === 3 ? 255 : (at * 37) % 256));

test('an opaque picture is written as RGB', () => {
  const png = decode(encodeRgbaPng({ width: 5, height: 3, rgba }));
  expect(png).toMatchObject({ width: 5, height: 3, channels: 3, depth: 8 });
  expect([...png.data]).toEqual([...rgba].filter((_, at) => at % 4 !== 3));
});

test('a translucent picture is written as RGBA', () => {
  const clear = rgba.with(7, 128);
  const png = decode(encodeRgbaPng({ width: 5, height: 3, rgba: clear }));
  expect(png.channels).toBe(4);
  expect([...png.data]).toEqual([...clear]);
});

test('scale, colour space and texts in any script are stored', () => {
  const bytes = encodeRgbaPng({
    width: 5,
    height: 3,
    rgba,
    pixelsPerMetre: 2000.4,
    text: { Title: 'Schädel 頭', Software: 'Stria' },
  });
  expect(decode(bytes).resolution).toEqual({ x: 2000, y: 2000, unit: 1 });
  const chunks = [...pngChunks(bytes)];
  expect(chunks.map(({ type }) => type)).toEqual(['IHDR', 'sRGB', 'pHYs', 'iTXt', 'iTXt', 'IDAT', 'IEND']);
  expect(new TextDecoder().decode(chunks[3]?.data)).toBe('Title\0\0\0\0\0Schädel 頭');
});

test.each([0, Number.NaN, 2 ** 31])('a scale of %s is left out', (pixelsPerMetre) => {
  expect(decode(encodeRgbaPng({ width: 5, height: 3, rgba, pixelsPerMetre })).resolution).toBeUndefined();
});
