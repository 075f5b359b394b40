import { type ChunkShare, ChunkTally } from '../chunks/chunk-tally.ts';
import type { ContainerReader } from '../format/container-reader.ts';
import type { FileFormat } from '../shared/source.ts';
import { type Dims4, type VolumeInfo, volumeBytes } from '../shared/volume.ts';

/** What a container says of itself, as plain data. */
export interface ContainerInfo {
  readonly volume: VolumeInfo;
  /** In codec elements (an f64 voxel is two along x). */
  readonly chunkShape: Dims4;
  readonly chunkCount: number;
  /** Chunks that were lost before, when the file was recovered from a damaged one. */
  readonly lostCount: number;
  readonly chunks: readonly ChunkShare[];
  readonly sourceFormat: FileFormat;
  /** Names of the files that it came from. */
  readonly sourceFiles: readonly string[];
  readonly endian: 'little' | 'big';
  /** The program that wrote it. */
  readonly writer: string;
  readonly voxelBytes: number;
  /** The source uncompressed: its voxels, its headers, and whatever else it holds. */
  readonly sourceBytes: number;
  /** All encoded chunks, without what the container adds. */
  readonly payloadBytes: number;
  /** The file, and `sourceBytes` by it. */
  readonly fileBytes: number;
  readonly ratio: number;
}

/**
 * Reads nothing but header, index and the source's description.
 * @param fileBytes size of the container's file
 * @throws StriaError `corrupt`, `not-readable`
 */
export async function describeContainer(container: ContainerReader, fileBytes: number): Promise<ContainerInfo> {
  const { volume, chunkShape, sourceFormat, writer } = container.header;
  const tally = new ChunkTally();
  for (const { how, count, bytes } of container.uses()) tally.add(how, bytes, count);
  const source = await container.sourceDescription();
  const chunks = tally.shares();
  const voxelBytes = volumeBytes(volume);
  const sourceBytes = source.parts.reduce((sum, { before, after }) => sum + before.byteLength + after.byteLength, voxelBytes);
  return {
    volume,
    chunkShape,
    chunkCount: container.chunkCount,
    lostCount: container.lostCount,
    chunks,
    sourceFormat,
    sourceFiles: source.parts.map(({ name }) => name),
    endian: source.endian,
    writer,
    voxelBytes,
    sourceBytes,
    payloadBytes: chunks.reduce((sum, { bytes }) => sum + bytes, 0),
    fileBytes,
    ratio: sourceBytes / fileBytes,
  };
}
