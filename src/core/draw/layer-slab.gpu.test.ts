import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { chainByName } from '../codecs/registry.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { typedVoxels } from '../shared/volume.ts';
import { CompressedVolume } from '../volume/compressed/compressed-volume.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { testInfo, testVoxels } from '../volume/resident-testing.ts';
import type { VolumeSource } from '../volume/volume-source.ts';
import { LayerSlab } from './layer-slab.ts';

const gpu = await openTestGpu();
const info = testInfo([13, 11, 9, 1], 'f32');
const chunkShape = [8, 4, 4] as const;
const [width, height] = [17, 12];
const samples = {
  origin: [0.3, 0.2, -1.1],
  across: [0.05, 0.1, 0.55],
  right: [0.7, 0.05, 0.02],
  down: [-0.04, 0.8, 0.1],
  width,
  height,
  slices: [0, 15],
  smooth: true,
} as const;

test.each(['mean', 'maximum', 'minimum'] as const)(
  'the %s of a slab is the same from compressed voxels, however many slices are blended at once',
  async (kind) => {
    const bytes = testVoxels(info);
    // Some voxels are missing, also at seams.
    const voxels = typedVoxels('f32', bytes);
    for (let at = 0; at < voxels.length; at++) voxels[at] = at % 5 === 0 ? Number.NaN : ((at * 7919) % 1000) / 10;
    const resident = await ResidentVolume.create(gpu, info, { chunkShape: [...chunkShape] });
    resident.append(bytes);
    const [box] = resident.boxes;
    if (!box) throw new Error('the volume has no box');
    const { chunks } = await createGpuBackend(gpu).encodeResident(box, { codec: chainByName('raw'), options: { axis: 'auto' } });
    const compressed = await CompressedVolume.create(gpu, { info, chunkShape, chunks }, { verify: false });
    const planeOf = async (volume: VolumeSource, mostPartBytes?: number): Promise<Float32Array> => {
      const slab = new LayerSlab(gpu, mostPartBytes);
      const commands = gpu.commands('slab');
      const [plane] = slab.record(commands, volume, 0, { ...samples, kind });
      await commands.submit();
      if (!plane) throw new Error('there is no plane');
      const found = await gpu.read(plane.voxels.buffer);
      slab.destroy();
      return new Float32Array(found.buffer, found.byteOffset, width * height);
    };
    const expected = await planeOf(resident);
    expect(expected.filter(Number.isFinite).length).toBeGreaterThan(100);
    for (const mostPartBytes of [undefined, 3 * 8 * width * height]) {
      const found = await planeOf(compressed, mostPartBytes);
      const isNear = (value: number, at: number) =>
        Object.is(value, expected[at]) || Math.abs(value - (expected[at] as number)) < 1e-3;
      expect([...found].filter((value, at) => !isNear(value, at))).toEqual([]);
    }
    resident.destroy();
    compressed.destroy();
  },
);

test('a canvas whose sums would exceed a binding is projected band by band, into the same plane', async () => {
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [...chunkShape] });
  volume.append(testVoxels(info));
  const boxesOf = async (size: { readonly width: number; readonly height: number }, mostSumBytes?: number) => {
    const slab = new LayerSlab(gpu, undefined, mostSumBytes);
    const commands = gpu.commands('slab');
    const boxes = slab.record(commands, volume, 0, { ...samples, ...size, slices: [2, 3], kind: 'maximum' });
    await commands.submit();
    const values: number[][] = [];
    for (const { voxels } of boxes) {
      const bytes = await gpu.read(voxels.buffer, 0, 4 * voxels.dims[0] * Math.min(voxels.dims[1], 16));
      values.push([...new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)]);
    }
    slab.destroy();
    return { values, rows: boxes.map(({ voxels }) => voxels.dims[1]) };
  };
  const whole = await boxesOf({ width, height });
  const banded = await boxesOf({ width, height }, 8 * width * 5);
  expect([whole.rows, banded.rows]).toEqual([[12], [5, 5, 2]]);
  expect(banded.values.flat()).toEqual(whole.values.flat());
  // At 8 bytes a pixel, the sums of this canvas exceed the device's limit for a binding.
  const pixels = gpu.maxBindingBytes / 8 + 4096;
  const large = await boxesOf({ width: 4096, height: pixels / 4096 });
  expect(large.rows).toEqual([2048, 2048, 1]);
  volume.destroy();
});
