import type { VoxelBox } from '../chunks/backend.ts';
import type { GpuVoxels } from '../codec/codec.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { UploadMemory } from '../gpu/upload-memory.ts';
import type { BoxPiece } from './box-pieces.ts';
import { hasPaddedRows, rowKernel } from './gpu-rows.ts';
import { type BoxUpload, boxUpload } from './gpu-transfer.ts';
import { guardedAtOnce } from './guarded.ts';

type Fill = (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;

/** A box that comes to GPU memory in pieces, with its bytes as they are in a file. */
export class GpuReceiver {
  readonly scope: GpuScope;
  readonly voxels: GpuVoxels;
  /** When pieces were handed over to the GPU, by `performance.now()`, and their bytes. */
  readonly uploads: (readonly [startMs: number, endMs: number, bytes: number])[] = [];
  readonly #gpu: Gpu;
  readonly #upload: BoxUpload;

  private constructor(gpu: Gpu, scope: GpuScope, upload: BoxUpload) {
    this.#gpu = gpu;
    this.scope = scope;
    this.voxels = upload.voxels;
    this.#upload = upload;
  }

  /** @throws StriaError `out-of-memory`, `limit-too-small`, `device-lost` */
  static async open(gpu: Gpu, box: Omit<VoxelBox, 'bytes'>): Promise<GpuReceiver> {
    const scope = gpu.scope('upload');
    try {
      if (hasPaddedRows(box)) await gpu.prepareKernels([rowKernel]);
      const upload = await guardedAtOnce(gpu, async () => boxUpload(gpu, scope, box));
      return new GpuReceiver(gpu, scope, upload);
    } catch (error) {
      scope.destroy();
      throw error;
    }
  }

  /**
   * Fills the box with what `fill` writes to the pieces, which it is given in order. Each starts its buffer, and reading it back would
   * be slow. @throws StriaError `out-of-memory`, `device-lost`; otherwise as `fill`
   */
  async fill(pieces: readonly BoxPiece[], fill: Fill): Promise<void> {
    const borrowFor = (piece: BoxPiece | undefined) => {
      const memory = piece && borrow(this.#gpu, piece.length);
      // Whoever awaits it gets the error.
      memory?.catch(() => {});
      return memory;
    };
    let next = borrowFor(pieces[0]);
    try {
      for (const [index, { at, length }] of pieces.entries()) {
        const memory = (await next) as UploadMemory;
        // The memory of the next piece is ready when this one is filled.
        next = borrowFor(pieces[index + 1]);
        await fillOne(memory, fill);
        const start = performance.now();
        memory.copyTo(this.#upload.target, at);
        this.uploads.push([start, performance.now(), length]);
      }
      // Padding rows makes buffers, too.
      if (hasPaddedRows(this.voxels)) await guardedAtOnce(this.#gpu, async () => this.#upload.finish());
    } catch (error) {
      (await next?.catch(() => undefined))?.release();
      throw error;
    }
  }
}

async function fillOne(memory: UploadMemory, fill: Fill): Promise<void> {
  try {
    await fill(memory.bytes);
  } catch (error) {
    memory.release();
    throw await memory.causeOf(error);
  }
}

/** Memory that the CPU fills and the GPU copies from. @throws StriaError `out-of-memory`, `device-lost` */
export async function borrow(gpu: Gpu, byteLength: number): Promise<UploadMemory> {
  // Then nothing can fail, and nothing need be awaited.
  if (gpu.spare.holdsMapped(byteLength)) return UploadMemory.take(gpu, byteLength);
  let memory: UploadMemory | undefined;
  try {
    // `take` makes the buffer and asks to map it before it awaits anything.
    return await guardedAtOnce(gpu, async () => {
      memory = await UploadMemory.take(gpu, byteLength);
      return memory;
    });
  } catch (error) {
    memory?.release();
    throw error;
  }
}
