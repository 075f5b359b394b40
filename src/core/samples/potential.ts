import { createRandom, gaussian } from './random.ts';
import type { SampleShape, SliceFiller } from './slice-filler.ts';

/** A position in the unit cube, with periodic boundaries as in a simulation. */
type Point = readonly [x: number, y: number, z: number];
type Place = (x: number, y: number, z: number, weight: number) => void;

interface Node {
  readonly at: Point;
  readonly mass: number;
}

interface Filament {
  readonly from: Point;
  /** To the filament's end, the short way around the box. */
  readonly span: Point;
  readonly bend: Point;
  /** Its share of everything along filaments. */
  readonly share: number;
}

const particlesPerVoxelOfArea = 3.05;
const nodeCount = 200;
const filamentsPerNode = 3;
const halosShare = 0.34;
const dustShare = 0.38;
const clumpsShare = 0.16;
/** The width of a filament's dust and clumps around its line, as a fraction of the unit cube. */
const filamentWidth = 0.0052;

/**
 * The density of a small universe: halos with power-law profiles where filaments meet, clumps and dust along the filaments, a
 * thin field between, and zeros in nearly all voxels. It replaces the volume 'Voxel3D Potential' of Rutter's report (simulation
 * particles rendered into 512³ bytes), which is not public. sample.test.ts checks that its sizes by byte-pair RLE and by gzip
 * are close to that volume's.
 *
 * The number of particles grows with the area of a slice, so that the image has the same density at every size. They are kept
 * in memory, 5 bytes each, sorted by slice.
 */
export function createPotential({ dims, maximum, seed }: SampleShape): SliceFiller {
  const [width, height, depth] = dims;
  const count = Math.round(particlesPerVoxelOfArea * (width * height * depth) ** (2 / 3));
  const slices = new Uint16Array(count);
  const voxels = new Uint32Array(count);
  const weights = new Uint8Array(count);
  let placed = 0;
  scatter(createRandom(seed), count, (x, y, z, weight) => {
    if (placed === count) return;
    slices[placed] = wrapped(z, depth);
    voxels[placed] = wrapped(y, height) * width + wrapped(x, width);
    weights[placed++] = weight;
  });
  const particles = sortBySlice(slices, voxels, weights, depth);
  const brightness = toneMap(maximum);

  return (z, slice) => {
    const first = particles.starts[z] as number;
    const end = particles.starts[z + 1] as number;
    for (let i = first; i < end; i++) {
      const at = particles.voxels[i] as number;
      slice[at] = Math.min(255, (slice[at] as number) + (particles.weights[i] as number));
    }
    for (let at = 0; at < slice.length; at++) {
      const density = slice[at] as number;
      if (density !== 0) slice[at] = brightness[density] as number;
    }
  };
}

/** Places `count` particles: halos, then filaments, and the rest anywhere. */
function scatter(random: () => number, count: number, place: Place): void {
  let placed = 0;
  const weigh: Place = (x, y, z) => {
    placed++;
    place(x, y, z, 1 + Math.floor(4 * random() * random()));
  };
  const nodes: Node[] = Array.from({ length: nodeCount }, () => ({
    at: [random(), random(), random()],
    mass: (0.02 + random()) ** -1.1,
  }));
  const totalMass = nodes.reduce((sum, node) => sum + node.mass, 0);
  for (const { at, mass } of nodes) {
    placeHalo(random, at, 0.055 * Math.cbrt(mass / 10), Math.round((halosShare * count * mass) / totalMass), weigh);
  }
  for (const filament of filamentsBetween(nodes, random)) placeFilament(random, filament, count, weigh);
  while (placed < count) weigh(random(), random(), random(), 1);
}

/** A ball whose density falls roughly as the radius to the power of -8/3: r = R u³, with u uniform. */
function placeHalo(random: () => number, [x, y, z]: Point, radius: number, count: number, place: Place): void {
  for (let i = 0; i < count; i++) {
    const r = radius * random() ** 3 + radius * 0.03 * random();
    const up = 2 * random() - 1;
    const out = r * Math.sqrt(1 - up * up);
    const angle = 2 * Math.PI * random();
    place(x + out * Math.cos(angle), y + out * Math.sin(angle), z + r * up, 1);
  }
}

/** Connects each node to its nearest nodes by curved lines. */
function filamentsBetween(nodes: readonly Node[], random: () => number): Filament[] {
  const drafts = new Map<number, Filament>();
  for (const [index, node] of nodes.entries()) {
    const nearest = nodes
      .map((other, otherIndex) => ({ other, otherIndex, span: shortWay(node.at, other.at) }))
      .filter(({ otherIndex }) => otherIndex !== index)
      .map((end) => ({ ...end, length: Math.hypot(...end.span) }))
      .sort((a, b) => a.length - b.length)
      .slice(0, filamentsPerNode);
    for (const { other, otherIndex, span, length } of nearest) {
      const key = Math.min(index, otherIndex) * nodes.length + Math.max(index, otherIndex);
      if (drafts.has(key)) continue;
      const swerve = () => 0.07 * length * gaussian(random);
      const bend: Point = [swerve(), swerve(), swerve()];
      drafts.set(key, { from: node.at, span, bend, share: length * (node.mass * other.mass) ** 0.15 });
    }
  }
  const all = [...drafts.values()];
  const total = all.reduce((sum, filament) => sum + filament.share, 0);
  return all.map((filament) => ({ ...filament, share: filament.share / total }));
}

function placeFilament(random: () => number, { from, span, bend, share }: Filament, count: number, place: Place): void {
  const pointNear = (width: number): Point => {
    const t = random();
    const bow = 4 * t * (1 - t);
    const along = (axis: 0 | 1 | 2) => from[axis] + t * span[axis] + bow * bend[axis] + width * gaussian(random);
    return [along(0), along(1), along(2)];
  };
  const dust = Math.round(dustShare * count * share);
  for (let i = 0; i < dust; i++) {
    const [x, y, z] = pointNear(filamentWidth * 0.35 * random() ** -0.9);
    place(x, y, z, 1);
  }
  // A clump's particles grow with the area of a slice, so that clumps look alike at every size.
  const scale = count / (particlesPerVoxelOfArea * 512 * 512);
  let left = Math.round(clumpsShare * count * share);
  while (left > 0) {
    const size = Math.min(left, Math.ceil(scale * 20 * (0.1 + random()) ** -1.3));
    left -= size;
    placeHalo(random, pointNear(filamentWidth), 0.004 + 0.0016 * Math.cbrt(size / scale), size, place);
  }
}

function shortWay(from: Point, to: Point): Point {
  const along = (axis: 0 | 1 | 2) => to[axis] - from[axis] - Math.round(to[axis] - from[axis]);
  return [along(0), along(1), along(2)];
}

/** A coordinate of the unit cube as a voxel index, wrapped around. */
function wrapped(coordinate: number, length: number): number {
  return Math.min(length - 1, Math.floor((coordinate - Math.floor(coordinate)) * length));
}

/** A counting sort: `starts[z]` is the first particle of slice z. */
function sortBySlice(slices: Uint16Array, voxels: Uint32Array, weights: Uint8Array, depth: number) {
  const starts = new Uint32Array(depth + 1);
  for (const z of slices) starts[z + 1] = (starts[z + 1] as number) + 1;
  for (let z = 0; z < depth; z++) starts[z + 1] = (starts[z + 1] as number) + (starts[z] as number);
  const next = starts.slice();
  const sorted = { starts, voxels: new Uint32Array(voxels.length), weights: new Uint8Array(weights.length) };
  for (let i = 0; i < slices.length; i++) {
    const z = slices[i] as number;
    const at = next[z] as number;
    next[z] = at + 1;
    sorted.voxels[at] = voxels[i] as number;
    sorted.weights[at] = weights[i] as number;
  }
  return sorted;
}

/** Maps density (0 to 255) to brightness logarithmically. */
function toneMap(maximum: number): Uint16Array {
  return Uint16Array.from({ length: 256 }, (_, density) =>
    density === 0 ? 0 : Math.round((maximum * Math.min(255, 30 + 36 * Math.log2(density))) / 255),
  );
}
