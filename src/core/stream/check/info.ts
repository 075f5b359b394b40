import { type ChunkShare, ChunkTally } from '../../chunks/chunk-tally.ts';
import { isInterleaved, withTimePoints } from '../../format/chunk-grid.ts';
import type { ContainerReader } from '../../format/container-reader.ts';
import type { LevelHeader } from '../../format/level.ts';
import { partName } from '../../format/part.ts';
import { formInSource } from '../../io/pictures/describe-pictures.ts';
import { type LeftOutLevel, leftOutLevels } from '../../left-out/left-out-levels.ts';
import { toStriaError } from '../../shared/errors.ts';
import type { HalvingMethod } from '../../shared/halving.ts';
import { type FileFormat, sourceBytes } from '../../shared/source.ts';
import type { StoredForm } from '../../shared/stored-voxels.ts';
import { type Dims3, type Dims4, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';

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
  /** The form of the voxels in the source's file, if it differs from the volume's type. */
  readonly storedAs?: StoredForm | undefined;
  /** Lower resolutions of the volume in the file, from the finest to the coarsest. */
  readonly levels: readonly LevelInfo[];
  /** The levels that the file lacks because they would take too much of it. They are finer than those that it has. */
  readonly leftOutLevels: readonly Pick<LevelInfo, 'dims' | 'factors'>[];
  /** Set if the levels are damaged. The volume is independent of them. */
  readonly levelFault?: string | undefined;
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

export interface LevelInfo {
  /** From 1. */
  readonly level: number;
  /** Of each time point, in voxels. */
  readonly dims: Dims3;
  /** How many voxels of the volume one voxel combines, along each axis. */
  readonly factors: Dims3;
  readonly method: HalvingMethod;
  readonly chunkCount: number;
  /** Size of its encoded chunks. */
  readonly payloadBytes: number;
}

async function describeLevels(
  container: ContainerReader,
): Promise<Pick<ContainerInfo, 'levels' | 'leftOutLevels' | 'levelFault'>> {
  try {
    const readers = await container.levels();
    const leftOut = leftOutLevels(container.header, readers[0]?.level);
    const sizeOf = ({ dims: [x, y, z], factors }: LeftOutLevel) => ({ dims: [x, y, z] as const, factors });
    return { levels: readers.map(describeLevel), leftOutLevels: leftOut.map(sizeOf) };
  } catch (error) {
    const fault = toStriaError(error);
    if (fault.tag !== 'corrupt') throw fault;
    return { levels: [], leftOutLevels: [], levelFault: fault.fullMessage };
  }
}

function describeLevel(reader: ContainerReader): LevelInfo {
  const { number, factors, method } = reader.level as LevelHeader;
  const [x, y, z] = reader.header.volume.dims;
  const payloadBytes = reader.uses().reduce((sum, { bytes }) => sum + bytes, 0);
  return { level: number, dims: [x, y, z], factors, method, chunkCount: reader.chunkCount, payloadBytes };
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
  const storedAs = formInSource(volume, source);
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
    ...(storedAs && { storedAs }),
    ...(await describeLevels(container)),
    writer,
    voxelBytes,
    sourceBytes: bytesOfSource,
    payloadBytes: chunks.reduce((sum, { bytes }) => sum + bytes, 0),
    fileBytes,
    ratio: bytesOfSource / fileBytes,
  };
}
