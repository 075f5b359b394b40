import { expect, test } from 'vitest';
import { openEmptyVolume } from './empty-volume.ts';

test('an empty volume has zeros and lies where its space does', async () => {
  const volume = openEmptyVolume({ dims: [3, 4, 2], edge: 0.5, origin: [-1, 2, 7] });
  expect(volume.info.affine).toEqual([0.5, 0, 0, -1, 0, 0.5, 0, 2, 0, 0, 0.5, 7]);
  const pieces: Uint8Array[] = [];
  for await (const piece of volume.voxels()) pieces.push(piece);
  expect(pieces.map((piece) => [...piece])).toEqual([new Array(12).fill(0), new Array(12).fill(0)]);
  expect((await volume.source()).format).toBe('nifti');
});
