import { expect, test } from 'vitest';
import { outputSize, shownSize } from './output-options.ts';

test('the size of the layout is that of its views and the lines between them', () => {
  const size = [300, 200] as const;
  const all = new Map([
    ['3d', size],
    ['x', size],
    ['y', size],
    ['z', size],
  ] as const);
  expect(shownSize('layout', 'quad', all)).toEqual([601, 401]);
  expect(shownSize('z', 'quad', all)).toEqual([300, 200]);
  expect(shownSize('z', '3d', new Map([['3d', size]]))).toBeUndefined();
  expect(shownSize('layout', '3d', new Map())).toBeUndefined();
});

test('sizes: as on screen, twice that, 4K, and custom; text grows with the picture', () => {
  const own = { width: 600, height: 1000 };
  expect(outputSize({ ...own, size: 'screen' }, [300, 200], 1.5)).toEqual({ width: 450, height: 300, pixelRatio: 1.5 });
  expect(outputSize({ ...own, size: 'double' }, [300, 200], 1.5)).toEqual({ width: 900, height: 600, pixelRatio: 3 });
  expect(outputSize({ ...own, size: '4k' }, [300, 200], 1.5)).toEqual({ width: 3840, height: 2160, pixelRatio: 10.8 });
  expect(outputSize({ ...own, size: 'own' }, [300, 200], 1.5)).toEqual({ width: 600, height: 1000, pixelRatio: 2 });
});
