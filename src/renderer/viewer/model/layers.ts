import { mostRayVolumes, mostRayVolumesWithMeshes } from '../../../core/draw/most-volumes.ts';
import type { Blending } from '../../../core/draw/slice-pass.ts';
import { channelAt, channelLayout, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { Transform } from '../../../core/transforms/transform.ts';
import { firstLabelLook, type LabelLook } from './label-look.ts';

/** The look of a layer over the open volume. Its voxels are kept outside the state, under its id. */
export interface LayerLook {
  readonly id: string;
  /** The owner of the voxels that it shows, if they are not its own: `baseId` for a channel of the open volume, or a layer's id. */
  readonly of?: string | undefined;
  readonly name: string;
  readonly isVisible: boolean;
  /** 0…1. */
  readonly opacity: number;
  readonly blending: Blending;
  readonly colormap: string;
  readonly inverted: boolean;
  /** Stored values, ordered like `ViewState.window`. */
  readonly window: readonly [low: number, high: number];
  /** Values below the window are not drawn. */
  readonly hidesBelow: boolean;
  /** Whether to interpolate between voxels. Labels are never interpolated. */
  readonly smooth: boolean;
  /** Whether only the edges of labels are drawn. */
  readonly outline: boolean;
  /** The look of its labels, if it has labels. */
  readonly labels: LabelLook;
  /** The index of the shown channel, if there are several. */
  readonly channel: number;
  /**
   * Moves it from where its file places it, in world coordinates and units of the open volume. Undefined if it was not moved.
   */
  readonly motion?: Transform | undefined;
}

/** The look of a mesh layer. Its triangles are kept outside the state, under its id. */
export interface MeshLook {
  readonly id: string;
  readonly name: string;
  readonly isVisible: boolean;
  /** 0…1, in the 3D view. Its outline in slices is opaque. */
  readonly opacity: number;
  /** `#rrggbb`. */
  readonly color: string;
  /** The id of the volume whose surface it is (`volumeIdOf`), if that can be moved. It moves with the volume's layers. */
  readonly of?: string | undefined;
  /** Moves its triangles: a copy of `LayerLook.motion` of the layer whose surface it is. It stays when the layer is removed. */
  readonly motion?: Transform | undefined;
}

/** The open volume, which is the lowest layer, and the layers over it. */
export interface LayerStack {
  readonly base: { readonly isVisible: boolean; readonly opacity: number; readonly labels: LabelLook };
  /** The id of the only layer that is drawn, or `baseId`. Undefined if all visible ones are. */
  readonly solo: string | undefined;
  /** The lowest first. */
  readonly layers: readonly LayerLook[];
  /** The surfaces. They lie among the volumes, so their order matters only where their outlines cross in slices. */
  readonly meshes: readonly MeshLook[];
}

/** Stands for the open volume where a layer's id is expected. */
export const baseId = 'base';

export const noLayers: LayerStack = {
  base: { isVisible: true, opacity: 1, labels: firstLabelLook },
  solo: undefined,
  layers: [],
  meshes: [],
};

/** The id under which the voxels of a layer are kept. Several layers may show channels of the same volume. */
export function volumeIdOf({ id, of }: Pick<LayerLook, 'id' | 'of'>): string {
  return of ?? id;
}

/** Whether layers show channels of the open volume. */
export function hasChannelGroup({ layers }: LayerStack): boolean {
  return layers.some(({ of }) => of === baseId);
}

/** Whether there are layers or meshes besides the open volume and its channels. */
export function hasOwnLayers({ layers, meshes }: LayerStack): boolean {
  return meshes.length > 0 || layers.some(({ of }) => of !== baseId);
}

/** More layers would make frames slow and the list long. */
export const mostLayers = 32;
export const mostMeshes = 256;

/** The opacity of the open volume as it is drawn; 0 if it is hidden. */
export function baseOpacity({ base, solo }: LayerStack): number {
  const isShown = solo === undefined ? base.isVisible : solo === baseId;
  return isShown ? base.opacity : 0;
}

/** Whether a layer is drawn. */
export function isLayerShown(
  { solo }: LayerStack,
  { id, isVisible, opacity }: Pick<LayerLook, 'id' | 'isVisible' | 'opacity'>,
): boolean {
  return opacity > 0 && (solo === undefined ? isVisible : solo === id);
}

/** The layers that show channels of the open volume and are drawn. */
export function shownChannels(stack: LayerStack): readonly LayerLook[] {
  return stack.layers.filter((look) => look.of === baseId && isLayerShown(stack, look));
}

/** The maximum number of volumes that the 3D view draws at once. */
export function mostVolumesIn3d(stack: LayerStack): number {
  return stack.meshes.some((look) => isLayerShown(stack, look)) ? mostRayVolumesWithMeshes : mostRayVolumes;
}

/** The shown layers that the 3D view draws: the top ones, as many as rays can cross. @param shown layers, the lowest first */
export function layersIn3d<Shown>(stack: LayerStack, shown: readonly Shown[]): readonly Shown[] {
  return shown.slice(-(mostVolumesIn3d(stack) - (baseOpacity(stack) > 0 ? 1 : 0)));
}

/** The index along t that a layer shows while the open volume shows `timePoint`. A shorter series stays at its last time point. */
export function layerTime(base: VolumeInfo, timePoint: number, layer: VolumeInfo, channel: number): number {
  const { channelCount, timePoints } = channelLayout(layer);
  const { time } = channelAt(base, timePoint);
  return Math.min(channel, channelCount - 1) * timePoints + Math.min(time, timePoints - 1);
}

/** The stack with a layer moved to another place, 0 being the lowest. */
export function movedLayer(stack: LayerStack, id: string, to: number): LayerStack {
  const mesh = stack.meshes.find((each) => each.id === id);
  if (mesh) {
    const meshes = stack.meshes.filter((each) => each !== mesh);
    return { ...stack, meshes: meshes.toSpliced(Math.min(meshes.length, Math.max(0, to)), 0, mesh) };
  }
  const moved = stack.layers.find((layer) => layer.id === id);
  if (!moved) return stack;
  const others = stack.layers.filter((layer) => layer !== moved);
  const place = Math.min(others.length, Math.max(0, to));
  return { ...stack, layers: others.toSpliced(place, 0, moved) };
}

/** The stack without a layer. */
export function withoutLayer(stack: LayerStack, id: string): LayerStack {
  const layers = stack.layers.filter((layer) => layer.id !== id);
  const meshes = stack.meshes.filter((mesh) => mesh.id !== id);
  return { ...stack, layers, meshes, solo: stack.solo === id ? undefined : stack.solo };
}

/** The stack with a layer changed. Layers that show channels of the same volume move together, and so do their surfaces. */
export function changedLayer(stack: LayerStack, id: string, change: Partial<Omit<LayerLook, 'id'>>): LayerStack {
  const changed = stack.layers.find((layer) => layer.id === id);
  const { motion } = change;
  const moving = 'motion' in change && changed ? volumeIdOf(changed) : undefined;
  const isMoved = (layer: LayerLook) => moving !== undefined && volumeIdOf(layer) === moving;
  const layers = stack.layers.map((layer) =>
    layer.id === id ? { ...layer, ...change } : isMoved(layer) ? { ...layer, motion } : layer,
  );
  if (moving === undefined || !stack.meshes.some(({ of }) => of === moving)) return { ...stack, layers };
  return { ...stack, layers, meshes: stack.meshes.map((mesh) => (mesh.of === moving ? { ...mesh, motion } : mesh)) };
}

/**
 * The stack `other` of another open volume, with the layers of this stack that are not channels of its open volume, and its meshes.
 * Channels belong to their volume, so the other volume keeps its own.
 */
export function withLayersOf({ base, solo, layers, meshes }: LayerStack, other: LayerStack): LayerStack {
  const isGroup = hasChannelGroup(other);
  const channels = other.layers.filter(({ of }) => of === baseId);
  const shared = layers.filter(({ of }) => of !== baseId);
  const isShared = solo === baseId || [...shared, ...meshes].some(({ id }) => id === solo);
  return {
    base: isGroup ? other.base : { ...other.base, isVisible: base.isVisible, opacity: base.opacity },
    // Any other solo layer of the other stack was adopted from this one before, so it ends now.
    solo: isShared ? solo : channels.find(({ id }) => id === other.solo)?.id,
    layers: [...channels, ...shared],
    meshes,
  };
}

/** The place of a layer in its list, counted from the lowest, which is the list of volumes or that of meshes. */
export function placeOf(
  { layers, meshes }: LayerStack,
  id: string | undefined,
): { readonly place: number; readonly count: number } | undefined {
  const list = meshes.some((mesh) => mesh.id === id) ? meshes : layers;
  const place = list.findIndex((each) => each.id === id);
  return place < 0 ? undefined : { place, count: list.length };
}

/** Shows or hides a layer of any kind. */
export function shownOrHidden(stack: LayerStack, id: string): LayerStack {
  const turned = <Look extends { readonly id: string; readonly isVisible: boolean }>(look: Look): Look =>
    look.id === id ? { ...look, isVisible: !look.isVisible } : look;
  if (id === baseId) return { ...stack, base: { ...stack.base, isVisible: !stack.base.isVisible } };
  return { ...stack, layers: stack.layers.map(turned), meshes: stack.meshes.map(turned) };
}

export function changedMesh(stack: LayerStack, id: string, change: Partial<Omit<MeshLook, 'id'>>): LayerStack {
  return { ...stack, meshes: stack.meshes.map((mesh) => (mesh.id === id ? { ...mesh, ...change } : mesh)) };
}
