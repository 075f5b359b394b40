import { expect, test } from 'vitest';
import type { GpuMesh } from '../../../core/draw/gpu-mesh.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { pointThrough, type Transform } from '../../../core/transforms/transform.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { layerVoxelAt, placeLayer, shownMeshes } from './layer-place.ts';
import { type MeshLook, noLayers } from './layers.ts';
import { mapPosition, mapStep } from './voxel-map.ts';

const plain = testInfo([10, 20, 30, 1], 'u8');
/** Voxels of 2 mm, with the first voxel's centre at (5, 6, 7). */
const placed: VolumeInfo = { ...plain, affine: [2, 0, 0, 5, 0, 2, 0, 6, 0, 0, 2, 7] };

test('two volumes with positions of their own are placed by world coordinates', () => {
  const flipped: VolumeInfo = { ...plain, affine: [-1, 0, 0, 20, 0, 0, 1, 0, 0, 1, 0, 0] };
  const { by, map } = placeLayer(placed, flipped);
  expect(by).toBe('world');
  // The centre of voxel (1, 2, 3) is at (7, 10, 13) mm, which is the centre of voxel (13, 13, 10) of the other one.
  expect(mapPosition(map, [1.5, 2.5, 3.5])).toEqual([13.5, 13.5, 10.5]);
  expect(mapStep(map, [1, 1, 0])).toEqual([-2, 0, 2]);
  expect(layerVoxelAt(map, [1.5, 2.5, 3.5], { ...flipped, dims: [14, 14, 11, 1] })).toEqual([13, 13, 10]);
  expect(layerVoxelAt(map, [1.5, 2.5, 3.5], { ...flipped, dims: [14, 13, 11, 1] })).toBeUndefined();
});

test('a motion moves the layer in world coordinates, however its file places it', () => {
  // A quarter turn about the z axis, then 10 mm up: a point at (a, b, c) mm moves to (−b, a, c + 10) mm.
  const motion = [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 10];
  const finer: VolumeInfo = { ...plain, affine: [0.5, 0, 0, 1, 0, 0.5, 0, 2, 0, 0, 0.5, 3] };
  for (const layer of [finer, plain, { ...plain, dims: [8, 8, 8, 1] as const }]) {
    const [rest, moved] = [placeLayer(placed, layer), placeLayer(placed, layer, motion)];
    expect(moved.by).toBe(rest.by);
    // The centre of voxel (1, 2, 3) is at (7, 10, 13) mm; it was at (10, −7, 3) mm, which is voxel (2.5, −6.5, −2).
    const [found, expected] = [mapPosition(moved.map, [1.5, 2.5, 3.5]), mapPosition(rest.map, [3, -6, -1.5])];
    found.forEach((value, at) => {
      expect(value).toBeCloseTo(expected[at] as number, 9);
    });
  }
});

test('a motion moves the triangles of a mesh', () => {
  const look: MeshLook = { id: 'm', name: 'm', isVisible: true, opacity: 1, color: '#ffffff' };
  const mapOf = (motion: Transform | undefined) => {
    const stack = { ...noLayers, meshes: [{ ...look, motion }] };
    return shownMeshes(placed, stack, () => ({}) as GpuMesh)[0]?.map as Transform;
  };
  // The centre of voxel (1, 2, 3) is at (7, 10, 13) mm.
  expect(pointThrough(mapOf(undefined), [7, 10, 13])).toEqual([1.5, 2.5, 3.5]);
  expect(pointThrough(mapOf([0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 10]), [10, -7, 3])).toEqual([1.5, 2.5, 3.5]);
});

test('units of length are converted', () => {
  const micrometres: VolumeInfo = { ...placed, spatialUnit: 'um', affine: [500, 0, 0, 5000, 0, 500, 0, 6000, 0, 0, 500, 7000] };
  expect(mapPosition(placeLayer(placed, micrometres).map, [0.5, 0.5, 1.5])[2]).toBeCloseTo(4.5, 9);
});

test('without positions, equal dimensions match voxel by voxel, whatever the spacing', () => {
  const { by, map } = placeLayer(placed, plain);
  expect(by).toBe('voxels');
  expect(mapPosition(map, [3, 4, 5])).toEqual([3, 4, 5]);
});

test('if only one has a position and the dimensions differ, the centres meet', () => {
  const { by, map } = placeLayer(placed, { ...plain, dims: [8, 8, 8, 1] });
  expect(by).toBe('center');
  expect(mapPosition(map, [5, 10, 15])).toEqual([4, 4, 4]);
  expect(mapStep(map, [1, 0, 0])).toEqual([2, 0, 0]);
});

test('if neither has a position, the spacing counts from the first voxel', () => {
  const coarse: VolumeInfo = { ...plain, dims: [5, 10, 15, 1], affine: [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0] };
  const { by, map } = placeLayer(plain, coarse);
  expect(by).toBe('world');
  expect(mapPosition(map, [4.5, 4.5, 4.5])).toEqual([2.5, 2.5, 2.5]);
});
