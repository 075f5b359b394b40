import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { GpuDiagnosis } from './diagnosis.ts';
import { Gpu } from './gpu.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('devices are never collected, but what heard of their errors and loss is', async () => {
  const opened = [];
  for (let count = 0; count < 20; count++) opened.push(await lostGpu());
  await setImmediate();
  collectGarbage();
  expect(opened.filter(({ device }) => device.deref()).length, 'devices').toBe(20);
  expect(opened.filter(({ listener }) => listener.deref()).length, 'listeners').toBe(0);
});

/** Nothing but what is under test refers to the device and to a listener of its Gpu. */
async function lostGpu() {
  const events = new EventTarget();
  let lose: (info: { message: string }) => void = () => {};
  const lost = new Promise((resolve) => {
    lose = resolve;
  });
  const device = Object.assign(events, {
    features: new Set(),
    limits: { maxComputeWorkgroupsPerDimension: 65535 },
    lost,
    onuncapturederror: null as unknown,
  });
  const gpu = new Gpu(device as unknown as GPUDevice, { software: true } as GpuDiagnosis);
  const listener = () => {};
  gpu.onError(listener);
  gpu.onLost(listener);
  // As three.js does.
  device.onuncapturederror = listener;
  lose({ message: 'destroyed' });
  await lost;
  return { device: new WeakRef(device), listener: new WeakRef(listener) };
}
