// One plane of one brick in memory: rows of 16 elements, slices of 16 rows; clipped elements are 0. T is u8 or u16.
import { allButFirst, firstLanes } from '../common/lanes';

/** Elements in a row, and rows in a slice. */
export const side: u32 = 16;
/** Bytes of a plane of a whole brick. */
export const planeBytes: u32 = 4096;
/** Bytes of a vector. */
export const vector: u32 = 16;

/** Slices of a whole brick. */
export function depthOf<T>(): u32 {
  return planeBytes / sliceOf<T>();
}

/** Bytes of a row. */
export function rowOf<T>(): u32 {
  return side * sizeof<T>();
}

/** Bytes of a slice. */
export function sliceOf<T>(): u32 {
  return side * rowOf<T>();
}

/** Elements per row, rows and slices that remain of the brick after clipping at the chunk's edges. */
export let width: u32 = 0;
export let height: u32 = 0;
export let depth: u32 = 0;

export function setExtent(x: u32, y: u32, z: u32): void {
  width = x;
  height = y;
  depth = z;
}

export function isWhole<T>(): bool {
  return width === side && height === side && depth === depthOf<T>();
}

/** All ones in the lanes of a row's vector that exist. @param first the number in the row of the vector's first element */
export function presentLanes<T>(first: u32): v128 {
  return firstLanes<T>(width > first ? width - first : 0);
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
  if (!isWhole<T>()) memory.fill(to, 0, planeBytes);
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++) {
      const source = from + z * sliceBytes + y * rowBytes;
      const target = to + z * sliceOf<T>() + y * rowOf<T>();
      if (elementBytes === 4) {
        for (let x: u32 = 0; x < width; x++) store<u16>(target + 2 * x, load<u16>(source + 4 * x));
      } else if (width === side) {
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
      } else if (width === side) {
        v128.store(target, v128.load(source));
        if (sizeof<T>() === 2) v128.store(target, v128.load(source, vector), vector);
      } else memory.copy(target, source, width * sizeof<T>());
    }
  }
}
