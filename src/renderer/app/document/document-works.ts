import { ChunkMap } from '../../../core/chunks/chunk-map.ts';
import type { ChunkOutline } from '../../../core/format/chunk.ts';
import type { CutChunks } from '../../../core/volume/compressed/compressed-volume.ts';
import { type Compressed, compressResident, prepareCompress, trimSpare } from '../compress/compress-resident.ts';
import { saveContainer } from '../compress/save-container.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { asFile, keepAs, residencyOf, residencyState } from '../gpu/residency.ts';
import { firstPicture } from '../loading/first-picture.ts';
import { type LoadedVolume, loadAgain, loadResident, type OpenRequest } from '../loading/load-resident.ts';
import type { ResidencyState } from '../state/residency-state.ts';

/** The work that the document delegates to the GPU and to workers. Tests replace it. */
export const documentWorks = {
  loadResident,
  loadAgain,
  keepAs,
  compressResident,
  prepareCompress,
  trimSpare,
  saveContainer,
  firstPicture,
  residencyOf,
  residencyState,
  asFile,
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

/** The volume's chunks and their shape. */
interface Outlines extends Pick<CutChunks, 'chunkShape'> {
  readonly chunks: readonly ChunkOutline[];
}

/** How the volume's chunks are encoded, as last compressed or as read. Undefined if it is not compressed. */
export function outlinesOf({ compressed, loaded }: Pick<HeldVolume, 'compressed' | 'loaded'>): Outlines | undefined {
  if (compressed) return { chunkShape: compressed.chunkShape, chunks: compressed.payloads.outlines };
  return loaded.chunks && { chunkShape: loaded.chunkShape, chunks: loaded.chunks };
}

/**
 * The volume's compressed bytes, as last compressed or as read, once they are in host memory. Undefined if it is not compressed.
 * @throws StriaError if they were lost before, see `Payloads.inHost`
 */
export function chunksOf({ compressed, loaded }: HeldVolume): Promise<CutChunks> | undefined {
  if (compressed) return compressed.payloads.inHost().then((chunks) => ({ chunkShape: compressed.chunkShape, chunks }));
  return loaded.chunks && Promise.resolve({ chunkShape: loaded.chunkShape, chunks: loaded.chunks });
}

export function chunkMapOf({ loaded }: HeldVolume, outlines: Outlines | undefined): ChunkMap | undefined {
  return outlines && new ChunkMap(loaded.kept.info, outlines.chunkShape, outlines.chunks);
}

/** The state that panels show of a volume on the GPU. */
export function stateOnGpu(
  works: DocumentWorks,
  engine: Engine,
  held: HeldVolume,
): { readonly residency: ResidencyState; readonly chunks: ChunkMap | undefined } {
  const { kept, chunkShape } = held.loaded;
  const stored = outlinesOf(held);
  return {
    residency: works.residencyState(engine, kept, stored?.chunkShape ?? chunkShape, stored?.chunks),
    chunks: chunkMapOf(held, stored),
  };
}
