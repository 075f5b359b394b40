import type { GpuMesh } from '../../../core/draw/gpu-mesh.ts';
import { scaled, sum } from '../../../core/shared/vectors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { chained, inverted, type Transform } from '../../../core/transforms/transform.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { baseId, baseOpacity, isLayerShown, type LayerLook, type LayerStack, volumeIdOf } from './layers.ts';
import { hasOrientation, safeSpacing } from './orientation.ts';
import { type Voxel, voxelAt } from './slice-geometry.ts';
import type { ShownLayer, ShownMesh } from './view-host.ts';
import {
  chainedMap,
  identityMap,
  mapOfTransform,
  mapPosition,
  mapStep,
  positionsToWorld,
  unitRatio,
  type VoxelMap,
  worldToVoxels,
  worldVoxelMap,
} from './voxel-map.ts';

/**
 * How a layer is placed over the open volume:
 * - `world`: by the world coordinates of both.
 * - `voxels`: voxel by voxel, since at least one has no position of its own and both have the same dimensions.
 * - `center`: centre on centre, since only one has a position of its own.
 */
export type PlacedBy = 'world' | 'voxels' | 'center';

export interface LayerPlace {
  readonly by: PlacedBy;
  /** Maps voxels of the open volume to voxels of the layer. */
  readonly map: VoxelMap;
}

/** Places a layer over the open volume. @param motion moves the layer from where its file places it; see `LayerLook` */
export function placeLayer(base: VolumeInfo, layer: VolumeInfo, motion?: Transform): LayerPlace {
  const { by, map } = placeByFiles(base, layer);
  if (!motion) return { by, map };
  // The moved layer shows at a place what it showed before at the place that the inverse motion gives.
  const toWorld = positionsToWorld(base);
  const back = chained(toWorld, inverted(motion), inverted(toWorld));
  return { by, map: chainedMap(mapOfTransform(back), map) };
}

function placeByFiles(base: VolumeInfo, layer: VolumeInfo): LayerPlace {
  const [isBasePlaced, isLayerPlaced] = [isPlaced(base), isPlaced(layer)];
  if (isBasePlaced && isLayerPlaced) return { by: 'world', map: worldVoxelMap(base, layer) };
  if (base.dims.slice(0, 3).join() === layer.dims.slice(0, 3).join()) return { by: 'voxels', map: identityMap };
  if (isBasePlaced || isLayerPlaced) return { by: 'center', map: byCenter(base, layer) };
  return { by: 'world', map: worldVoxelMap(base, layer) };
}

/**
 * The shown layers, the lowest first. Layers without voxels are left out.
 * @param volumeOf the volume with an id (`volumeIdOf`); `baseId` is the open one
 */
export function shownLayers(
  base: VolumeInfo,
  stack: LayerStack,
  volumeOf: (id: string) => VolumeSource | undefined,
): readonly ShownLayer[] {
  const shown = stack.layers.flatMap((look): readonly ShownLayer[] => {
    const volume = volumeOf(volumeIdOf(look));
    return volume && isLayerShown(stack, look) ? [{ look, volume, map: placeOf(base, look, volume.info) }] : [];
  });
  const [lowest, ...others] = shown;
  // Channels add light to darkness, so the lowest one covers the background, as the open volume does.
  if (lowest?.look.of !== baseId || baseOpacity(stack) > 0) return shown;
  return [{ ...lowest, look: { ...lowest.look, blending: 'over' } }, ...others];
}

/** Maps voxels of the open volume to the voxels that a layer shows. */
export function placeOf(base: VolumeInfo, { of, motion }: LayerLook, layer: VolumeInfo): VoxelMap {
  return of === baseId ? identityMap : placeLayer(base, layer, motion).map;
}

/** The shown meshes. */
export function shownMeshes(
  base: VolumeInfo,
  stack: LayerStack,
  meshOf: (id: string) => GpuMesh | undefined,
): readonly ShownMesh[] {
  const shown = stack.meshes.filter((look) => isLayerShown(stack, look));
  if (shown.length === 0) return [];
  const map = worldToVoxels(base);
  return shown.flatMap((look) => {
    const mesh = meshOf(look.id);
    return mesh ? [{ look, mesh, map: look.motion ? chained(look.motion, map) : map }] : [];
  });
}

/** The stack over a volume with another spatial unit. @param units the number of its units in one unit of the stack's volume */
export function inUnits(stack: LayerStack, units: number): LayerStack {
  if (units === 1) return stack;
  const [there, back] = [scaling(units), scaling(1 / units)];
  return {
    ...stack,
    layers: stack.layers.map((look) => (look.motion ? { ...look, motion: chained(back, look.motion, there) } : look)),
    meshes: stack.meshes.map((look) => ({ ...look, motion: look.motion ? chained(look.motion, there) : there })),
  };
}

function scaling(by: number): Transform {
  return [by, 0, 0, 0, 0, by, 0, 0, 0, 0, by, 0];
}

/** The layer's voxel at a position of the open volume; undefined outside the layer. */
export function layerVoxelAt(map: VoxelMap, position: Voxel, { dims: [x, y, z] }: VolumeInfo): Voxel | undefined {
  return voxelAt(mapPosition(map, position), [x, y, z]);
}

/** Whether the file gives the volume's position, not only its voxel size. */
function isPlaced(info: VolumeInfo): boolean {
  return hasOrientation({ ...info, world: undefined });
}

/** Places the layer's centre at the open volume's, with parallel axes. */
function byCenter(base: VolumeInfo, layer: VolumeInfo): VoxelMap {
  const units = unitRatio(base, layer);
  const [spacing, layerSpacing] = [safeSpacing(base), safeSpacing(layer)];
  const ratio = (axis: 0 | 1 | 2): number => (units * spacing[axis]) / layerSpacing[axis];
  const middle = (info: VolumeInfo): Voxel => [info.dims[0] / 2, info.dims[1] / 2, info.dims[2] / 2];
  const columns = [
    [ratio(0), 0, 0],
    [0, ratio(1), 0],
    [0, 0, ratio(2)],
  ] as const;
  return { columns, shift: sum(middle(layer), scaled(mapStep({ columns }, middle(base)), -1)) };
}
