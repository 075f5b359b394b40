import { ChunkMap } from '../../../core/chunks/chunk-map.ts';
import type { CutChunks } from '../../../core/volume/compressed-volume.ts';
import { type Compressed, compressResident } from '../compress/compress-resident.ts';
import { saveContainer } from '../compress/save-container.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { keepAs, residencyOf, residencyState } from '../gpu/residency.ts';
import { firstPicture } from '../loading/first-picture.ts';
import { type LoadedVolume, loadAgain, loadResident, type OpenRequest } from '../loading/load-resident.ts';
import type { ResidencyState } from '../state/residency-state.ts';

/** The work that the document delegates to the GPU and to workers. Tests replace it. */
export const documentWorks = {
  loadResident,
  loadAgain,
  keepAs,
  compressResident,
  saveContainer,
  firstPicture,
  residencyOf,
  residencyState,
};
export type DocumentWorks = typeof documentWorks;

/** The open volume. It remains the same object while its GPU data is exchanged, or lost and restored. */
export interface HeldVolume {
  /** Identifies the opening (`OpenDocument.opened`). It holds nothing, so whoever remembers it does not keep the volume. */
  readonly opening: object;
  readonly request: OpenRequest;
  loaded: LoadedVolume;
  /** The last result of compressing it. */
  compressed: Compressed | undefined;
  /** How many devices were lost while a finer resolution than the first was being loaded. */
  lostWhileRefining: number;
}

/** The volume's compressed bytes, as last compressed or as read. */
export function chunksOf({ compressed, loaded }: HeldVolume): CutChunks | undefined {
  if (compressed) return compressed;
  return loaded.chunks && { chunkShape: loaded.chunkShape, chunks: loaded.chunks };
}

/** The state that panels show of a volume on the GPU. */
export function stateOnGpu(
  works: DocumentWorks,
  engine: Engine,
  held: HeldVolume,
): { readonly residency: ResidencyState; readonly chunks: ChunkMap | undefined } {
  const { kept, chunkShape } = held.loaded;
  const stored = chunksOf(held);
  return {
    residency: works.residencyState(engine, kept, stored?.chunkShape ?? chunkShape, stored?.chunks),
    chunks: stored && new ChunkMap(kept.info, stored.chunkShape, stored.chunks),
  };
}
