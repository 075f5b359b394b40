import { type ChunkShare, ChunkTally } from '../chunks/chunk-tally.ts';
import { isInterleaved, withTimePoints } from '../format/chunk-grid.ts';
import type { ContainerReader } from '../format/container-reader.ts';
import { partName } from '../format/part.ts';
import { type FileFormat, sourceBytes } from '../shared/source.ts';
import { type Dims4, type VolumeInfo, volumeBytes } from '../shared/volume.ts';

/** A container's description of itself, as plain data. */
export interface ContainerInfo {
  readonly volume: VolumeInfo;
  /** In codec elements (an f64 voxel is two along x). */
  readonly chunkShape: Dims4;
  /** Whether chunks interleave the planes of their time points. */
  readonly isInterleaved: boolean;
  /** Of a part, only its own. */
  readonly chunkCount: number;
  /** Chunks that were already lost in the damaged file from which this one was recovered. */
  readonly lostCount: number;
  /** `part 3 of 7` of the volume, if the file holds only that. */
  readonly part?: string | undefined;
  readonly chunks: readonly ChunkShare[];
  readonly sourceFormat: FileFormat;
  /** Names of the source's files. */
  readonly sourceFiles: readonly string[];
  readonly endian: 'little' | 'big';
  /** The program that wrote it. */
  readonly writer: string;
  readonly voxelBytes: number;
  /** Size of the uncompressed source: its voxels, headers and everything else it holds. */
  readonly sourceBytes: number;
  /** Size of all encoded chunks, without the container's overhead. */
  readonly payloadBytes: number;
  /** Size of the file, and `sourceBytes` divided by it. */
  readonly fileBytes: number;
  readonly ratio: number;
}

/**
 * Reads only the header, the index and the source's description.
 * @param fileBytes size of the container's file
 * @throws StriaError `corrupt`, `not-readable`
 */
export async function describeContainer(container: ContainerReader, fileBytes: number): Promise<ContainerInfo> {
  const { volume, chunkShape, sourceFormat, writer, part } = container.header;
  const tally = new ChunkTally();
  const elsewhere = container.chunkCount - container.ownCount;
  for (const { how, count, bytes } of container.uses()) {
    const own = how === 'lost' ? count - elsewhere : count;
    if (own > 0) tally.add(how, bytes, own);
  }
  const source = await container.sourceDescription();
  const chunks = tally.shares();
  const voxelBytes = volumeBytes(volume);
  const bytesOfSource = sourceBytes(volume, source);
  return {
    volume,
    chunkShape: withTimePoints(chunkShape),
    isInterleaved: isInterleaved(chunkShape),
    chunkCount: container.ownCount,
    lostCount: container.lostCount,
    ...(part && { part: partName(part, volume.type) }),
    chunks,
    sourceFormat,
    sourceFiles: source.parts.map(({ name }) => name),
    endian: source.endian,
    writer,
    voxelBytes,
    sourceBytes: bytesOfSource,
    payloadBytes: chunks.reduce((sum, { bytes }) => sum + bytes, 0),
    fileBytes,
    ratio: bytesOfSource / fileBytes,
  };
}
