import type { ChunkShape } from '../../../core/format/chunk-grid.ts';
import { type ElementType, type VolumeInfo, volumeBytes } from '../../../core/shared/volume.ts';
import type { VolumeLevel } from '../../../core/shared/volume-level.ts';
import type { Residency } from '../state/residency-state.ts';

/** A lower resolution of a file. */
export interface LevelOffer extends VolumeLevel {
  /** In codec elements; undefined if only voxels can be read. */
  readonly chunkShape: ChunkShape | undefined;
}

/** What to load of a file. */
export interface LoadChoice {
  /** 0 is the volume itself. */
  readonly level: number;
  readonly as: 'voxels' | 'chunks';
  /** How chunks are kept. */
  readonly residency: Residency;
}

/** What the choice depends on. */
export interface LoadFacts {
  readonly info: Pick<VolumeInfo, 'dims' | 'type'>;
  /** From the finest to the coarsest. */
  readonly levels: readonly LevelOffer[];
  /** Whether the volume's chunks can go to the GPU. */
  readonly hasChunks: boolean;
  /** An upper bound of the compressed bytes; only for a .stria. */
  readonly payloadBytes: number | undefined;
  readonly budgetBytes: number;
  /** Whether it comes over a network, and a lower resolution will do. */
  readonly isRemote: boolean;
  /** Whether its chunks are kept compressed, to be played or to save memory. */
  readonly staysCompressed: boolean;
  /** Whether voxels fit into the GPU's budget; `level` as in `LoadChoice`. */
  fits(level: number): boolean;
  /** Whether a level's chunks can go to the GPU. */
  canDecode(offer: LevelOffer): boolean;
}

/** More is not fetched from a network at once if there are levels: slices are read at full resolution where one looks. */
const mostRemoteBytes = 2 ** 28;
/** The first picture shows the finest level of at most this many bytes. */
const firstPictureBytes = 2 ** 23;
/** Less is loaded at once. */
const quickBytes = 2 ** 25;

/** The finest resolution that the GPU can hold. If there is none, the coarsest one is shown with gaps between its voxels. */
export function finestChoice(facts: LoadFacts): LoadChoice {
  const { info, levels, payloadBytes, budgetBytes, isRemote, staysCompressed, hasChunks } = facts;
  const share = (offer: VolumeLevel | undefined): number => (offer ? bytesOf(offer, info.type) / volumeBytes(info) : 1);
  const isFar = (offer: VolumeLevel | undefined): boolean =>
    isRemote && levels.length > 0 && share(offer) * (payloadBytes ?? volumeBytes(info)) > mostRemoteBytes;
  if (!isFar(undefined)) {
    const fits = facts.fits(0);
    const residency = !fits || staysCompressed ? 'compressed' : 'raw';
    const isTooLarge = residency === 'compressed' && (payloadBytes ?? 0) > budgetBytes;
    if (hasChunks && !isTooLarge) return { level: 0, as: 'chunks', residency };
    if (fits || levels.length === 0) return { level: 0, as: 'voxels', residency: 'raw' };
  }
  const found = levels.findIndex((offer, index) => facts.fits(index + 1) && !isFar(offer));
  if (found < 0) return { level: levels.length, as: 'voxels', residency: 'raw' };
  return { level: found + 1, as: facts.canDecode(levels[found] as LevelOffer) ? 'chunks' : 'voxels', residency: 'raw' };
}

/** Whether the GPU could hold a finer level than this one, but no more is fetched from a network. */
export function isHeldBack(facts: LoadFacts, level: number): boolean {
  return facts.isRemote && finestChoice({ ...facts, isRemote: false }).level < level;
}

/**
 * Whether the 3D view can draw from the file's bricks what GPU memory does not hold of it: each chunk can be decoded on its own.
 * @param chunkShape as it is stored
 */
export function hasBricks(facts: LoadFacts, chunkShape: ChunkShape | undefined): boolean {
  const { levels, hasChunks } = facts;
  if (!hasChunks || levels.length === 0 || !chunkShape || (chunkShape[3] ?? 1) > 1) return false;
  if (facts.fits(0) && finestChoice(facts).level === 0) return false;
  return levels.every((offer) => facts.canDecode(offer));
}

/** What the first picture is made of: a coarse level if the finest choice takes much longer. */
export function firstChoice(facts: LoadFacts): LoadChoice {
  const { info, levels, staysCompressed, hasChunks } = facts;
  const best = finestChoice(facts);
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
