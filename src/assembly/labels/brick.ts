// A brick in its chunk, and its labels by number.

/** 'Bricks: 16 × 16 × 16 elements' */
export const brickEdge: u32 = 16;
/** 'A brick of more than 64 labels is a raw brick.' */
export const maxLabels: u32 = 64;
/** The number for elements that do not exist. */
export const none: u32 = 255;

/**
 * Numbers of labels. Rows and slices have gaps between them, so that every element has neighbours. Those outside the brick are
 * `none`.
 */
export const rowStep: u32 = 32;
export const sliceStep: u32 = 18 * rowStep;
const allBytes: u32 = 17 * sliceStep + 2 * rowStep;
const all: usize = memory.data(<i32>allBytes, 16);

/** The index of row (y, z) among the numbers. */
export function rowAt(y: u32, z: u32): usize {
  return all + (z + 1) * sliceStep + (y + 2) * rowStep;
}

export function clearNumbers(): void {
  memory.fill(all, <u8>none, allBytes);
}

/** The brick's first element in the chunk, and the chunk's steps to the next row and slice. */
let origin: usize = 0;
let rowBytes: u32 = 0;
let sliceBytes: u32 = 0;
/** Elements per row, rows and slices that remain of the brick after clipping at the chunk's edges. */
export let width: u32 = 0;
export let height: u32 = 0;
export let depth: u32 = 0;

/** @param chunk address of a chunk of x × y × z elements; the brick's first element is (ox, oy, oz) */
export function setBrick<T>(chunk: usize, x: u32, y: u32, z: u32, ox: u32, oy: u32, oz: u32): void {
  rowBytes = x * sizeof<T>();
  sliceBytes = y * rowBytes;
  origin = chunk + oz * sliceBytes + oy * rowBytes + ox * sizeof<T>();
  width = min(brickEdge, x - ox);
  height = min(brickEdge, y - oy);
  depth = min(brickEdge, z - oz);
}

export function brickBytes<T>(): u32 {
  return width * height * depth * sizeof<T>();
}

export function firstElement<T>(): T {
  return load<T>(origin);
}

export function isOneLabel<T>(): bool {
  const first = load<T>(origin);
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++) {
      const row = origin + z * sliceBytes + y * rowBytes;
      for (let x: u32 = 0; x < width; x++) if (load<T>(row + x * sizeof<T>()) !== first) return false;
    }
  }
  return true;
}

export function fillBrick<T>(value: T): void {
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++) {
      const row = origin + z * sliceBytes + y * rowBytes;
      for (let x: u32 = 0; x < width; x++) store<T>(row + x * sizeof<T>(), value);
    }
  }
}

/** Copies all elements out. @returns the end of the output */
export function writeRaw<T>(to: usize): usize {
  const bytes = width * sizeof<T>();
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++, to += bytes) memory.copy(to, origin + z * sliceBytes + y * rowBytes, bytes);
  }
  return to;
}

export function readRaw<T>(from: usize): void {
  const bytes = width * sizeof<T>();
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++, from += bytes) memory.copy(origin + z * sliceBytes + y * rowBytes, from, bytes);
  }
}

/** A hash table of the labels: a label and its number, 4 bytes each. A number of `none` means that the slot is free. */
const slots: usize = memory.data(8 * 256, 16);

/**
 * Numbers the brick's labels 'from 0 in the order in which the walk meets them', and writes them to `values`, 4 bytes each.
 * @returns their number; any number above `maxLabels` if there are more than that
 */
export function numberLabels<T>(values: usize): u32 {
  clearNumbers();
  for (let slot: usize = 0; slot < 8 * 256; slot += 8) store<u32>(slots + slot, none, 4);
  let count: u32 = 0;
  let last = load<T>(origin);
  let number = none;
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++) {
      const row = origin + z * sliceBytes + y * rowBytes;
      const to = rowAt(y, z);
      for (let x: u32 = 0; x < width; x++) {
        const value = load<T>(row + x * sizeof<T>());
        if (value !== last || number === none) {
          last = value;
          let slot = slots + 8 * ((<u32>value * 0x9e3779b1) >> 24);
          while (load<u32>(slot, 4) !== none && load<u32>(slot) !== <u32>value)
            slot = slot === slots + 8 * 255 ? slots : slot + 8;
          number = load<u32>(slot, 4);
          if (number === none) {
            if (count === maxLabels) return maxLabels + 1;
            number = count++;
            store<u32>(slot, <u32>value);
            store<u32>(slot, number, 4);
            store<u32>(values + 4 * number, <u32>value);
          }
        }
        store<u8>(to + x, number);
      }
    }
  }
  return count;
}

/** Writes the elements from their numbers. @param labelsEnd label i is i + 1 labels before it */
export function storeLabels<T>(labelsEnd: usize): void {
  const first = labelsEnd - sizeof<T>();
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++) {
      const row = origin + z * sliceBytes + y * rowBytes;
      const from = rowAt(y, z);
      for (let x: u32 = 0; x < width; x++) store<T>(row + x * sizeof<T>(), load<T>(first - load<u8>(from + x) * sizeof<T>()));
    }
  }
}
