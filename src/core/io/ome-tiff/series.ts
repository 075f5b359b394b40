import type { JobOptions } from '../../shared/job.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import type { VolumeTag } from '../../shared/volume-facts.ts';
import type { PictureShape } from '../common/picture.ts';
import type { DirectoryChain } from './directory-chain.ts';

/** A volume whose planes are in directories of TIFF files: an OME Image, or an ImageJ hyperstack. */
export interface TiffSeries {
  readonly name: string;
  /** Numbers of planes. A plane's samples are channels, too. */
  readonly sizes: PlaneSizes;
  /** The format of the planes at each level, largest first. */
  readonly levels: readonly PictureShape[];
  /** Missing planes, which are read as zeros. */
  readonly missing: number;
  readonly tags: readonly VolumeTag[] | undefined;
  /** Everything but the voxels. @param level as in `levels` */
  describe(level: PictureShape): VolumeInfo;
  /** Checks that all files exist. @throws StriaError `not-readable`, naming those that are missing; `corrupt` */
  check(job: JobOptions): Promise<void>;
  /** The location of a plane; undefined for a missing one. @throws StriaError `corrupt`, `not-readable` */
  place(plane: Readonly<Record<PlaneAxis, number>>, job: JobOptions): Promise<DirectoryPlace | undefined>;
}

export type PlaneAxis = 'Z' | 'C' | 'T';
export type PlaneSizes = Readonly<Record<PlaneAxis, number>>;

export interface DirectoryPlace {
  readonly chain: DirectoryChain;
  /** Number of the directory. */
  readonly directory: number;
  /** Bytes to add to the offsets of its pixels. */
  readonly shift: number;
}
