import { afterEach, expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { openSample } from '../samples/sample.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { comparedFlight, isPlain } from './paged-rays.ts';
import { labelsLayer, StackStage, scanLayer, stackedVolumes } from './view-stack.ts';
import { flown } from './view-turning.ts';

const gpu = await openTestGpu();
const edge = 64;
const size = { width: 64, height: 36 };
const opened: ResidentVolume[] = [];
afterEach(() => {
  for (const volume of opened.splice(0)) volume.destroy();
});

async function sampleOf(kind: 'phantom' | 'labels', seed: number): Promise<ResidentVolume> {
  const sample = openSample({ kind, dims: [edge, edge, edge], type: 'u8', seed });
  const volume = await ResidentVolume.create(gpu, sample.info, { chunkShape: [edge, edge, edge] });
  opened.push(volume);
  for await (const piece of sample.voxels()) volume.append(piece);
  return volume;
}

test('the view in a flight that is compared shows the volumes, in all projections', async () => {
  const base = await sampleOf('phantom', 1);
  const over = [
    { kind: scanLayer, volume: await sampleOf('phantom', scanLayer.seed) },
    { kind: labelsLayer, volume: await sampleOf('labels', labelsLayer.seed) },
  ];
  const { window } = await base.statistics();
  const volumes = await stackedVolumes(await base.displayTexture(0), window, over);
  using scope = gpu.scope('test');
  const stage = new StackStage(gpu, scope, volumes, size);
  for (const projection of ['composite', 'mip'] as const) {
    expect(isPlain(await stage.pixels(projection, flown(comparedFlight, size))), projection).toBe(false);
  }
  expect(isPlain(await stage.pixels('composite', flown(0.3, size)))).toBe(true);
});
