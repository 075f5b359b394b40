import { expect, test } from 'vitest';
import { openSample } from '../samples/sample.ts';
import type { SampleKind } from '../samples/sample-kinds.ts';
import type { Dims4 } from '../shared/volume.ts';
import { infoOf } from '../stream/engine-testing.ts';
import { LabelEvidence } from './label-evidence.ts';

const dims: Dims4 = [96, 96, 96, 1];

/** The method that a volume's voxels suggest. */
function methodOf(voxel: (x: number, y: number, z: number) => number) {
  const evidence = new LabelEvidence(infoOf(dims, 'u8'));
  const [width, height, depth] = dims;
  const voxels = new Uint8Array(width * height * depth);
  let at = 0;
  for (let z = 0; z < depth; z++) for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) voxels[at++] = voxel(x, y, z);
  evidence.add(voxels, [width, height, depth]);
  expect(evidence.isDecided).toBe(true);
  return evidence.method;
}

/** Whether a voxel is one of few that lie alone. */
const isPoint = (x: number, y: number, z: number) => x % 8 === 3 && y % 8 === (x >> 3) % 7 && z % 2 === 0;

test('segments are labels, also thin ones; points and noise are not', () => {
  expect(methodOf((x, y, z) => (Math.hypot(x - 48, y - 48, z - 48) < 40 ? 2 : 0))).toBe('mode');
  expect(methodOf((x, y, z) => (Math.abs(x - y / 3 - z / 5 - 20) < 1 ? 7 : 0))).toBe('mode');
  expect(methodOf((x, y, z) => (isPoint(x, y, z) ? 9 : 0))).toBe('mean');
  expect(methodOf((x, y, z) => (isPoint(x, y, z) ? 1 + ((x * y * z) % 200) : 0))).toBe('mean');
  expect(methodOf((x, y, z) => (x * 71 + y * 37 + z * 13) % 251)).toBe('mean');
});

test.each<[SampleKind, string]>([
  ['labels', 'mode'],
  ['potential', 'mean'],
  ['phantom', 'mean'],
])('the sample %s is halved by %s', async (kind, method) => {
  const sample = openSample({ kind, dims: [96, 96, 96], type: 'u8', seed: 1 });
  const evidence = new LabelEvidence(sample.info);
  for await (const piece of sample.voxels({})) evidence.add(piece, [96, 96, piece.byteLength / 96 ** 2]);
  expect(evidence.method).toBe(method);
});
