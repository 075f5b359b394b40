import { expect, test } from 'vitest';
import { CanvasFaults, type DetailFault, withDetailFault } from './detail-faults.ts';

test('a fault belongs to one slice, and stays until that slice can be read again', () => {
  const gone = { message: 'the disk did not answer', isTooMuch: false };
  const large = { message: 'the slice needs too much of the file', isTooMuch: true };
  const both = withDetailFault(withDetailFault({}, 'x', gone), 'y', large);
  expect(both).toEqual({ x: gone, y: large });
  expect(withDetailFault(both, 'z', undefined)).toBe(both);
  // Oblique slices report their faults with each frame.
  expect(withDetailFault(both, 'y', { ...large })).toBe(both);
  expect(withDetailFault(both, 'y', gone)).toEqual({ x: gone, y: gone });
  expect(withDetailFault(both, 'x', undefined)).toEqual({ y: large });
});

test('a canvas tells the fault of the volume before that of a layer, which stays if the volume is another one', () => {
  const told: (DetailFault | undefined)[] = [];
  const faults = new CanvasFaults((fault) => told.push(fault));
  const volume = { message: 'the disk did not answer', isTooMuch: false };
  const layer = { message: 'the chunk is damaged', isTooMuch: false, layer: { name: 'Scan', decimation: 4 } };
  faults.set('layers', layer);
  faults.set('volume', volume);
  faults.set('volume', undefined);
  faults.set('layers', undefined);
  expect(told).toEqual([layer, volume, layer, undefined]);
});
