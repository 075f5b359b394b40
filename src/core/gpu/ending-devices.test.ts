import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { keepUntilDone } from './ending-devices.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a device is collected only once its queue has ended all work', async () => {
  let end = (_: undefined): void => {};
  const workDone = new Promise<undefined>((resolve) => {
    end = resolve;
  });
  const isAlive = keptDevice(workDone);
  await setImmediate();
  collectGarbage();
  expect(isAlive(), 'while work is pending').toBe(true);
  end(undefined);
  await setImmediate();
  collectGarbage();
  expect(isAlive(), 'afterwards').toBe(false);
});

/** Nothing but `keepUntilDone` refers to this device. */
function keptDevice(workDone: Promise<undefined>): () => boolean {
  const device = { queue: { onSubmittedWorkDone: () => workDone } } as unknown as GPUDevice;
  keepUntilDone(device);
  const reference = new WeakRef(device);
  return () => reference.deref() !== undefined;
}
