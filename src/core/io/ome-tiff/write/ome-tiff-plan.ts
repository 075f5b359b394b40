import { StriaError } from '../../../shared/errors.ts';
import { elementBytes, type VolumeInfo, volumeBytes } from '../../../shared/volume.ts';

/** One resolution of the planes to write. */
export interface PlaneLevel {
  readonly width: number;
  readonly height: number;
  /** Side of a tile along x and y. TIFF 6.0: a multiple of 16. */
  readonly tile: readonly [width: number, height: number];
}

export interface OmeTiffPlan {
  readonly levels: readonly PlaneLevel[];
  readonly planeCount: number;
  /** Offsets have 64 bits. */
  readonly isBig: boolean;
}

/** Planes with a longer side than this get smaller levels, down to one whose sides are all at most half of this. */
const longestPlainSide = 2048;
const tileSide = 512;
/** Two compressed planes are held while they are written. */
const planeLimit = 512 * 2 ** 20;
/** Every directory with its tags, without lists of tiles. */
const directoryBytes = 512;
/** An offset and a length. */
const tileEntryBytes = 24;

/**
 * @param textBytes length of the description
 * @throws StriaError `unsupported` for planes that are too large
 */
export function planOmeTiff(info: VolumeInfo, textBytes: number): OmeTiffPlan {
  const [width, height, depth, times] = info.dims;
  const planeBytes = width * height * elementBytes(info.type);
  if (planeBytes > planeLimit) {
    const size = `${Math.ceil(planeBytes / 2 ** 20)} MiB`;
    throw new StriaError('unsupported', `a plane has ${size}; OME-TIFF is written of planes up to ${planeLimit / 2 ** 20} MiB`);
  }
  const levels = [levelOf(width, height)];
  for (let last = levels[0] as PlaneLevel; isLong(last, levels.length); last = levels.at(-1) as PlaneLevel) {
    levels.push(levelOf(Math.ceil(last.width / 2), Math.ceil(last.height / 2)));
  }
  const planeCount = depth * times;
  const perPlane = levels.reduce(
    (sum, level) => sum + directoryBytes + tileCount(level) * tileEntryBytes + tileBytes(level, info),
    0,
  );
  // Deflate makes noise longer, by 5 bytes for each 16 KiB and 11 bytes for each tile.
  const most = perPlane * planeCount * 1.001 + textBytes + Math.min(volumeBytes(info), 2 ** 20);
  return { levels, planeCount, isBig: most >= 2 ** 32 };
}

function isLong({ width, height }: PlaneLevel, count: number): boolean {
  const longest = Math.max(width, height);
  return count === 1 ? longest > longestPlainSide : longest > longestPlainSide / 2;
}

function levelOf(width: number, height: number): PlaneLevel {
  const side = (length: number) => Math.min(tileSide, Math.ceil(length / 16) * 16);
  return { width, height, tile: [side(width), side(height)] };
}

function tileCount({ width, height, tile }: PlaneLevel): number {
  return Math.ceil(width / tile[0]) * Math.ceil(height / tile[1]);
}

/** Bytes of all tiles of a level, including the parts beyond its edges. */
function tileBytes(level: PlaneLevel, { type }: VolumeInfo): number {
  return tileCount(level) * level.tile[0] * level.tile[1] * elementBytes(type);
}
