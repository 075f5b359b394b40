// A chunk's bricks, and one plane of one brick in memory: rows of `brickSide` elements, slices of as many rows. T is u8 or u16.

/** Elements of a whole brick, of either geometry. */
export const brickElements: u32 = 4096;
/** Readable bytes before a plane, because a row's first element is loaded with its left neighbour. */
export const margin: u32 = 16;

/** SPEC.md, 'Planes; bricks, blocks and groups': sides along x and y, and depths along z. */
export let brickSide: u32 = 16;
export let brickDepth: u32 = 16;
export let blockSide: u32 = 16;
export let groupSide: u32 = 4;
export let groupDepth: u32 = 4;

export let chunkX: u32 = 0;
export let chunkY: u32 = 0;
export let chunkZ: u32 = 0;
export let elementBytes: u32 = 1;
export let planes: u32 = 1;
export let brickCount: u32 = 0;
/** Blocks of all planes. */
export let blockCount: u32 = 0;

export function setChunk(x: u32, y: u32, z: u32, bytes: u32, isPicture: bool): void {
  brickSide = isPicture ? 64 : 16;
  brickDepth = isPicture ? 1 : 16;
  blockSide = isPicture ? 32 : 16;
  groupSide = isPicture ? 8 : 4;
  groupDepth = isPicture ? 1 : 4;
  chunkX = x;
  chunkY = y;
  chunkZ = z;
  elementBytes = bytes;
  planes = bytes === 4 ? 2 : 1;
  brickCount = parts(x, brickSide) * parts(y, brickSide) * parts(z, brickDepth);
  blockCount = parts(x, blockSide) * parts(y, blockSide) * parts(z, brickDepth) * planes;
}

function parts(length: u32, side: u32): u32 {
  return (length + side - 1) / side;
}

/** The current brick: its first element, and its extent after clipping. */
export let originX: u32 = 0;
export let originY: u32 = 0;
export let originZ: u32 = 0;
export let width: u32 = 0;
export let height: u32 = 0;
export let depth: u32 = 0;

/** The number of elements in each of its groups, at most 64. */
export let groupCount: u32 = 0;
export const groupSizes: usize = memory.data(64, 16);

export function setBrick(number: u32): void {
  const alongX = parts(chunkX, brickSide);
  const alongY = parts(chunkY, brickSide);
  originX = (number % alongX) * brickSide;
  originY = ((number / alongX) % alongY) * brickSide;
  originZ = (number / alongX / alongY) * brickDepth;
  width = min(brickSide, chunkX - originX);
  height = min(brickSide, chunkY - originY);
  depth = min(brickDepth, chunkZ - originZ);
  groupCount = 0;
  for (let z: u32 = 0; z < depth; z += groupDepth) {
    for (let y: u32 = 0; y < height; y += groupSide) {
      for (let x: u32 = 0; x < width; x += groupSide) {
        const size = min(groupSide, width - x) * min(groupSide, height - y) * min(groupDepth, depth - z);
        store<u8>(groupSizes + groupCount++, <u8>size);
      }
    }
  }
}

/** The place of a block's predictor and base among the chunk's. @param x its first element in the brick; `y` likewise */
export function blockPlace(x: u32, y: u32, plane: u32): u32 {
  const alongX = parts(chunkX, blockSide);
  const alongY = parts(chunkY, blockSide);
  const row = (originZ / brickDepth) * alongY + (originY + y) / blockSide;
  return (row * alongX + (originX + x) / blockSide) * planes + plane;
}

export function rowBytes<T>(): u32 {
  return brickSide * sizeof<T>();
}

export function sliceBytes<T>(): u32 {
  return brickSide * brickSide * sizeof<T>();
}

/** Address of an element of the brick in the plane at `plane`. */
export function elementAt<T>(plane: usize, x: u32, y: u32, z: u32): usize {
  return plane + ((z * brickSide + y) * brickSide + x) * sizeof<T>();
}

/** Address of a row of the current brick in the chunk at `chunk`. */
function rowInChunk(chunk: usize, y: u32, z: u32): usize {
  return chunk + (((originZ + z) * chunkY + originY + y) * chunkX + originX) * elementBytes;
}

/** Copies a plane of the current brick out of the chunk at `from`. */
export function loadPlane<T>(from: usize, number: u32, to: usize): void {
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++) {
      const source = rowInChunk(from, y, z) + 2 * number;
      const target = elementAt<T>(to, 0, y, z);
      if (elementBytes === sizeof<T>()) memory.copy(target, source, width * sizeof<T>());
      else for (let x: u32 = 0; x < width; x++) store<u16>(target + 2 * x, load<u16>(source + 4 * x));
    }
  }
}

/** Copies a plane of the current brick into the chunk at `to`. */
export function storePlane<T>(from: usize, number: u32, to: usize): void {
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++) {
      const source = elementAt<T>(from, 0, y, z);
      const target = rowInChunk(to, y, z) + 2 * number;
      if (elementBytes === sizeof<T>()) memory.copy(target, source, width * sizeof<T>());
      else for (let x: u32 = 0; x < width; x++) store<u16>(target + 4 * x, load<u16>(source + 2 * x));
    }
  }
}

/** Copies the groups' elements out of a plane, group after group. Each group takes whole vectors, padded with zeros. */
export function gatherGroups<T>(plane: usize, to: usize): usize {
  let target = to;
  for (let z: u32 = 0; z < depth; z += groupDepth) {
    for (let y: u32 = 0; y < height; y += groupSide) {
      for (let x: u32 = 0; x < width; x += groupSide) {
        const endZ = min(z + groupDepth, depth);
        const endY = min(y + groupSide, height);
        const columns = min(groupSide, width - x);
        for (let slice = z; slice < endZ; slice++) {
          for (let row = y; row < endY; row++) {
            copyRow<T>(target, elementAt<T>(plane, x, row, slice), columns);
            target += columns * sizeof<T>();
          }
        }
        for (; (target & 15) !== 0; target += sizeof<T>()) store<T>(target, 0);
      }
    }
  }
  return target;
}

/** Copies one group's elements into a plane. @param x, y, z its first element in the brick */
export function scatterGroup<T>(from: usize, plane: usize, x: u32, y: u32, z: u32): void {
  const endZ = min(z + groupDepth, depth);
  const endY = min(y + groupSide, height);
  const columns = min(groupSide, width - x);
  let source = from;
  for (let slice = z; slice < endZ; slice++) {
    for (let row = y; row < endY; row++) {
      copyRow<T>(elementAt<T>(plane, x, row, slice), source, columns);
      source += columns * sizeof<T>();
    }
  }
}

function copyRow<T>(to: usize, from: usize, columns: u32): void {
  const bytes = columns * sizeof<T>();
  if (bytes === 4) store<u32>(to, load<u32>(from));
  else if (bytes === 8) store<u64>(to, load<u64>(from));
  else if (bytes === 16) v128.store(to, v128.load(from));
  else for (let at: u32 = 0; at < bytes; at += sizeof<T>()) store<T>(to + at, load<T>(from + at));
}
