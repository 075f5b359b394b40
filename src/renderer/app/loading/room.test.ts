import { expect, test } from 'vitest';
import { MemoryLedger } from '../../../core/gpu/memory-ledger.ts';
import { layerDisplayLabel } from '../../../core/volume/resident/resident-display.ts';
import { whyNoRoom } from './room.ts';

test('voxels and the textures of layers count against the budget, but the open volume’s texture does not', () => {
  const memory = new MemoryLedger();
  const engine = { gpu: { memory }, budgetBytes: 1000 } as unknown as Parameters<typeof whyNoRoom>[0];
  memory.add('volume.box 0', 400);
  memory.add('display.texture', 400);
  expect(whyNoRoom(engine, 600, 'the layer')).toBeUndefined();
  memory.add(`${layerDisplayLabel}.texture`, 100);
  expect(whyNoRoom(engine, 600, 'the layer')).toMatch(/600\sB of GPU memory.*and 500\sB of that are in use/);
  expect(whyNoRoom(engine, 500, 'the layer')).toBeUndefined();
});
