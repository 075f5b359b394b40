import { finestTexel, type RayVolume } from '../draw/ray-stack.ts';
import type { Dims3, ElementType } from '../shared/volume.ts';
import { elementBytes } from '../shared/volume.ts';
import { floatBits, isFloatType, typeRange } from '../volume/voxel-key.ts';
import type { BrickSource } from './brick-source.ts';
import type { GpuBricks } from './gpu-bricks.ts';
import type { FeedbackPlaces, PagedLook, RayDetail } from './paged-uniform.ts';

/** `LayerBricks` of shaders/brick-draw/layer-bricks.wgsl, in words. */
const mostLevels = 32;
const headWords = 16;
const levelWords = 16;
export const layerUniformWords = headWords + mostLevels * levelWords;

/** A layer that rays draw from bricks. */
export interface BrickLayer {
  readonly bricks: GpuBricks;
  readonly look: PagedLook;
  /** The layer's own texture, which is drawn where no brick is. */
  readonly texture: Pick<GPUTexture, 'width' | 'height' | 'depthOrArrayLayers'>;
  /** As in `RayVolume`. */
  readonly toUnit: RayVolume['toUnit'];
  /** Lengths in the scene of the edges of the layer's cube, and how large its voxels may appear. */
  readonly detail: RayDetail;
}

/** Where the parts of a layer begin in the words that all layers share. */
export interface LayerPlaces {
  readonly table: number;
  readonly ranges: number;
  readonly cells: number;
  readonly constants: number;
  /** The layer's feedback, whose parts are counted from here. */
  readonly feedback: number;
}

/** The stored values at texel 0 and texel 1 of the texture of bricks. */
export function brickTexels(type: ElementType): { readonly low: number; readonly high: number } {
  const [low, high] = typeRange(type);
  if (elementBytes(type) === 1) return { low, high };
  // The value of an rg8unorm texel is red + green / 256.
  return elementBytes(type) === 2 ? { low, high: low + 0xff00 } : { low: 0, high: 1 };
}

/** Whether some levels are finer than a layer's texture. */
export function hasFinerLevels(source: BrickSource, texture: BrickLayer['texture']): boolean {
  return finerLevels(source, texture) > 0;
}

/** How many of the levels are finer than a layer's texture; the others are not drawn from bricks. */
function finerLevels({ info, levels }: BrickSource, texture: BrickLayer['texture']): number {
  const size = sizeOf(texture);
  const isFine = ({ factors }: BrickSource['levels'][number]): boolean =>
    factors.some((factor, axis) => Math.ceil((info.dims[axis] as number) / factor) > (size[axis] as number));
  return Math.min(mostLevels - 1, levels.findLastIndex(isFine) + 1);
}

function sizeOf({ width, height, depthOrArrayLayers }: BrickLayer['texture']): Dims3 {
  return [width, height, depthOrArrayLayers];
}

/** `LayerBricks` of shaders/brick-draw/layer-bricks.wgsl. @param open lengths in the scene of the edges of the open volume's cube */
export function layerUniform(
  { bricks, look, texture, toUnit, detail }: BrickLayer,
  places: LayerPlaces,
  feedback: FeedbackPlaces,
  open: Dims3,
): Uint32Array<ArrayBuffer> {
  const { source, table } = bricks;
  const { info, levels } = source;
  const dims: Dims3 = [info.dims[0], info.dims[1], info.dims[2]];
  const perVoxel = info.type === 'f64' ? 2 : 1;
  const count = finerLevels(source, texture);
  const { low, high } = brickTexels(info.type);
  const words = new Uint32Array(layerUniformWords);
  words.set([places.table, places.ranges, places.cells, places.constants, places.feedback]);
  words.set([places.feedback + feedback.used, places.feedback + feedback.asked, feedback.mostMisses], 5);
  words.set([count, kindOf(info.type), Math.min(4, elementBytes(info.type)), floatBits(detail.detail)], 8);
  words.set([low, 1 / (high - low), ...look.numbers.map(within(typeRange(info.type)))].map(floatBits), 12);
  const edgeOf = (size: Dims3) => Math.max(...detail.edges.map((length, axis) => length / (size[axis] as number)));
  for (const [at, { grid, factors }] of levels.slice(0, count).entries()) {
    const scale = dims.map((length, axis) => length / (factors[axis] as number)) as unknown as Dims3;
    const [brickX, brickY, brickZ] = grid.chunkShape;
    const start = places.table + (table.starts[at] as number) + look.timePoint * grid.chunksPerTimePoint;
    const level = headWords + at * levelWords;
    words.set([grid.dims[0] / perVoxel, grid.dims[1], grid.dims[2], start, ...grid.counts.slice(0, 3)], level);
    words.set([floatBits(edgeOf(scale)), brickX / perVoxel, brickY, brickZ], level + 7);
    words.set([...scale, finestTexel(toUnit, scale, open)].map(floatBits), level + 12);
  }
  words[headWords + count * levelWords + 7] = floatBits(edgeOf(sizeOf(texture)));
  return words;
}

function kindOf(type: ElementType): number {
  if (isFloatType(type)) return 2;
  return typeRange(type)[0] < 0 ? 1 : 0;
}

function within([low, high]: readonly [number, number]): (value: number) => number {
  return (value) => Math.min(high, Math.max(low, value));
}
