import { canHaveBricks } from '../../../core/bricks/voxel-bricks.ts';
import { chunkShapeOf } from '../../../core/chunks/chunk-shape.ts';
import { type ChunkShape, codecElementBytes, codecElementDims } from '../../../core/format/chunk-grid.ts';
import { type VolumeInfo, volumeBytes } from '../../../core/shared/volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import type { LoadingEngine } from '../gpu/residency.ts';
import {
  finestChoice,
  firstChoice,
  hasBricks,
  isHeldBack,
  type LevelOffer,
  type LoadChoice,
  type LoadFacts,
} from './level-choice.ts';
import type { LoadMessage } from './load-protocol.ts';

/** The facts about a file that the load worker reports before it reads voxels. */
export type FileInfo = LoadMessage & { readonly kind: 'info' };

/** Which part of a file to load, and how. */
export interface LoadPlan {
  readonly file: FileInfo;
  /** The chunk shape in GPU memory: that of the file's chunks if the GPU can hold them. */
  readonly chunkShape: ChunkShape;
  readonly choice: LoadChoice;
  /** The level or preview to load; undefined for the volume itself. */
  readonly level: LevelOffer | undefined;
  /** Bytes of the voxels to load. */
  readonly voxelBytes: number;
  /** The level to try if the device has too little memory; undefined if there is none. */
  readonly nextLevel: number | undefined;
  /** Whether a finer resolution can be loaded afterwards. */
  readonly hasFiner: boolean;
  /** Whether a finer level would fit, but is too much to fetch from a network. */
  readonly isHeldBack: boolean;
  /** Whether the file is drawn from bricks where the GPU lacks voxels. */
  readonly hasBricks: boolean;
}

/** What a plan depends on besides the file. */
export interface LoadWishes {
  /** 'first': what can be shown soonest. */
  readonly step: 'first' | 'finest';
  /** Whether the file comes over a network and a lower resolution suffices. */
  readonly isRemote: boolean;
  /** Whether chunks stay compressed even if the voxels would fit. */
  readonly staysCompressed: boolean;
  /** As in `LoadFacts`. */
  readonly fromLevel: number;
}

/** Whether the file's chunks can go to the GPU as they are. */
export function areChunksUsable({ info, chunkShape }: FileInfo): boolean {
  return chunkShape !== undefined && fitsGpu(info, chunkShape);
}

export function planLoad(
  { gpu, budgetBytes }: Pick<LoadingEngine, 'gpu' | 'budgetBytes'>,
  file: FileInfo,
  wishes: LoadWishes,
): LoadPlan {
  const { info, levels, payloadBytes, arePictures } = file;
  const hasChunks = areChunksUsable(file);
  const chunkShape = hasChunks && file.chunkShape ? file.chunkShape : chunkShapeOf(info, arePictures);
  // Levels that only skip voxels of the file are used only if its voxels do not fit.
  const isOffered = file.areLevelsStored || !ResidentVolume.fits(gpu, info, { chunkShape, budgetBytes });
  const facts: LoadFacts = {
    info,
    levels: isOffered ? levels : [],
    hasChunks,
    hasVoxelBricks: hasVoxelBricks(file, wishes.isRemote),
    payloadBytes,
    hasPreview: file.preview !== undefined,
    budgetBytes,
    fromLevel: wishes.fromLevel,
    isRemote: wishes.isRemote,
    staysCompressed: wishes.staysCompressed,
    fits: (level) => {
      const offer = levels[level - 1];
      const dims = offer?.dims ?? info.dims;
      return ResidentVolume.fits(gpu, { dims, type: info.type }, { chunkShape: offer?.chunkShape ?? chunkShape, budgetBytes });
    },
    canDecode: (offer) => offer.chunkShape !== undefined && fitsGpu({ ...info, dims: offer.dims }, offer.chunkShape),
  };
  const finest = finestChoice(facts);
  const choice = wishes.step === 'first' ? firstChoice(facts) : finest;
  const level = choice.as === 'preview' ? file.preview : levels[choice.level - 1];
  return {
    file,
    chunkShape,
    choice,
    level,
    voxelBytes: volumeBytes({ dims: level?.dims ?? info.dims, type: info.type }),
    nextLevel: choice.level < facts.levels.length ? choice.level + 1 : undefined,
    hasFiner: choice.as === 'preview' || choice.level > finest.level,
    isHeldBack: isHeldBack(facts, finest.level),
    hasBricks: hasBricks(facts, file.chunkShape),
  };
}

/** Levels that are made, or skip voxels, read the whole file, or places all over it, so that their bricks are read from a disk only. */
function hasVoxelBricks({ info, boxLevels = [], areLevelsStored, making }: FileInfo, isRemote: boolean): boolean {
  return ((areLevelsStored && !making) || !isRemote) && boxLevels.slice(1).some((level) => canHaveBricks(info, level));
}

/** Whether the GPU can hold chunks of this shape: each must start at a whole 4-byte word of its row. */
function fitsGpu(info: VolumeInfo, [width]: ChunkShape): boolean {
  return width >= codecElementDims(info)[0] || (width * codecElementBytes(info.type)) % 4 === 0;
}
