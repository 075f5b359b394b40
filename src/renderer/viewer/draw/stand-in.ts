import { layerTextures } from '../../../core/bricks/brick-layers.ts';
import { type StackVariant, stackVariant } from '../../../core/draw/ray-stack.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { colormap } from '../colors/colormaps.ts';
import type { ShownLabels } from '../model/label-look.ts';
import { baseOpacity, volumeIdOf } from '../model/layers.ts';
import type { LayerIn3d, ShownMesh } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { drawsFromBricks } from './brick-layers-drawing.ts';
import type { BrickSpace } from './brick-space.ts';

/**
 * What a frame draws of its layers: all as they are, all from their textures, or none of them and no meshes. Without them the volume is
 * opaque, since a kernel for a single one draws only that.
 */
export type Shown = 'all' | 'textures' | 'none';

/** See `RayMarch`. */
interface Beside {
  readonly meshes?: readonly ShownMesh[] | undefined;
  readonly labels?: ShownLabels | undefined;
  readonly layerBricks?: ReadonlyMap<string, BrickSpace> | undefined;
}

/** What rays meet. */
interface RayContent<March extends Beside = Beside> {
  readonly state: ViewState;
  readonly layers: readonly LayerIn3d[];
  readonly march: March;
}

/** What frames draw while the kernel for everything is being compiled, the best first. */
export const standIns: readonly { readonly shown: Shown; readonly isBaseOfBricks: boolean }[] = [
  { shown: 'textures', isBaseOfBricks: true },
  { shown: 'all', isBaseOfBricks: false },
  { shown: 'textures', isBaseOfBricks: false },
  { shown: 'none', isBaseOfBricks: true },
  { shown: 'none', isBaseOfBricks: false },
];

export function contentOf<March extends Beside>(
  shown: Shown,
  state: ViewState,
  layers: readonly LayerIn3d[],
  march: March,
): RayContent<March> {
  if (shown === 'all') return { state, layers, march };
  if (shown === 'textures') return { state, layers, march: { ...march, layerBricks: undefined } };
  const opaque = { ...state, layers: { ...state.layers, base: { ...state.layers.base, opacity: 1 } } };
  return { state: opaque, layers: [], march: { ...march, layerBricks: undefined, meshes: undefined, labels: undefined } };
}

/** The bricks that a layer is drawn from; undefined if it is drawn from its texture. */
export function layerSpace(layer: LayerIn3d, layerBricks: Beside['layerBricks']): BrickSpace | undefined {
  const space = layerBricks?.get(volumeIdOf(layer.look));
  return space && drawsFromBricks(layer, space) ? space : undefined;
}

/** Whether rays meet the open volume. They need at least one volume, so it shows nothing instead if there is no other. */
export function hasBase(state: ViewState, layers: readonly LayerIn3d[]): boolean {
  return baseOpacity(state.layers) > 0 || layers.length === 0;
}

/** The variant of shaders/draw/ray-stack.wgsl that draws several volumes. */
export function variantOf(
  gpu: Pick<Gpu, 'device'>,
  { state, layers, march: { layerBricks, meshes } }: RayContent,
  isBaseOfBricks: boolean,
): StackVariant {
  const bases = isBaseOfBricks || hasBase(state, layers) ? [state] : [];
  const spaces = [...bases.map(() => undefined), ...layers.map((layer) => layerSpace(layer, layerBricks))];
  const hasBricks = spaces.some((space) => space !== undefined);
  const bricks = spaces.map((space) => space?.bricks);
  return stackVariant(spaces.length, {
    hasMeshes: meshes !== undefined && meshes.length > 0,
    isPaged: isBaseOfBricks,
    layerBricks: hasBricks ? layerTextures(gpu, bricks) : undefined,
    areLabels: [...bases, ...layers.map(({ look }) => look)].map((look) => colormap(look.colormap).isCategorical),
  });
}
