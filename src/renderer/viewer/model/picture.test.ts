import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkPictureSize, drawOver, joinPictures, layoutCells, toStraight } from './picture.ts';

test('the cells of every layout fill the picture, with the gap between them, and never overlap', () => {
  const layouts = ['3d', 'slice', 'slices', 'quad', 'oblique'] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...layouts),
      fc.integer({ min: 12, max: 4000 }),
      fc.integer({ min: 12, max: 4000 }),
      fc.integer({ min: 0, max: 3 }),
      (layout, width, height, gap) => {
        const cells = layoutCells(layout, 'y', width, height, gap);
        expect(cells.length).toBe({ '3d': 1, slice: 1, slices: 3, quad: 4, oblique: 5 }[layout]);
        expect(Math.max(...cells.map((cell) => cell.x + cell.width))).toBe(width);
        expect(Math.max(...cells.map((cell) => cell.y + cell.height))).toBe(height);
        for (const a of cells)
          for (const b of cells) {
            if (a === b) continue;
            const apart = [b.x - (a.x + a.width), a.x - (b.x + b.width), b.y - (a.y + a.height), a.y - (b.y + b.height)];
            expect(Math.max(...apart)).toBeGreaterThanOrEqual(gap);
          }
      },
    ),
  );
});

test('the layout with one slice shows the chosen slice', () => {
  expect(layoutCells('slice', 'x', 100, 50, 1)).toEqual([{ view: 'x', x: 0, y: 0, width: 100, height: 50 }]);
});

test('invalid sizes and sizes that are too large are refused', () => {
  expect(() => checkPictureSize(8192, 4320, 8192)).not.toThrow();
  expect(() => checkPictureSize(0, 10, 8192)).toThrow('is not possible');
  expect(() => checkPictureSize(10.5, 10, 8192)).toThrow('is not possible');
  expect(() => checkPictureSize(8193, 10, 8192)).toThrow('at most 8192 pixels');
  expect(() => checkPictureSize(16384, 16384, 16384)).toThrow('more than 512 MiB');
});

test('pictures are placed side by side on their background', () => {
  const red = { width: 1, height: 2, rgba: Uint8Array.of(255, 0, 0, 255, 254, 0, 0, 255) };
  const cell = { view: '3d', x: 2, y: 0, width: 1, height: 2 } as const;
  const { rgba } = joinPictures({ width: 3, height: 2 }, [1, 2, 3, 4], [{ cell, picture: red }]);
  expect([...rgba]).toEqual([1, 2, 3, 4, 1, 2, 3, 4, 255, 0, 0, 255, 1, 2, 3, 4, 1, 2, 3, 4, 254, 0, 0, 255]);
});

test('premultiplied pixels become straight, and BGRA becomes RGBA', () => {
  expect([...toStraight(Uint8Array.of(64, 32, 0, 128), false, false)]).toEqual([128, 64, 0, 128]);
  expect([...toStraight(Uint8Array.of(64, 32, 0, 128), true, false)]).toEqual([0, 64, 128, 128]);
  expect([...toStraight(Uint8Array.of(10, 20, 30, 7, 1, 2, 3, 0), false, true)]).toEqual([10, 20, 30, 255, 1, 2, 3, 255]);
  expect([...toStraight(Uint8Array.of(0, 0, 0, 0), false, false)]).toEqual([0, 0, 0, 0]);
});

test('a picture drawn over another covers it by its own alpha', () => {
  const under = { width: 2, height: 1, rgba: Uint8Array.of(0, 100, 200, 255, 0, 0, 0, 0) };
  drawOver(under, { width: 2, height: 1, rgba: Uint8Array.of(200, 100, 0, 51, 10, 20, 30, 128) }, 0, 0);
  expect([...under.rgba]).toEqual([40, 100, 160, 255, 10, 20, 30, 128]);
  drawOver(under, { width: 1, height: 1, rgba: Uint8Array.of(1, 2, 3, 255) }, 1, 0);
  expect([...under.rgba]).toEqual([40, 100, 160, 255, 1, 2, 3, 255]);
});
