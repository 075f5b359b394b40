import rowsShader from '../../shaders/brick-draw/texture-rows.wgsl';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { type Dims3, type ElementType, elementBytes } from '../shared/volume.ts';
import { elementTypeNumber } from '../volume/voxel-key.ts';

/** A decoded brick in the atlas. */
export interface TexturedBrick {
  readonly slot: number;
  /** Voxels along x, y, z. */
  readonly shape: Dims3;
}

/** Where bricks lie in the buffer of the atlas. */
export interface TextureSlots {
  readonly voxels: GPUBuffer;
  readonly type: ElementType;
  /** Voxels of a slot. */
  readonly shape: Dims3;
  readonly count: number;
  /** Words from one slot to the next, of a row and of a slice. */
  readonly words: readonly [slot: number, row: number, slice: number];
}

/** Rows of copies between buffers and textures are multiples of this. */
const pitchBytes = 256;

/**
 * Decoded bricks of 8-bit voxels once more, as a 3D texture that the GPU can filter: one texel instead of eight words for each sample
 * of a ray. Slots follow each other along x, then y, then z. Other types, and slots for which there is no room, have a texture of one
 * texel, and no brick is written into it.
 */
export class BrickTexture {
  readonly texture: GPUTexture;
  /** Whether bricks are in the texture. */
  readonly isUsed: boolean;
  readonly bytes: number;
  readonly #gpu: Gpu;
  readonly #slots: TextureSlots;
  readonly #across: readonly [columns: number, rows: number];

  /** @param scope owns the texture @param mostBytes if it would take more, it is not used */
  constructor(gpu: Gpu, scope: GpuScope, slots: TextureSlots, mostBytes: number) {
    this.#gpu = gpu;
    this.#slots = slots;
    const { shape, count, type } = slots;
    const longest = gpu.device.limits.maxTextureDimension3D;
    const columns = Math.min(count, Math.floor(longest / shape[0]));
    const layers = Math.ceil(count / Math.max(1, columns * Math.floor(longest / shape[1])));
    // Of as many layers, the fewest rows, so that few places stay empty.
    const rows = Math.ceil(count / Math.max(1, columns * layers));
    const bytes = columns * shape[0] * rows * shape[1] * layers * shape[2];
    this.isUsed = elementBytes(type) === 1 && columns * rows > 0 && layers * shape[2] <= longest && bytes <= mostBytes;
    this.#across = [columns, rows];
    this.bytes = this.isUsed ? bytes : 1;
    this.texture = scope.texture('texture', this.bytes, {
      size: this.isUsed ? [columns * shape[0], rows * shape[1], layers * shape[2]] : [1, 1, 1],
      dimension: '3d',
      format: 'r8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
  }

  /** Copies bricks from their slots. @param table as shaders/brick-draw/brick-ranges.wgsl takes it @param scope owns what that needs */
  record(commands: Commands, scope: GpuScope, bricks: readonly TexturedBrick[], table: GPUBuffer): void {
    if (!this.isUsed || bricks.length === 0) return;
    const { voxels, type, shape, words } = this.#slots;
    const rowBytes = 4 * words[1];
    const pitch = Math.ceil(rowBytes / pitchBytes) * pitchBytes;
    const sideBySide = Math.floor(pitch / rowBytes);
    const brickRows = shape[1] * shape[2];
    const staging = scope.storage('texture-rows', Math.ceil(bricks.length / sideBySide) * brickRows * pitch);
    const kernel = this.#gpu.kernel({
      label: 'bricks.texture-rows',
      shader: rowsShader,
      constants: { element_type: elementTypeNumber(type) },
    });
    const uniform = scope.uniform('rows', [...words, pitch / 4, sideBySide, brickRows, bricks.length]);
    commands.stage('texture').dispatch(kernel, [voxels, table, uniform, staging], [Math.ceil(words[0] / 256), bricks.length, 1]);
    commands.record((encoder) => {
      for (const [at, brick] of bricks.entries()) {
        const offset = Math.floor(at / sideBySide) * brickRows * pitch + (at % sideBySide) * rowBytes;
        encoder.copyBufferToTexture(
          { buffer: staging, offset, bytesPerRow: pitch, rowsPerImage: shape[1] },
          { texture: this.texture, origin: [...this.#originOf(brick.slot)] },
          [...brick.shape],
        );
      }
    });
  }

  #originOf(slot: number): Dims3 {
    const [columns, rows] = this.#across;
    const [x, y, z] = this.#slots.shape;
    return [x * (slot % columns), y * (Math.floor(slot / columns) % rows), z * Math.floor(slot / columns / rows)];
  }
}
