import type { Gpu } from '../gpu/gpu.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3, Dims4, VolumeInfo } from '../shared/volume.ts';
import type { ResidentBox } from './backend.ts';
import type { VolumeStatistics } from './statistics.ts';

export interface ResidentOptions {
  /** Chunk shape in codec elements (an f64 voxel is two along x). */
  readonly chunkShape: Dims3;
  /** GPU memory that the boxes may take, in bytes. Default: the smaller of 2 GiB and four of the device's largest buffers. */
  readonly budgetBytes?: number | undefined;
}

/** A box of the resident volume, with the numbers of its chunks (in `ChunkGrid`'s order) beside their places. */
export interface NumberedBox extends ResidentBox {
  /** As long as `chunks`. */
  readonly chunkNumbers: readonly number[];
}

/** One time point as a 3D texture for the ray marcher. The texture stays the same object over all time points. */
export interface DisplayTexture {
  readonly texture: GPUTexture;
  readonly dims: Dims3;
  /** A texel of 0 is this stored value, and a texel of 1 is `high`. */
  readonly low: number;
  readonly high: number;
}

/**
 * A volume in GPU memory, uncompressed: the source of the 3D view, of slices and of in-place compression.
 * Fill it with `append`; free it with `destroy`.
 */
export class ResidentVolume {
  readonly info: VolumeInfo;
  /** Only every n-th voxel along x, y and z is kept, because the whole is over the budget. 1: all are there. */
  readonly decimation: number;
  /** Voxels that are kept: `info.dims` divided by `decimation`, rounded up; time points are all kept. */
  readonly dims: Dims4;
  /** What the GPU backend encodes in place. Empty when `decimation` is over 1: then compress by streaming from the file. */
  readonly boxes: readonly NumberedBox[];

  private constructor(info: VolumeInfo) {
    this.info = info;
    this.decimation = 1;
    this.dims = info.dims;
    this.boxes = [];
  }

  /** Allocates, zeroed. @throws StriaError `limit-too-small`, `out-of-memory`, `device-lost` */
  static async create(_gpu: Gpu, info: VolumeInfo, _options: ResidentOptions): Promise<ResidentVolume> {
    return new ResidentVolume(info);
  }

  /**
   * The next bytes of the voxel stream (little-endian, x fastest, then y, z, t, no padding), in pieces of any size.
   * `bytes` may be reused afterwards. @throws StriaError `internal` when there are more than the volume has
   */
  append(_bytes: Uint8Array): void {
    throw new StriaError('internal', 'not built yet');
  }

  /** All bytes have come. */
  get isComplete(): boolean {
    return false;
  }

  /** Minimum, maximum and histogram over all time points, computed on the GPU once and remembered. */
  async statistics(): Promise<VolumeStatistics> {
    throw new StriaError('internal', 'not built yet');
  }

  /** The exact stored value at a voxel of the *whole* volume; when decimated, that of the nearest kept voxel before it. */
  async voxel(_x: number, _y: number, _z: number, _t: number): Promise<number> {
    throw new StriaError('internal', 'not built yet');
  }

  /** Fills the display texture with a time point. The same texture each time; its content follows the queue's order. */
  async displayTexture(_timePoint: number): Promise<DisplayTexture> {
    throw new StriaError('internal', 'not built yet');
  }

  /** Frees all GPU memory. */
  destroy(): void {}
}
