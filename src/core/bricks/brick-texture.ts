import numbersShader from '../../shaders/brick-draw/brick-numbers.wgsl';
import texelsShader from '../../shaders/brick-draw/brick-texels.wgsl';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { KernelDescriptor } from '../gpu/kernel.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3, ElementType } from '../shared/volume.ts';
import type { VolumeSource } from '../volume/volume-source.ts';
import { elementTypeNumber, voxelKey } from '../volume/voxel-key.ts';
import type { BrickTable } from './brick-table.ts';
import { brickTexelBytes, canFilterBricks, hasValueTexels } from './number-texels.ts';

/** A decoded brick in the atlas. */
export interface TexturedBrick {
  readonly slot: number;
  /** The index in the table of the first brick of its level and time point. */
  readonly start: number;
  /** The numbers of bricks of its level along x and y. */
  readonly columns: number;
  readonly rows: number;
  /** The brick's first voxel, and the shapes in voxels of its level and of that level's bricks. */
  readonly first: Dims3;
  readonly dims: Dims3;
  readonly shape: Dims3;
}

/** The layout of bricks in the buffer of the atlas. */
export interface TextureSlots {
  readonly voxels: GPUBuffer;
  /** See shaders/brick-draw/brick-ranges.wgsl. */
  readonly ranges: GPUBuffer;
  readonly type: ElementType;
  /** The shape of a slot in voxels. */
  readonly shape: Dims3;
  readonly count: number;
  /** Words from one slot to the next, of a row and of a slice. */
  readonly words: readonly [slot: number, row: number, slice: number];
}

/** In copies between buffers and textures, bytes per row must be a multiple of this. */
const pitchBytes = 256;
/** The maximum number of bricks that are staged at once, and their maximum bytes, unless a single row of bricks takes more. */
const [mostStaged, mostStagedBytes] = [96, 2 ** 26];
/** Of `Brick` in shaders/brick-draw/brick-texels.wgsl. */
const wordsPerBrick = 16;
/** Twin: shaders/brick-draw/texture-layout.wgsl. */
const brickApron = 2;
const cellVoxels = 8;

/** The shape of a slot in texels, with the apron and with rows of whole words. */
function texelsOf([x, y, z]: Dims3): Dims3 {
  return [4 * Math.ceil((x + 2 * brickApron) / 4), y + 2 * brickApron, z + 2 * brickApron];
}

/** All integer offsets from −x, −y, −z to x, y, z, except 0, 0, 0. */
function offsetsWithin([x, y, z]: Dims3): readonly Dims3[] {
  const upTo = (most: number) => Array.from({ length: 2 * most + 1 }, (_, at) => at - most);
  const all = upTo(z).flatMap((inZ) => upTo(y).flatMap((inY) => upTo(x).map((inX): Dims3 => [inX, inY, inZ])));
  return all.filter((by) => by.some((part) => part !== 0));
}

/** The numbers of columns, rows and layers for `count` slots, with few empty ones. @param longest side that a texture may have */
function layoutOf(count: number, [x, y, z]: Dims3, longest: number): Dims3 | undefined {
  const [mostColumns, mostRows] = [Math.min(count, Math.floor(longest / x)), Math.floor(longest / y)];
  if (mostColumns * mostRows === 0) return undefined;
  const layers = Math.ceil(count / (mostColumns * mostRows));
  const rows = Math.ceil(count / (mostColumns * layers));
  return layers * z <= longest ? [Math.ceil(count / (rows * layers)), rows, layers] : undefined;
}

/** The number of texels of a texture. */
function texelsIn(layout: Dims3 | undefined, texels: Dims3): number {
  return layout?.reduce((product, count, axis) => product * count * (texels[axis] as number), 1) ?? Number.POSITIVE_INFINITY;
}

/**
 * How many of `count` slots fit into a texture of `bytes` bytes.
 * @param longest side that a texture may have
 */
export function texturedSlots(count: number, shape: Dims3, texelBytes: number, bytes: number, longest: number): number {
  const texels = texelsOf(shape);
  const most = bytes / texelBytes;
  let fitting = Math.min(count, Math.floor(most / (texels[0] * texels[1] * texels[2])));
  while (fitting > 0 && texelsIn(layoutOf(fitting, texels, longest), texels) > most) fitting--;
  return fitting;
}

/** With fewer decoded bricks than this, a volume cannot be seen. */
export const fewestSlots = 16;

/**
 * The number of slots of an atlas that could have `most` slots, if the texture has room for only `textured`. Rays through a texture are
 * worth giving up at most half of the slots, but never the few that a volume needs.
 */
export function slotsBesideTexture(most: number, textured: number): number {
  return textured >= Math.max(most / 2, Math.min(most, fewestSlots)) ? textured : most;
}

/**
 * The layout of the staging buffer: bytes from row to row, bricks side by side in a row, and bricks staged at once. Texels of 4 bytes are
 * not copied from it.
 */
export function stagingOf(
  shape: Dims3,
  texelBytes: number,
): { readonly pitch: number; readonly sideBySide: number; readonly atOnce: number } {
  const [x, y, z] = texelsOf(shape);
  const rowBytes = x * texelBytes;
  const pitch = texelBytes === 4 ? rowBytes : Math.ceil(rowBytes / pitchBytes) * pitchBytes;
  const sideBySide = Math.floor(pitch / rowBytes);
  const groups = Math.max(1, Math.floor(mostStagedBytes / (y * z * pitch)));
  return { pitch, sideBySide, atOnce: Math.min(mostStaged, groups * sideBySide) };
}

/** Stands for a texture that the device cannot filter. */
function singleTexel(scope: GpuScope): GPUTexture {
  return scope.texture('filterable', 1, {
    size: [1, 1, 1],
    dimension: '3d',
    format: 'r8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING,
  });
}

const formats = { 1: 'r8unorm', 2: 'rg8unorm', 4: 'r32float' } as const;

/**
 * Copies of decoded bricks in a 3D texture that most GPUs can filter: a ray's sample then reads one texel instead of eight words. Texels
 * are the bytes of 8-bit and 16-bit voxels, and the values of others, as 32-bit floats. An apron around each brick holds the nearest voxels
 * of its neighbours, as far as samples and their gradients need them. Slots follow each other along x, then y, then z. If there is no room
 * for all slots, the texture has only one texel and is not used.
 */
export class BrickTexture {
  readonly texture: GPUTexture;
  /** The same texture, or one of a single texel if the device cannot filter it. */
  readonly filterable: GPUTexture;
  /** The least and the greatest texel of each cell of each slot: see brick-texels.wgsl and brick-numbers.wgsl in shaders/brick-draw. */
  readonly cells: GPUBuffer;
  /** Whether bricks are in the texture. */
  readonly isUsed: boolean;
  readonly bytes: number;
  /** Offsets from a brick to the bricks whose texels depend on it. */
  readonly around: readonly Dims3[];
  /** Floats outside this range are copied as missing. Bricks that were copied before a change must be copied again. */
  numbers: VolumeSource['numbers'] = [-Infinity, Infinity];
  readonly #gpu: Gpu;
  /** Kept, because the memory for a large buffer takes long to allocate and to free. Updates run one after the other. */
  readonly #staging: GPUBuffer;
  readonly #slots: TextureSlots;
  readonly #texels: Dims3;
  readonly #cellCounts: Dims3;
  readonly #across: readonly [columns: number, rows: number];
  readonly #texelBytes: 1 | 2 | 4;
  /** Whether kernels write the texture; otherwise it is copied from the staging buffer. */
  readonly #isStored: boolean;

  /** @param scope owns the texture @param mostBytes a texture that would take more is not used */
  constructor(gpu: Gpu, scope: GpuScope, slots: TextureSlots, mostBytes: number) {
    this.#gpu = gpu;
    this.#slots = slots;
    const { shape, count, type } = slots;
    const texels = texelsOf(shape);
    this.#texels = texels;
    this.#cellCounts = shape.map((length) => Math.ceil(length / cellVoxels)) as unknown as Dims3;
    const longest = gpu.device.limits.maxTextureDimension3D;
    const layout = layoutOf(count, texels, longest);
    this.#texelBytes = brickTexelBytes(type);
    this.#isStored = gpu.canStoreBytes || hasValueTexels(type);
    const bytes = this.#texelBytes * texelsIn(layout, texels);
    this.isUsed = bytes <= mostBytes;
    const canFilter = canFilterBricks(gpu, type);
    const [columns, rows, layers] = layout ?? [1, 1, 1];
    this.around = offsetsWithin(shape.map((length) => Math.ceil(brickApron / length)) as unknown as Dims3);
    this.#across = [columns, rows];
    this.bytes = this.isUsed ? bytes : this.#texelBytes;
    this.texture = scope.texture('texture', this.bytes, {
      size: this.isUsed ? [columns * texels[0], rows * texels[1], layers * texels[2]] : [1, 1, 1],
      dimension: '3d',
      format: this.isUsed || canFilter ? formats[this.#texelBytes] : 'r8unorm',
      usage:
        GPUTextureUsage.TEXTURE_BINDING |
        GPUTextureUsage.COPY_SRC |
        (this.isUsed && this.#isStored ? GPUTextureUsage.STORAGE_BINDING : GPUTextureUsage.COPY_DST),
    });
    this.filterable = canFilter || !this.isUsed ? this.texture : singleTexel(scope);
    const [x, y, z] = this.#cellCounts;
    this.cells = scope.storage('cells', this.isUsed ? (hasValueTexels(type) ? 8 : 4) * count * x * y * z : 4);
    const { pitch, sideBySide, atOnce } = stagingOf(shape, this.#texelBytes);
    const groups = Math.ceil(Math.min(count, atOnce) / sideBySide);
    this.#staging = scope.storage('staging', this.isUsed ? groups * texels[1] * texels[2] * pitch : 4);
  }

  /** Copies bricks from their slots, with the voxels of loaded neighbours. @param scope owns the buffers that the copies need */
  record(commands: Commands, scope: GpuScope, bricks: readonly TexturedBrick[], table: BrickTable): void {
    if (!this.isUsed || bricks.length === 0) return;
    const { type } = this.#slots;
    const [x, y, z] = this.#texels;
    const texelBytes = this.#texelBytes;
    const { pitch, sideBySide, atOnce } = stagingOf(this.#slots.shape, texelBytes);
    const kernel = this.#gpu.kernel(this.#kernel);
    const numbers = this.numbers.map((value) => voxelKey(type, value));
    for (let from = 0; from < bricks.length; from += atOnce) {
      const staged = bricks.slice(from, from + atOnce);
      const words = new Uint32Array(wordsPerBrick * staged.length);
      for (const [at, { slot, start, columns, rows, first, dims, shape }] of staged.entries()) {
        words.set([slot, start, columns, rows], wordsPerBrick * at);
        words.set(first, wordsPerBrick * at + 4);
        words.set(dims, wordsPerBrick * at + 8);
        words.set(shape, wordsPerBrick * at + 12);
      }
      const uniform = scope.uniform('rows', [
        ...[...this.#slots.words, staged.length],
        ...[...this.#texels, pitch / 4, ...this.#cellCounts, sideBySide, ...this.#across, ...numbers],
      ]);
      commands
        .stage('texture')
        .dispatch(
          kernel,
          [
            ...[this.#slots.voxels, table.entries(), table.constants],
            ...[scope.storage('textured', words.byteLength, words), uniform, this.#staging, this.cells, this.#slots.ranges],
            ...(this.#isStored ? [this.texture.createView()] : []),
          ],
          staged.length,
        );
      if (this.#isStored) continue;
      commands.record((encoder) => {
        for (const [at, { slot }] of staged.entries()) {
          const offset = Math.floor(at / sideBySide) * y * z * pitch + (at % sideBySide) * x * texelBytes;
          encoder.copyBufferToTexture(
            { buffer: this.#staging, offset, bytesPerRow: pitch, rowsPerImage: y },
            { texture: this.texture, origin: [...this.boxOf(slot).origin] },
            [x, y, z],
          );
        }
      });
    }
  }

  get #kernel(): KernelDescriptor {
    const { type } = this.#slots;
    const constants = { element_type: elementTypeNumber(type) };
    if (hasValueTexels(type)) return { label: 'bricks.numbers', shader: numbersShader, constants };
    const [isStored, texelBytes] = [this.#isStored, this.#texelBytes];
    const variant = { stored_bytes: isStored && texelBytes === 1, stored_pairs: isStored && texelBytes === 2 };
    return { label: 'bricks.texels', shader: texelsShader, variant, constants };
  }

  /** A slot's texels in the texture, with the apron. */
  boxOf(slot: number): { readonly origin: Dims3; readonly size: Dims3 } {
    const [columns, rows] = this.#across;
    const [x, y, z] = this.#texels;
    const origin: Dims3 = [x * (slot % columns), y * (Math.floor(slot / columns) % rows), z * Math.floor(slot / columns / rows)];
    return { origin, size: this.#texels };
  }
}
