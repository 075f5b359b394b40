import { afterEach, expect, test } from 'vitest';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { unitsPerLength } from '../../viewer/model/orientation.ts';
import { cutDistanceWords } from './cut-words.ts';
import { setUnits, thinSpace } from './units.ts';

afterEach(() => setUnits({ lengthUnits: 'file', byteUnits: 'binary' }));

test('the distance of the oblique clip plane is in the unit that is shown', () => {
  const info = testInfo([8, 8, 8, 1], 'u8');
  const offset = 2 / unitsPerLength(info);
  expect(cutDistanceWords({ offset }, info)).toBe(`2${thinSpace}mm from the centre`);
  setUnits({ lengthUnits: 'um', byteUnits: 'binary' });
  expect(cutDistanceWords({ offset }, info)).toBe(`2${thinSpace}000${thinSpace}µm from the centre`);
});
