// One plane of one brick in memory, row by row; clipped elements are 0. T is u8 or u16.
import { allButFirst, firstLanes } from '../common/lanes';

/** Bytes of a plane of a whole brick. */
export const planeBytes: u32 = 4096;
/** Bytes of a vector. */
export const vector: u32 = 16;

/** SPEC.md, 'Bricks, blocks and groups': the extents of whole ones, in elements. */
export let isPicture: bool = false;
/** Bit 4 of the form: whether there are predictors 8 to 15. */
export let isCausal: bool = false;
export let brickWidth: u32 = 16;
export let brickHeight: u32 = 16;
export let brickDepth: u32 = 16;
export let blockSide: u32 = 16;

export function setForm<T>(picture: bool, causal: bool): void {
  isPicture = picture;
  isCausal = causal;
  brickWidth = picture ? 64 : 16;
  brickHeight = picture ? 64 / sizeof<T>() : 16;
  brickDepth = picture ? 1 : 16 / sizeof<T>();
  blockSide = picture ? 32 : 16;
}

/** Bits of a predictor's number. */
export function predictorBits(): u32 {
  return isCausal ? 4 : 3;
}

/** Bytes of a row. */
export function rowOf<T>(): u32 {
  return brickWidth * sizeof<T>();
}

/** Bytes of a slice. Pictures have only one. */
export function sliceOf<T>(): u32 {
  return 256 * sizeof<T>();
}

/** Elements per row, rows and slices that remain of the brick after clipping at the chunk's edges. */
export let width: u32 = 0;
export let height: u32 = 0;
export let depth: u32 = 0;

export function setExtent(x: u32, y: u32, z: u32): void {
  width = x;
  height = y;
  depth = z;
  setBlock(0, 0);
}

/** The current block: elements per row, and rows. Its slices are those of the brick. */
export let blockWidth: u32 = 0;
export let blockHeight: u32 = 0;

/** @param x, y the block's first element in the brick */
export function setBlock(x: u32, y: u32): void {
  blockWidth = min(blockSide, width - x);
  blockHeight = min(blockSide, height - y);
}

export function isWhole(): bool {
  return width === brickWidth && height === brickHeight && depth === brickDepth;
}

/** All ones in the lanes of a block's vector that exist. @param first the number in its row of the vector's first element */
export function presentLanes<T>(first: u32): v128 {
  return firstLanes<T>(blockWidth > first ? blockWidth - first : 0);
}

/** All ones in every lane but a row's first. @param first as in `presentLanes` */
export function lanesWithLeft<T>(first: u32): v128 {
  return first > 0 ? i32x4.splat(-1) : allButFirst<T>();
}

/**
 * Copies a brick's plane out of a chunk.
 * @param from address of the brick's first element in the chunk, or of its upper half
 * @param elementBytes of the chunk; elements of 4 bytes have two planes of u16
 * @param rowBytes from one row of the chunk to the next; `sliceBytes` from one slice to the next
 */
export function loadPlane<T>(to: usize, from: usize, elementBytes: u32, rowBytes: u32, sliceBytes: u32): void {
  if (!isWhole()) memory.fill(to, 0, planeBytes);
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++) {
      const source = from + z * sliceBytes + y * rowBytes;
      const target = to + z * sliceOf<T>() + y * rowOf<T>();
      if (elementBytes === 4) {
        for (let x: u32 = 0; x < width; x++) store<u16>(target + 2 * x, load<u16>(source + 4 * x));
      } else if (width === 16) {
        v128.store(target, v128.load(source));
        if (sizeof<T>() === 2) v128.store(target, v128.load(source, vector), vector);
      } else memory.copy(target, source, width * sizeof<T>());
    }
  }
}

/** Copies a brick's plane into a chunk: `loadPlane` the other way. */
export function storePlane<T>(from: usize, to: usize, elementBytes: u32, rowBytes: u32, sliceBytes: u32): void {
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++) {
      const source = from + z * sliceOf<T>() + y * rowOf<T>();
      const target = to + z * sliceBytes + y * rowBytes;
      if (elementBytes === 4) {
        for (let x: u32 = 0; x < width; x++) store<u16>(target + 4 * x, load<u16>(source + 2 * x));
      } else if (width === 16) {
        v128.store(target, v128.load(source));
        if (sizeof<T>() === 2) v128.store(target, v128.load(source, vector), vector);
      } else memory.copy(target, source, width * sizeof<T>());
    }
  }
}
