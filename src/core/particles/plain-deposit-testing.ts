// The definition of the kernels in docs/PARTICLES.md as code, sentence by sentence, without tricks for speed. It imports nothing
// from the code that it checks, except types.
import type { BoxEdges, DepositKernel } from './deposit-choice.ts';

export interface PlainParticle {
  readonly position: readonly number[];
  /** In units. */
  readonly units: bigint;
  /** Where the smoothing kernel becomes zero. */
  readonly radius: number;
}

export interface PlainGrid {
  readonly dims: readonly number[];
  readonly origin: readonly number[];
  readonly lengths: readonly number[];
  readonly edges: BoxEdges;
}

const voxel = 65_536n;

/** The sums of all voxels, x fastest. */
export function plainDeposit(particles: readonly PlainParticle[], grid: PlainGrid, kernel: DepositKernel): bigint[] {
  const [nx = 0, ny = 0, nz = 0] = grid.dims;
  const sums = new Array<bigint>(nx * ny * nz).fill(0n);
  const add = (place: readonly bigint[], share: bigint) => {
    const index: number[] = [];
    for (let axis = 0; axis < 3; axis++) {
      const length = BigInt(grid.dims[axis] as number);
      const at = place[axis] as bigint;
      if (grid.edges === 'clip' && (at < 0n || at >= length)) return;
      index.push(Number(((at % length) + length) % length));
    }
    const [x = 0, y = 0, z = 0] = index;
    sums[(z * ny + y) * nx + x] = (sums[(z * ny + y) * nx + x] as bigint) + share;
  };
  for (const particle of particles) {
    const position = fixedPosition(particle.position, grid);
    if (kernel === 'sph') smooth(position, particle, grid, add);
    else spread(position, particle.units, kernel, add);
  }
  return sums;
}

/** The position in 1/65,536 of a voxel from the box's first corner, rounded down. */
function fixedPosition(position: readonly number[], { dims, origin, lengths, edges }: PlainGrid): bigint[] {
  return position.map((at, axis) => {
    const length = dims[axis] as number;
    let voxels = (at - (origin[axis] as number)) * (length / (lengths[axis] as number));
    if (edges === 'periodic' && !(voxels >= 0 && voxels < length)) voxels -= Math.floor(voxels / length) * length;
    const fixed = BigInt(Math.floor(voxels * 65_536));
    return edges === 'periodic' ? fixed % (BigInt(length) * voxel) : fixed;
  });
}

/** Division that rounds down, also below zero. */
function floorDivide(a: bigint, b: bigint): bigint {
  return a >= 0n ? a / b : -((-a + b - 1n) / b);
}

type Add = (place: readonly bigint[], share: bigint) => void;

function spread(position: readonly bigint[], units: bigint, kernel: DepositKernel, add: Add): void {
  const neighbours = position.map((at) => neighboursOf(at, kernel));
  const [xs = [], ys = [], zs = []] = neighbours;
  for (const [z, zShare] of divide(units, zs)) {
    for (const [y, yShare] of divide(zShare, ys)) for (const [x, xShare] of divide(yShare, xs)) add([x, y, z], xShare);
  }
}

/** Voxels along one axis, and their weights in 1/65,536. */
function neighboursOf(at: bigint, kernel: DepositKernel): [place: bigint, weight: bigint][] {
  const own = floorDivide(at, voxel);
  if (kernel === 'ngp') return [[own, voxel]];
  if (kernel === 'cic') {
    const first = floorDivide(at - voxel / 2n, voxel);
    const beyond = at - voxel / 2n - first * voxel;
    return [
      [first, voxel - beyond],
      [first + 1n, beyond],
    ];
  }
  const inside = at - own * voxel;
  const [below, above] = [(voxel - inside) / 2n, inside / 2n];
  const [before, after] = [(below * below) / 32_768n, (above * above) / 32_768n];
  return [
    [own - 1n, before],
    [own, voxel - before - after],
    [own + 1n, after],
  ];
}

/** Each neighbour's share is rounded down, and the last one gets what is left. */
function divide(units: bigint, neighbours: readonly (readonly [bigint, bigint])[]): [place: bigint, share: bigint][] {
  let rest = units;
  return neighbours.map(([place, weight], at) => {
    const share = at === neighbours.length - 1 ? rest : (units * weight) / voxel;
    rest -= share;
    return [place, share];
  });
}

function smooth(position: readonly bigint[], { radius, units }: PlainParticle, grid: PlainGrid, add: Add): void {
  // In 1/256 of a voxel, from half a voxel to 32.
  const radii = grid.dims.map((length, axis) => {
    const voxels = radius * (length / (grid.lengths[axis] as number));
    return BigInt(Math.floor(Math.min(32, Math.max(0.5, voxels)) * 256));
  });
  const places: { place: readonly bigint[]; weight: bigint }[] = [];
  const range = (axis: number) => {
    const [at, reach] = [position[axis] as bigint, (radii[axis] as bigint) * 256n];
    const [first, last] = [floorDivide(at - reach, voxel), floorDivide(at + reach, voxel)];
    return Array.from({ length: Number(last - first) + 1 }, (_, step) => first + BigInt(step));
  };
  const square = (place: bigint, axis: number) => {
    const apart = place * voxel + voxel / 2n - (position[axis] as bigint);
    const distance = (apart < 0n ? -apart : apart) / 256n;
    const relative = (distance * (2n ** 30n / (radii[axis] as bigint))) / 2n ** 18n;
    return relative * relative;
  };
  for (const z of range(2)) {
    for (const y of range(1)) {
      for (const x of range(0)) {
        const step = (square(x, 0) + square(y, 1) + square(z, 2)) / 2n ** 14n;
        if (step < 1024n) places.push({ place: [x, y, z], weight: splineWeight(Number(step)) });
      }
    }
  }
  const sum = places.reduce((total, { weight }) => total + weight, 0n);
  if (sum === 0n) {
    add(
      position.map((at) => floorDivide(at, voxel)),
      units,
    );
    return;
  }
  let reached = 0n;
  let given = 0n;
  for (const { place, weight } of places) {
    reached += weight;
    const until = reached === sum ? units : (units * ((reached * 2n ** 32n) / sum)) / 2n ** 32n;
    add(place, until - given);
    given = until;
  }
}

/** The cubic spline at the middle of one of 1024 steps of the squared distance, from 0 to 1023. */
function splineWeight(step: number): bigint {
  const q = Math.sqrt((step + 0.5) / 1024);
  return BigInt(Math.round((q < 0.5 ? 1 - 6 * q * q * (1 - q) : 2 * (1 - q) * (1 - q) * (1 - q)) * 1023));
}
