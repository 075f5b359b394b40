import { expect, test } from 'vitest';
import type { CodecDefinition } from '../codec/codec.ts';
import { codecByName, codecs } from '../codecs/registry.ts';
import { volumeBytes } from '../shared/volume.ts';
import { ComputedBricks } from './computed-bricks.ts';

test('1 TiB of bricks are computed on demand, always the same, and valid for the decoders of all codecs', async () => {
  const source = new ComputedBricks(10_322);
  expect(volumeBytes(source.info)).toBeGreaterThan(2 ** 40);
  const small = new ComputedBricks(200, 16);
  const used = new Set<string>();
  for (let at = 0; at < 300; at++) {
    const level = at % small.levels.length;
    const grid = small.levels[level]?.grid;
    if (!grid) throw new Error('no level');
    const brick = { level, number: at < 40 ? grid.count - 1 - (at % grid.count) : (at * 7919) % grid.count };
    const [chunk] = await small.read([brick]);
    if (!chunk) throw new Error('no chunk');
    expect(await small.read([brick])).toEqual([chunk]);
    used.add(chunk.kind === 'coded' ? String(chunk.stages[0]?.codecId) : chunk.kind);
    const geometry = { shape: grid.box(brick.number).shape, elementBytes: 1 } as const;
    if (chunk.kind === 'coded') {
      const codec = codecs.find(({ id }) => id === chunk.stages[0]?.codecId);
      expect(codec?.reference.decode(chunk.payload, geometry, chunk.stages[0]?.parameters ?? new Uint8Array(0))).toEqual(
        small.voxels(brick),
      );
    } else expect(new Set(small.voxels(brick)).size).toBe(1);
    expect(small.place(brick).payloadBytes).toBe(chunk.kind === 'coded' ? chunk.payload.byteLength : 0);
  }
  expect(used.size).toBe(codecs.length + 1);
});

test('once all chunks are computed, no brick computes another', () => {
  let encoded = 0;
  const counting: CodecDefinition = {
    ...codecByName('raw'),
    reference: {
      ...codecByName('raw').reference,
      encode: (...chunk) => {
        encoded++;
        return codecByName('raw').reference.encode(...chunk);
      },
    },
  };
  const source = new ComputedBricks(72, 16, undefined, [counting]);
  source.computeAll();
  const before = encoded;
  expect(before).toBeGreaterThan(0);
  for (const [level, { grid }] of source.levels.entries()) {
    for (let number = 0; number < grid.count; number++) source.chunk({ level, number });
  }
  expect(encoded).toBe(before);
});
