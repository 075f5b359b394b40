import { expect, test } from 'vitest';
import { DetailFaults } from './detail-faults.ts';

test('a fault stays until its own view can read again; the oldest is reported', () => {
  const faults = new DetailFaults();
  const [x, y, z] = [{}, {}, {}];
  const gone = { message: 'the disk did not answer', isTooMuch: false };
  const large = { message: 'the slice needs too much of the file', isTooMuch: true };
  faults.report(x, gone);
  faults.report(y, large);
  faults.report(z, undefined);
  expect(faults.first).toBe(gone);
  faults.report(x, undefined);
  expect(faults.first).toBe(large);
  faults.clear();
  expect(faults.first).toBeUndefined();
});
