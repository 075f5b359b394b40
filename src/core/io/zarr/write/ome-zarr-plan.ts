import { nextLevel } from '../../../levels/level-geometry.ts';
import { StriaError } from '../../../shared/errors.ts';
import { channelLayout, type Dims3, elementBytes, type VolumeInfo } from '../../../shared/volume.ts';

/** One resolution of a written image, and the chunking of its array. */
export interface LevelPlan {
  readonly path: string;
  /** Lengths along x, y and z. */
  readonly dims: Dims3;
  /** How many voxels of the first level one voxel of this level combines, along each axis. */
  readonly factors: Dims3;
  /** Shape of inner chunks along x, y, z and t. A chunk has several time points only if it has all planes. */
  readonly chunk: readonly [x: number, y: number, z: number, t: number];
  /** Time points per shard. A shard covers everything along x and y, and one chunk along z. */
  readonly shardTimes: number;
}

export interface ImagePlan {
  readonly channelCount: number;
  readonly timePoints: number;
  readonly hasChannelAxis: boolean;
  readonly hasTimeAxis: boolean;
  readonly hasZAxis: boolean;
  readonly levels: readonly LevelPlan[];
}

/** The limit for planes of the first level that are in memory at a time. Each further level holds half as much. */
const slabBytes = 128 * 2 ** 20;
/** Volumes with larger planes are not written. */
const planeLimit = 512 * 2 ** 20;
/** Small time points share a shard, up to this size. */
const seriesShardBytes = 32 * 2 ** 20;
/** Tiny time points share a chunk, up to this size. */
const seriesChunkBytes = 64 * 1024;
const deepest = 64;

/**
 * Plans the levels, chunks and shards of a volume. Chunks have 64×64×64 voxels if 64 planes fit into `slabBytes`. Otherwise they are
 * flatter and wider, down to 512×512 voxels of a single plane.
 * @throws StriaError `unsupported` for planes that are too large
 */
export function planImage(info: VolumeInfo): ImagePlan {
  const { channelCount, timePoints } = channelLayout(info);
  const width = elementBytes(info.type);
  const [nx, ny, nz] = info.dims;
  if (nx * ny * width > planeLimit) {
    const size = `${Math.ceil((nx * ny * width) / 2 ** 20)} MiB`;
    throw new StriaError('unsupported', `a plane has ${size}; the limit for OME-Zarr is ${planeLimit / 2 ** 20} MiB`);
  }
  const levels: LevelPlan[] = [];
  let dims: Dims3 = [nx, ny, nz];
  let factors: Dims3 = [1, 1, 1];
  for (;;) {
    const next = nextLevel(dims, factors, info.spacing);
    levels.push(planLevel(levels.length, dims, factors, width, timePoints, next?.steps[2] === 2));
    if (!next) break;
    ({ dims, factors } = next);
  }
  return {
    channelCount,
    timePoints,
    hasChannelAxis: info.channels !== undefined,
    hasTimeAxis: timePoints > 1,
    hasZAxis: nz > 1,
    levels,
  };
}

function planLevel(
  number: number,
  dims: Dims3,
  factors: Dims3,
  width: number,
  timePoints: number,
  isZHalved: boolean,
): LevelPlan {
  const [nx, ny, nz] = dims;
  const planeBytes = nx * ny * width;
  const fitting = Math.max(1, Math.floor(slabBytes / 2 ** number / planeBytes));
  // Planes that are combined in the next level must be in memory together.
  const depth = Math.min(nz, Math.max(isZHalved ? 2 : 1, Math.min(deepest, 2 ** Math.floor(Math.log2(fitting)))));
  const side = depth >= 32 ? 64 : depth >= 8 ? 128 : depth >= 2 ? 256 : 512;
  const frameBytes = planeBytes * nz;
  const isWholeFrame = nz <= depth;
  const together = (bytes: number) => (isWholeFrame ? Math.min(timePoints, Math.max(1, Math.floor(bytes / frameBytes))) : 1);
  const chunkTimes = together(seriesChunkBytes);
  const shardTimes = Math.ceil(together(seriesShardBytes) / chunkTimes) * chunkTimes;
  return {
    path: String(number),
    dims,
    factors,
    chunk: [Math.min(side, nx), Math.min(side, ny), depth, chunkTimes],
    shardTimes,
  };
}
