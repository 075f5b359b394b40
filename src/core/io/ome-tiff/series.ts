import type { JobOptions } from '../../shared/job.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import type { VolumeTag } from '../../shared/volume-facts.ts';
import type { PictureShape } from '../common/picture.ts';
import type { DirectoryChain } from './directory-chain.ts';

/** A volume whose planes lie in directories of TIFF files: an Image of OME, or a hyperstack of ImageJ. */
export interface TiffSeries {
  readonly name: string;
  /** Numbers of planes. A plane's samples are channels, too. */
  readonly sizes: PlaneSizes;
  /** What the planes are like, at each level; the largest first. */
  readonly levels: readonly PictureShape[];
  /** Planes that are nowhere: they are read as zeros. */
  readonly missing: number;
  readonly tags: readonly VolumeTag[] | undefined;
  /** Everything but the voxels. @param level as in `levels` */
  describe(level: PictureShape): VolumeInfo;
  /** Makes sure that all files are there. @throws StriaError `not-readable`, naming those that are missing; `corrupt` */
  check(job: JobOptions): Promise<void>;
  /** Where a plane lies; undefined for a missing one. @throws StriaError `corrupt`, `not-readable` */
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
