import type { NumberedBox } from '../chunks/backend.ts';
import type { GpuVoxels } from '../codec/codec.ts';
import type { Commands } from '../gpu/commands.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3, Dims4, VolumeInfo, VoxelArray } from '../shared/volume.ts';
import type { DisplayTexture } from './display-texture.ts';
import type { PlanePart } from './plane-chunks.ts';
import type { PlaneReader } from './plane-reader.ts';
import type { VolumeStatistics } from './statistics.ts';

/** 0 is x, 1 is y, 2 is z. */
export type AxisIndex = 0 | 1 | 2;

/** A box of voxels in GPU memory that slices are drawn from. */
export interface SliceBox {
  readonly voxels: GpuVoxels;
  /** `Box` of shaders/draw/slice.wgsl, a uniform buffer: where the box lies in the volume. */
  readonly place: GPUBuffer;
}

/**
 * A volume that the viewer can draw, however it is kept in GPU memory: as voxels (`ResidentVolume`) or compressed
 * (`CompressedVolume`). Positions are voxels of the whole volume, `info.dims`.
 */
export interface VolumeSource {
  readonly info: VolumeInfo;
  /** Only every n-th voxel along x, y and z is kept. 1: all are there. */
  readonly decimation: number;
  /** Voxels that are kept. */
  readonly dims: Dims4;
  /** Stored values that are none of these are no data: see `VolumeStatistics.numbers`. Known once `statistics` has resolved. */
  readonly numbers: readonly [lowest: number, highest: number];
  /** Of all voxels of all time points; computed once. @throws StriaError `device-lost` */
  statistics(): Promise<VolumeStatistics>;
  /** The exact stored value. @throws StriaError `invalid-input` outside the volume, `device-lost` */
  voxel(x: number, y: number, z: number, t: number): Promise<number>;
  /**
   * Reads a box of voxels back, exactly as they are stored, in pieces that hold it together and may reach beyond it.
   * @throws StriaError `invalid-input` for a box that reaches out of the volume, `unsupported` when `decimation` is over 1,
   *   `aborted` when the volume is destroyed meanwhile, `device-lost`; and what `visit` throws
   */
  readBox(box: RegionBox, visit: (piece: VoxelPiece) => void): Promise<void>;
  /** Fills the display texture with a time point. The same texture each time until `releaseDisplay`. */
  displayTexture(timePoint: number): Promise<DisplayTexture>;
  /** Frees the display texture where it can be made again from less. */
  releaseDisplay(): void;
  /**
   * The boxes that a slice crosses. Records into `commands` what makes them hold it; draws from them follow in the same
   * commands, and before the next call for the same axis.
   */
  recordSlice(commands: Commands, axis: AxisIndex, index: number, timePoint: number): readonly SliceBox[];
  /** Whether all voxels of a time point are there at once: a plane at any angle then costs no more than a slice. */
  readonly holdsTimePoints: boolean;
  /**
   * Records into `commands` what is drawn of a plane at any angle, part by part: `draw` is called with the boxes of each part once
   * what makes them hold it is recorded, and records their drawing before the next part takes their memory. Of a time
   * point's voxels they hold at least those that the plane reads.
   */
  recordPlane(commands: Commands, plane: PlanePart, timePoint: number, draw: (boxes: readonly SliceBox[]) => void): void;
  /** Records the filling of the display texture with a time point, where there is such a texture. */
  recordDisplay(commands: Commands, timePoint: number): void;
  /**
   * Makes all tables that `recordSlice` and `recordDisplay` will need for the frames along an axis (3 is time), so that
   * they upload nothing then. Other axes are made ready where slices across them have been asked for already.
   * @param position the voxel that all views show otherwise, and the time point
   */
  prepareFrames(axis: AxisIndex | 3, position: Dims4): void;
  /**
   * Brings all voxels into GPU memory, box by box; a box holds them until `visit` has ended. The chunks are those that the
   * backend encodes. Nothing comes when `decimation` is over 1.
   */
  forEachBox(visit: (box: NumberedBox) => Promise<void>): Promise<void>;
  /** Reads planes in their order, in GPU memory: what is compressed is decoded run by run. The caller destroys it. */
  planeReader(): PlaneReader;
  destroy(): void;
}

/** A volume's voxels as they are stored, wherever they are read from. */
export type ExactVoxels = Pick<VolumeSource, 'info' | 'readBox'>;

/** A box of voxels of a time point. */
export interface RegionBox {
  readonly first: Dims3;
  readonly size: Dims3;
  readonly timePoint: number;
}

/** Voxels on the CPU: those of a box, row by row. */
export interface VoxelPiece {
  readonly first: Dims3;
  readonly size: Dims3;
  readonly values: VoxelArray;
  /** Values from one row to the next: rows may be padded. */
  readonly rowLength: number;
}

/** `VolumeSource.numbers`: all values, where none is a mark for 'no data' or that is not known yet. */
export function numbersOf(statistics: VolumeStatistics | undefined): VolumeSource['numbers'] {
  return statistics && statistics.missing > 0 ? statistics.numbers : [-Infinity, Infinity];
}

/** The first voxel of a box, and its voxels, along x, y and z. */
export interface BoxExtent {
  readonly first: Dims3;
  readonly size: Dims3;
  /** Planes from one time point to the next; 0: the box holds one time point, whichever. */
  readonly planesPerTimePoint: number;
  readonly rowWords: number;
}

/** Makes `Box` of shaders/draw/slice.wgsl. */
export function placeUniform(scope: GpuScope, { first, size, planesPerTimePoint, rowWords }: BoxExtent): GPUBuffer {
  return scope.uniform('place', [...first, rowWords, ...size, planesPerTimePoint]);
}

/** @throws StriaError `invalid-input` for a voxel outside the volume */
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
