import { scramble } from './random.ts';
import type { SampleArray, SampleShape, SliceFiller } from './slice-filler.ts';

/** A seed point of a cell, as one slice sees it. */
interface CellSeed {
  readonly x: number;
  readonly y: number;
  /** Squared distance along z to the slice. */
  readonly squaredZ: number;
  readonly label: number;
}

/** Cells along the longest side. */
const cellsAcross = 16;
/** How far seeds are searched, in grid cells: farther ones are never nearest. */
const reach = 2;

/**
 * Touching cells of a tissue, each with one label: the Voronoi regions of jittered seed points, with 0 outside the tissue. The
 * labels of u8 are drawn from 1 to 255, those of u16 from 1 to 65,535.
 *
 * The nearest seeds are found row by row. Along a row the squared distances to the seeds are parabolas of the same shape, and
 * their lower envelope (Felzenszwalb and Huttenlocher, 2012) gives the voxels of each seed.
 */
export function createLabels({ dims, maximum, seed }: SampleShape): SliceFiller {
  const pitch = Math.max(4, Math.max(...dims) / cellsAcross);
  const cellsAlongX = Math.ceil(dims[0] / pitch);

  /** The seeds around slice z that can own a voxel of cell row `cellY`, from left to right. */
  const seedsAround = (z: number, cellY: number): CellSeed[] => {
    const cellZ = Math.floor(z / pitch);
    const seeds: CellSeed[] = [];
    for (let cz = cellZ - reach; cz <= cellZ + reach; cz++) {
      for (let cy = cellY - reach; cy <= cellY + reach; cy++) {
        for (let cx = -reach; cx < cellsAlongX + reach; cx++) seeds.push(seedOfCell(cx, cy, cz, z));
      }
    }
    return seeds.sort((a, b) => a.x - b.x);
  };

  const seedOfCell = (cx: number, cy: number, cz: number, z: number): CellSeed => {
    const key = scramble(scramble(scramble(seed ^ 0x5eed) + cx * 0x9e3779b1) + scramble(cy * 0x85ebca6b + cz * 0xc2b2ae35));
    const jitter = (salt: number) => ((scramble(key + salt) >>> 0) / 4294967296) * 0.8 + 0.1;
    const x = (cx + jitter(1)) * pitch;
    const y = (cy + jitter(2)) * pitch;
    const zOfSeed = (cz + jitter(3)) * pitch;
    const label = insideTissue(x / dims[0], y / dims[1], zOfSeed / dims[2]) ? 1 + ((scramble(key + 4) >>> 0) % maximum) : 0;
    return { x, y, squaredZ: (z - zOfSeed) ** 2, label };
  };

  return (z, slice) => {
    let seeds: CellSeed[] = [];
    let seedsCellY = -1;
    for (let y = 0; y < dims[1]; y++) {
      const cellY = Math.floor(y / pitch);
      if (cellY !== seedsCellY) seeds = seedsAround(z, cellY);
      seedsCellY = cellY;
      fillRow(slice.subarray(y * dims[0], (y + 1) * dims[0]), seeds, y);
    }
  };
}

/** A rounded body with a hollow, in the unit cube. */
function insideTissue(x: number, y: number, z: number): boolean {
  const body = ((x - 0.5) / 0.46) ** 2 + ((y - 0.5) / 0.42) ** 2 + ((z - 0.5) / 0.46) ** 2;
  const hollow = ((x - 0.62) / 0.16) ** 2 + ((y - 0.45) / 0.12) ** 2 + ((z - 0.5) / 0.3) ** 2;
  return body < 1 && hollow > 1;
}

/** @param seeds sorted by x */
function fillRow(row: SampleArray, seeds: readonly CellSeed[], y: number): void {
  // The envelope from left to right: the owner of each section, and where it starts.
  const owners: CellSeed[] = [];
  const starts: number[] = [];
  for (const seed of seeds) {
    let start = Number.NEGATIVE_INFINITY;
    while (owners.length > 0) {
      start = crossing(owners.at(-1) as CellSeed, seed, y);
      if (start > (starts.at(-1) as number)) break;
      owners.pop();
      starts.pop();
    }
    if (owners.length === 0) start = Number.NEGATIVE_INFINITY;
    owners.push(seed);
    starts.push(start);
  }
  for (const [index, owner] of owners.entries()) {
    const from = Math.max(0, Math.ceil(starts[index] as number));
    const to = Math.min(row.length, Math.ceil(starts[index + 1] ?? row.length));
    if (from < to) row.fill(owner.label, from, to);
  }
}

/** Where along the row `right` becomes nearer than `left`, whose x is not larger. */
function crossing(left: CellSeed, right: CellSeed, y: number): number {
  const leftHeight = (left.y - y) ** 2 + left.squaredZ;
  const rightHeight = (right.y - y) ** 2 + right.squaredZ;
  if (left.x === right.x) return rightHeight < leftHeight ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return (rightHeight + right.x ** 2 - leftHeight - left.x ** 2) / (2 * (right.x - left.x));
}
