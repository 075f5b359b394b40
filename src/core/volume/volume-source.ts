import type { NumberedBox } from '../chunks/backend.ts';
import type { GpuVoxels } from '../codec/codec.ts';
import type { Commands } from '../gpu/commands.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3, Dims4, VolumeInfo, VoxelArray } from '../shared/volume.ts';
import type { LeveledVoxels } from '../shared/volume-level.ts';
import type { DisplayTexture } from './display-texture.ts';
import type { PlanePart } from './plane-chunks.ts';
import type { PlaneReader } from './plane-reader.ts';
import type { VolumeStatistics } from './statistics.ts';

/** 0 is x, 1 is y, 2 is z. */
export type AxisIndex = 0 | 1 | 2;

/** A box of voxels in GPU memory from which slices are drawn. */
export interface SliceBox {
  readonly voxels: GpuVoxels;
  /** `Box` of shaders/draw/box.wgsl, a uniform buffer: where the box lies in the volume. */
  readonly place: GPUBuffer;
}

/**
 * A volume that the viewer can draw, whether its voxels are in GPU memory (`ResidentVolume`) or compressed there
 * (`CompressedVolume`). Positions are voxels of the whole volume, `info.dims`.
 */
export interface VolumeSource {
  readonly info: VolumeInfo;
  /** How many voxels of the volume one kept voxel stands for, along x, y and z. */
  readonly factors: Dims3;
  /** The largest of the factors: 1 if all voxels are kept. */
  readonly decimation: number;
  /** The dimensions of the kept voxels. */
  readonly dims: Dims4;
  /** Stored values outside this range are missing data: see `VolumeStatistics.numbers`. Known once `statistics` has resolved. */
  readonly numbers: readonly [lowest: number, highest: number];
  /** Statistics of all voxels of all time points, computed once. @throws StriaError `device-lost` */
  statistics(): Promise<VolumeStatistics>;
  /** Reads voxels from the file if not all of them are kept. Undefined if that is not possible. */
  readonly file?: LeveledVoxels | undefined;
  /**
   * The exact stored value, read from `file` if not all voxels are kept. Without a file, the value of the kept voxel that stands for it.
   * @throws StriaError `invalid-input` outside the volume, `device-lost`, errors of the file
   */
  voxel(x: number, y: number, z: number, t: number): Promise<number>;
  /**
   * Reads the exact stored voxels of a box, in pieces that cover it and may extend beyond it.
   * @throws StriaError `invalid-input` for a box outside the volume, `unsupported` if `decimation` is over 1, `aborted` if the
   * volume is destroyed meanwhile, `device-lost`; errors of `visit`
   */
  readBox(box: RegionBox, visit: (piece: VoxelPiece) => void): Promise<void>;
  /** Fills the display texture with a time point. It is the same texture until `releaseDisplay`. */
  displayTexture(timePoint: number): Promise<DisplayTexture>;
  /** Frees the display texture if it can be recreated from smaller data. */
  releaseDisplay(): void;
  /**
   * Whether drawing decodes voxels into scratch memory. If so, a recorded slice or plane must be drawn before the next one is
   * recorded.
   */
  readonly isCompressed: boolean;
  /**
   * The boxes that a slice crosses. Records the commands that fill them in `commands`. Draw from them in the same commands, before
   * the next call for the same axis.
   */
  recordSlice(commands: Commands, axis: AxisIndex, index: number, timePoint: number): readonly SliceBox[];
  /**
   * Whether a plane of any orientation may cross several boxes of a time point. A shader that draws from one box at a time cannot
   * interpolate across the seam between two.
   */
  readonly isSplit: boolean;
  /** Whether all voxels of a time point are available at once, so that a plane of any orientation costs no more than a slice. */
  readonly holdsTimePoints: boolean;
  /**
   * Records in `commands` the drawing of a plane of any orientation, part by part. `draw` is called with the boxes of each part
   * after their filling is recorded, and must record their drawing before the next part reuses their memory. The boxes hold at
   * least the voxels that the plane reads.
   */
  recordPlane(commands: Commands, plane: PlanePart, timePoint: number, draw: (boxes: readonly SliceBox[]) => void): void;
  /** Another display texture, so that several time points can be drawn at once. The caller destroys it before the volume. */
  newDisplay(label: string): VolumeDisplay;
  /** Records filling the display texture, if there is one, with a time point. */
  recordDisplay(commands: Commands, timePoint: number): void;
  /**
   * Creates all tables that `recordSlice` and `recordDisplay` need for the frames along an axis (3 is time), so that they upload
   * nothing later. Other axes are prepared if slices across them were already requested.
   * @param position the voxel and the time point that all views show, except along `axis`
   */
  prepareFrames(axis: AxisIndex | 3, position: Dims4): void;
  /**
   * Brings all voxels into GPU memory, box by box; a box holds them until `visit` has ended. The chunks are those that the
   * backend encodes. Visits nothing if `decimation` is over 1.
   */
  forEachBox(visit: (box: NumberedBox) => Promise<void>): Promise<void>;
  /** Reads planes in order, in GPU memory; compressed volumes are decoded run by run. The caller destroys the reader. */
  planeReader(): PlaneReader;
  destroy(): void;
}

/** An additional display texture of a volume. */
export interface VolumeDisplay {
  /** Fills the texture, always the same one, with a time point. @throws StriaError `out-of-memory`, `aborted`, `device-lost` */
  show(timePoint: number): Promise<DisplayTexture>;
  /** Records filling the texture, if there is one. */
  record(commands: Commands, timePoint: number): void;
  destroy(): void;
}

/** A volume's stored voxels, wherever they are read from. With `isCompressed` false, each plane of a box is a read of its own. */
export type ExactVoxels = Pick<VolumeSource, 'info' | 'readBox'> &
  Partial<Pick<VolumeSource, 'isCompressed'>> & {
    /** Reads all voxels of all time points as `readBox` does, in an order in which nothing is decoded twice. */
    readAll?(visit: (piece: VoxelPiece, timePoint: number) => void): Promise<void>;
  };

/** A box of voxels of a time point. */
export interface RegionBox {
  readonly first: Dims3;
  readonly size: Dims3;
  readonly timePoint: number;
}

/** The voxels of a box on the CPU, row by row. */
export interface VoxelPiece {
  readonly first: Dims3;
  readonly size: Dims3;
  readonly values: VoxelArray;
  /** The number of values from the start of one row to the next; rows may be padded. */
  readonly rowLength: number;
}

/** `VolumeSource.numbers`: the range of all values if none is a marker for missing data, or if statistics are not known yet. */
export function numbersOf(statistics: VolumeStatistics | undefined): VolumeSource['numbers'] {
  return statistics && statistics.missing > 0 ? statistics.numbers : [-Infinity, Infinity];
}

/** The first voxel of a box, and its size in voxels, along x, y and z. */
export interface BoxExtent {
  readonly first: Dims3;
  readonly size: Dims3;
  /** Planes from one time point to the next; 0 if the box holds a single time point. */
  readonly planesPerTimePoint: number;
  readonly rowWords: number;
}

/** Creates `Box` of shaders/draw/box.wgsl. `scope` owns the buffer. */
export function placeUniform(scope: GpuScope, { first, size, planesPerTimePoint, rowWords }: BoxExtent): GPUBuffer {
  return scope.uniform('place', [...first, rowWords, ...size, planesPerTimePoint]);
}

/** Checks a voxel's position. @throws StriaError `invalid-input` if it lies outside the volume */
export function assertVoxel({ dims }: Pick<VolumeInfo, 'dims'>, voxel: Dims4): void {
  if (voxel.every((at, axis) => Number.isInteger(at) && at >= 0 && at < (dims[axis] as number))) return;
  throw new StriaError('invalid-input', `voxel ${voxel.join(', ')} is outside ${dims.join('×')}`);
}

/** @throws StriaError `invalid-input`, `unsupported` (see `VolumeSource.readBox`) */
export function assertReadable(
  { info, decimation }: Pick<VolumeSource, 'info' | 'decimation'>,
  { first, size, timePoint }: RegionBox,
): void {
  const last = (axis: AxisIndex): number => first[axis] + size[axis] - 1;
  if (size.some((length) => length < 1)) throw new StriaError('invalid-input', `a box of ${size.join('×')} voxels`);
  assertVoxel(info, [...first, timePoint]);
  assertVoxel(info, [last(0), last(1), last(2), timePoint]);
  if (decimation === 1) return;
  throw new StriaError('unsupported', `only one voxel in ${decimation} along each axis is in GPU memory`);
}
