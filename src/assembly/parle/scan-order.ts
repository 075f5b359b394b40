// 'Scan order'

/** Lengths of a column, of a row of columns and of their number, and the elements from one to the next in memory. */
export let columnLength: u32 = 0;
export let columnStep: u32 = 0;
export let rowLength: u32 = 0;
export let rowStep: u32 = 0;
export let planeLength: u32 = 0;
export let planeStep: u32 = 0;

/** 'Columns follow one another with the lower of the two other axes fastest.' */
export function setOrder(x: u32, y: u32, z: u32, axis: u32): void {
  columnLength = axis === 0 ? x : axis === 1 ? y : z;
  columnStep = axis === 0 ? 1 : axis === 1 ? x : x * y;
  rowLength = axis === 0 ? y : x;
  rowStep = axis === 0 ? x : 1;
  planeLength = axis === 2 ? y : z;
  planeStep = axis === 2 ? x : x * y;
}

/** 'Segment k is the elements 2048 k to 2048 k + 2047' */
export const segmentElements: u32 = 2048;

/** 'a byte of 255 is an escape' */
export const gapEscape: u32 = 255;
