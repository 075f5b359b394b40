import { afterEach, expect, test } from 'vitest';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { setUnits } from './units.ts';
import { worldWords } from './world-words.ts';

const info = testInfo([8, 8, 8, 1], 'u8');

afterEach(() => setUnits({ lengthUnits: 'file', byteUnits: 'binary' }));

test('positions are named by the patient’s sides', () => {
  const oblique = { ...info, affine: [-2, 0, 0, 5, 0, 0, 1.5, -10, 0, 0.5, 0, 0.25] };
  expect(worldWords(oblique, [1, 7, 2])).toBe('R 3  P 7  S 3.75\u202fmm');
  expect(worldWords(oblique, [4, 7, 8])).toBe('L 3  A 2  S 3.75\u202fmm');
});

test('without a patient they are lengths along x, y and z, and undefined without a unit', () => {
  const plain = { ...info, affine: [0.3, 0, 0, 0, 0, 0.3, 0, 0, 0, 0, 2, 0], spatialUnit: 'um' as const };
  expect(worldWords(plain, [3, 0, 2])).toBe('x 0.9  y 0  z 4\u202fµm');
  expect(worldWords({ ...plain, spatialUnit: 'unknown' }, [3, 0, 2])).toBeUndefined();
});

test('the numbers are in the unit that is shown, not in that of the file', () => {
  const millimetres = { ...info, affine: [-2, 0, 0, 5, 0, 0, 1.5, -10, 0, 0.5, 0, 0.25] };
  setUnits({ lengthUnits: 'um', byteUnits: 'binary' });
  expect(worldWords(millimetres, [1, 7, 2])).toBe('R 3\u202f000  P 7\u202f000  S 3\u202f750\u202fµm');
  expect(worldWords({ ...millimetres, spatialUnit: 'unknown' }, [1, 7, 2])).toBe('R 3  P 7  S 3.75');
});
