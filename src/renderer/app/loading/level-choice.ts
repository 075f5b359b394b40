import type { ChunkShape } from '../../../core/format/chunk-grid.ts';
import { type ElementType, type VolumeInfo, volumeBytes } from '../../../core/shared/volume.ts';
import type { VolumeLevel } from '../../../core/shared/volume-level.ts';
import type { Residency } from '../state/residency-state.ts';

/** A lower resolution of a file. */
export interface LevelOffer extends VolumeLevel {
  /** In codec elements; undefined if only voxels can be read. */
  readonly chunkShape: ChunkShape | undefined;
}

/** The part of a file to load, and how. */
export interface LoadChoice {
  /** 0 is the volume itself. */
  readonly level: number;
  /** 'preview': the voxels of the file's preview, in place of the volume's. */
  readonly as: 'voxels' | 'chunks' | 'preview';
  /** How chunks are kept in GPU memory. */
  readonly residency: Residency;
}

/** What the choice depends on. */
export interface LoadFacts {
  readonly info: Pick<VolumeInfo, 'dims' | 'type'>;
  /** From the finest to the coarsest. */
  readonly levels: readonly LevelOffer[];
  /** Whether the volume's chunks can go to the GPU. */
  readonly hasChunks: boolean;
  /** Whether bricks of voxels can be read without reading too much of the file. A .stria has bricks of chunks instead. */
  readonly hasVoxelBricks: boolean;
  /** An upper bound of the compressed bytes; only for a .stria. */
  readonly payloadBytes: number | undefined;
  /** Whether the file has no levels, but a preview. */
  readonly hasPreview: boolean;
  readonly budgetBytes: number;
  /** No finer level is chosen, because the device had no memory for it; `level` as in `LoadChoice`. */
  readonly fromLevel: number;
  /** Whether the file comes over a network and a lower resolution suffices. */
  readonly isRemote: boolean;
  /** Whether chunks are kept compressed, for playback or to save memory. */
  readonly staysCompressed: boolean;
  /** Whether the voxels of a level fit into the GPU's budget; `level` as in `LoadChoice`. */
  fits(level: number): boolean;
  /** Whether a level's chunks can go to the GPU. */
  canDecode(offer: LevelOffer): boolean;
}

/** The maximum fetched from a network when opening a file with levels. Visible slices are read at full resolution later. */
const mostRemoteBytes = 2 ** 28;
/** The first picture shows the finest level of at most this many bytes. */
const firstPictureBytes = 2 ** 23;
/** Smaller files without levels are fetched whole from a network, without a preview. */
const quickRemoteBytes = 2 ** 22;
/** Smaller volumes are loaded at once, without a coarser first picture. */
const quickBytes = 2 ** 25;

/** The finest resolution that the GPU can hold. If there is none, the coarsest level; the GPU then holds only some of its voxels. */
export function finestChoice(facts: LoadFacts): LoadChoice {
  const { info, levels, payloadBytes, budgetBytes, isRemote, staysCompressed, hasChunks } = facts;
  const share = (offer: VolumeLevel | undefined): number => (offer ? bytesOf(offer, info.type) / volumeBytes(info) : 1);
  const isFar = (offer: VolumeLevel | undefined): boolean =>
    isRemote && levels.length > 0 && share(offer) * (payloadBytes ?? volumeBytes(info)) > mostRemoteBytes;
  if (facts.fromLevel === 0 && !isFar(undefined)) {
    const fits = facts.fits(0);
    const residency = !fits || staysCompressed ? 'compressed' : 'raw';
    const isTooLarge = residency === 'compressed' && (payloadBytes ?? 0) > budgetBytes;
    if (hasChunks && !isTooLarge) return { level: 0, as: 'chunks', residency };
    if (fits || levels.length === 0) return { level: 0, as: 'voxels', residency: 'raw' };
  }
  const found = levels.findIndex((offer, index) => index + 1 >= facts.fromLevel && facts.fits(index + 1) && !isFar(offer));
  if (found < 0) return { level: levels.length, as: 'voxels', residency: 'raw' };
  return { level: found + 1, as: facts.canDecode(levels[found] as LevelOffer) ? 'chunks' : 'voxels', residency: 'raw' };
}

/** Whether the GPU could hold a finer level than this one, which is too much to fetch from a network. */
export function isHeldBack(facts: LoadFacts, level: number): boolean {
  return facts.isRemote && finestChoice({ ...facts, isRemote: false }).level < level;
}

/**
 * Whether the 3D view can draw voxels that GPU memory lacks from the file's bricks: chunks, each of which can be decoded on its own, or
 * boxes of voxels. @param chunkShape the stored shape of chunks, in codec elements
 */
export function hasBricks(facts: LoadFacts, chunkShape: ChunkShape | undefined): boolean {
  const { levels, hasChunks } = facts;
  if (facts.fits(0) && finestChoice(facts).level === 0) return false;
  if (!chunkShape) return facts.hasVoxelBricks;
  return hasChunks && levels.length > 0 && (chunkShape[3] ?? 1) === 1 && levels.every((offer) => facts.canDecode(offer));
}

/** What to load for the first picture: a coarse level if the finest choice takes much longer. */
export function firstChoice(facts: LoadFacts): LoadChoice {
  const { info, levels, staysCompressed, hasChunks } = facts;
  const best = finestChoice(facts);
  const isSlow = facts.isRemote && (facts.payloadBytes ?? 0) > quickRemoteBytes;
  if (facts.hasPreview && facts.fromLevel === 0 && isSlow && !staysCompressed)
    return { level: 0, as: 'preview', residency: 'raw' };
  const bytesAt = (level: number): number => bytesOf(levels[level - 1] ?? info, info.type);
  if ((staysCompressed && hasChunks) || bytesAt(best.level) < quickBytes) return best;
  const small = levels.findIndex((_, index) => bytesAt(index + 1) <= firstPictureBytes);
  const level = small < 0 ? levels.length : small + 1;
  if (level <= best.level || !facts.fits(level)) return best;
  return { level, as: facts.canDecode(levels[level - 1] as LevelOffer) ? 'chunks' : 'voxels', residency: 'raw' };
}

function bytesOf({ dims }: Pick<VolumeLevel, 'dims'>, type: ElementType): number {
  return volumeBytes({ dims, type });
}
