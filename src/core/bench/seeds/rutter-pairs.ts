/**
 * Rutter's encoder on the CPU: (count, value) byte pairs for each row (along x) or column (along y) of a box of bytes. A count
 * is at most 255, and every row or column starts a new run.
 * @param voxels `side` bytes along x and along y, and any number of slices
 * @param output at least twice as long as the voxels
 * @returns the number of bytes written
 */
export function encodePairs(voxels: Uint8Array, side: number, order: 'rows' | 'columns', output: Uint8Array): number {
  const rowCount = voxels.length / side;
  const step = order === 'rows' ? 1 : side;
  let at = 0;
  for (let row = 0; row < rowCount; row++) {
    const first = order === 'rows' ? row * side : Math.floor(row / side) * side * side + (row % side);
    const end = first + side * step;
    let value = voxels[first] as number;
    let count = 1;
    for (let place = first + step; place < end; place += step) {
      const next = voxels[place] as number;
      if (next === value && count < 255) {
        count++;
        continue;
      }
      output[at++] = count;
      output[at++] = value;
      value = next;
      count = 1;
    }
    output[at++] = count;
    output[at++] = value;
  }
  return at;
}

/** The state of a thread of the crew: its part of the volume, and memory for the encoded part. */
export class PairsPart {
  readonly #voxels: Uint8Array;
  readonly #output: Uint8Array;

  constructor(voxels: Uint8Array) {
    this.#voxels = voxels;
    this.#output = new Uint8Array(2 * voxels.byteLength);
  }

  encode(side: number, order: 'rows' | 'columns'): number {
    return encodePairs(this.#voxels, side, order, this.#output);
  }
}
