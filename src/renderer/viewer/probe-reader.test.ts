import { expect, test } from 'vitest';
import type { VolumeSource } from '../../core/volume/volume-source.ts';
import type { Probe } from './model/viewer-api.ts';
import { ProbeReader } from './probe-reader.ts';

/** A volume whose reads end only when the test says so. */
function heldVolume() {
  const reads: { readonly x: number; end(): void; fail(): void }[] = [];
  const voxel = (x: number) =>
    new Promise<number>((resolve, reject) => {
      reads.push({ x, end: () => resolve(10 * x), fail: () => reject(new Error('the device went away')) });
    });
  return { volume: { info: { slope: 2, intercept: 1 }, voxel } as unknown as VolumeSource, reads };
}

const settle = () => new Promise((resolve) => setTimeout(resolve));

function reader() {
  const told: (readonly [x: number, value: number] | undefined)[] = [];
  return { told, reader: new ProbeReader((probe: Probe | undefined) => told.push(probe && [probe.voxel[0], probe.value])) };
}

test('only the first and the last of many requests are read, one after the other', async () => {
  const { volume, reads } = heldVolume();
  const { told, reader: probe } = reader();
  for (const x of [1, 2, 3]) probe.request(volume, [x, 0, 0], 0);
  reads[0]?.end();
  await settle();
  reads[1]?.end();
  await settle();
  expect(reads.map(({ x }) => x)).toEqual([1, 3]);
  expect(told).toEqual([
    [1, 21],
    [3, 61],
  ]);
});

test('if a voxel cannot be read from the file, the result is marked as the nearest voxel', async () => {
  for (const [decimation, file, isNearest] of [
    [1, undefined, false],
    [2, {}, false],
    [2, undefined, true],
  ] as const) {
    const { volume, reads } = heldVolume();
    const told: (boolean | undefined)[] = [];
    new ProbeReader((probe) => told.push(probe?.isNearest)).request(
      { ...volume, decimation, file } as VolumeSource,
      [1, 0, 0],
      0,
    );
    reads[0]?.end();
    await settle();
    expect(told).toEqual([isNearest]);
  }
});

test('a value read for a pointer that has left is dropped, even if the pointer came back', async () => {
  const { volume, reads } = heldVolume();
  const { told, reader: probe } = reader();
  probe.request(volume, [1, 0, 0], 0);
  probe.clear();
  probe.request(volume, [2, 0, 0], 0);
  reads[0]?.end();
  await settle();
  expect(told).toEqual([undefined]);
  reads[1]?.end();
  await settle();
  expect(told).toEqual([undefined, [2, 41]]);
});

test('a failed read shows nothing, and the next one runs', async () => {
  const { volume, reads } = heldVolume();
  const { told, reader: probe } = reader();
  probe.request(volume, [1, 0, 0], 0);
  reads[0]?.fail();
  await settle();
  probe.request(volume, [2, 0, 0], 0);
  reads[1]?.end();
  await settle();
  expect(told).toEqual([undefined, [2, 41]]);
});

test('outside the volume, only the layers at that place are read', async () => {
  const { volume } = heldVolume();
  const told: unknown[] = [];
  const probe = new ProbeReader((inside, beyond) => told.push([inside, beyond]));
  const layer = { info: {}, voxel: async () => 7 } as unknown as VolumeSource;
  probe.requestBeyond(volume, [-2, 0, 0], 0, [{ id: 'a', volume: layer, voxel: [1, 2, 3], timePoint: 0 }]);
  await settle();
  expect(told).toEqual([[undefined, { voxel: [-2, 0, 0], layers: [{ id: 'a', voxel: [1, 2, 3], stored: 7 }] }]]);
});

test('after a failed read, the request that arrived meanwhile is read', async () => {
  const { volume, reads } = heldVolume();
  const { told, reader: probe } = reader();
  probe.request(volume, [1, 0, 0], 0);
  probe.request(volume, [2, 0, 0], 0);
  reads[0]?.fail();
  await settle();
  reads[1]?.end();
  await settle();
  expect(told).toEqual([undefined, [2, 41]]);
});

test('if the volume cannot be read, the values of layers are still shown', async () => {
  const { volume, reads } = heldVolume();
  const told: unknown[] = [];
  const probe = new ProbeReader((inside, beyond) => told.push([inside, beyond]));
  const layer = { info: {}, voxel: async () => 7 } as unknown as VolumeSource;
  probe.request(volume, [1, 0, 0], 0, [{ id: 'a', volume: layer, voxel: [1, 2, 3], timePoint: 0 }]);
  reads[0]?.fail();
  await settle();
  expect(told).toEqual([[undefined, { voxel: [1, 0, 0], layers: [{ id: 'a', voxel: [1, 2, 3], stored: 7 }] }]]);
});

/** A reader that lists each report as the volume's value and those of the layers. */
function valuesReader() {
  const told: (readonly number[])[] = [];
  const probe = new ProbeReader((shown) => {
    if (shown) told.push([shown.stored, ...shown.layers.map(({ stored }) => stored)]);
  });
  return { told, probe };
}

test('a layer that reads slowly delays neither the value of the volume nor those of other layers', async () => {
  const { volume, reads } = heldVolume();
  const slow = heldVolume();
  const fast = { info: {}, voxel: async () => 7 } as unknown as VolumeSource;
  const { told, probe } = valuesReader();
  probe.request(volume, [1, 0, 0], 0, [
    { id: 'slow', volume: slow.volume, voxel: [2, 0, 0], timePoint: 0 },
    { id: 'fast', volume: fast, voxel: [1, 0, 0], timePoint: 0 },
  ]);
  reads[0]?.end();
  await expect.poll(() => told).toEqual([[10, 7]]);
  slow.reads[0]?.end();
  await settle();
  expect(told).toEqual([
    [10, 7],
    [10, 20, 7],
  ]);
});

test('while a layer reads slowly, the pointer moves on: the layer is read again only at the last position', async () => {
  const { volume, reads } = heldVolume();
  const slow = heldVolume();
  const { told, probe } = valuesReader();
  for (const x of [1, 2, 3]) {
    probe.request(volume, [x, 0, 0], 0, [{ id: 'slow', volume: slow.volume, voxel: [x, 0, 0], timePoint: 0 }]);
    reads.at(-1)?.end();
    await expect.poll(() => told.at(-1)).toEqual([10 * x]);
  }
  slow.reads[0]?.end();
  await settle();
  slow.reads[1]?.end();
  await settle();
  expect(slow.reads.map(({ x }) => x)).toEqual([1, 3]);
  expect(told).toEqual([[10], [20], [30], [30, 30]]);
});

test('after the pointer has left, a layer that was busy is not read again', async () => {
  const { volume, reads } = heldVolume();
  const slow = heldVolume();
  const { told, probe } = valuesReader();
  for (const x of [1, 2]) {
    probe.request(volume, [x, 0, 0], 0, [{ id: 'slow', volume: slow.volume, voxel: [x, 0, 0], timePoint: 0 }]);
    reads.at(-1)?.end();
    await expect.poll(() => told.at(-1)).toEqual([10 * x]);
  }
  probe.clear();
  slow.reads[0]?.end();
  await settle();
  expect(slow.reads.map(({ x }) => x)).toEqual([1]);
});
