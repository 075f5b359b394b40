import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { keepLost } from './lost-devices.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a lost device is collected only after eight more were lost', async () => {
  const isAlive = lostDevice();
  for (let more = 0; more < 7; more++) lostDevice();
  await setImmediate();
  collectGarbage();
  expect(isAlive(), 'with seven after it').toBe(true);
  await setImmediate();
  lostDevice();
  collectGarbage();
  expect(isAlive(), 'with eight after it').toBe(false);
});

/** Nothing but `keepLost` refers to this device. */
function lostDevice(): () => boolean {
  const device = {} as GPUDevice;
  keepLost(device);
  const reference = new WeakRef(device);
  return () => reference.deref() !== undefined;
}
