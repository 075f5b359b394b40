import type { ChunkBox, FileBox, VoxelBox } from '../chunks/backend.ts';
import type { FreeBytes } from '../chunks/chunk-gatherer.ts';
import { chunkBytes } from '../codec/batch.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import { becameShorter } from '../io/common/byte-stream.ts';
import type { ReadSharedFile } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';

/** A box whose rows are read directly from memory or from a file. */
export interface RowSource {
  readonly elementBytes: CodecElementBytes;
  /** Copies `height` rows of `rowBytes` bytes, from `origin` on along y, consecutively to byte `at` of `target`. */
  copyRows(origin: Dims3, rowBytes: number, height: number, target: Uint8Array<ArrayBuffer>, at: number): void;
}

export function rowsInMemory({ bytes, dims, elementBytes }: VoxelBox): RowSource {
  return {
    elementBytes,
    copyRows([x, y, z], rowBytes, height, target, at) {
      const boxRow = dims[0] * elementBytes;
      const start = (z * dims[1] + y) * boxRow + x * elementBytes;
      if (rowBytes === boxRow) target.set(bytes.subarray(start, start + height * rowBytes), at);
      else copyParts(bytes.subarray(start), boxRow, rowBytes, height, target, at);
    },
  };
}

/**
 * Reads rows of a file. Rows as wide as the box are read directly into the target. For parts of rows, the gaps are read too, as
 * long as that is faster than one call per row.
 */
export class FileRows {
  readonly #read: ReadSharedFile;
  #between = new Uint8Array(0);

  constructor(read: ReadSharedFile = refuse) {
    this.#read = read;
  }

  /** @throws StriaError `not-readable` from `copyRows` */
  of({ place, dims, elementBytes }: FileBox): RowSource {
    return {
      elementBytes,
      copyRows: ([x, y, z], rowBytes, height, target, at) => {
        const boxRow = dims[0] * elementBytes;
        const start = place.start + (z * dims[1] + y) * boxRow + x * elementBytes;
        const fill = (position: number, to: Uint8Array<ArrayBuffer>) => {
          const byteLength = this.#read(place.file, position, to);
          if (byteLength < to.byteLength) throw becameShorter(position + byteLength);
        };
        if (rowBytes === boxRow) {
          fill(start, target.subarray(at, at + height * rowBytes));
        } else if (boxRow - rowBytes > worthACallBytes) {
          for (let row = 0; row < height; row++) {
            fill(start + row * boxRow, target.subarray(at + row * rowBytes, at + (row + 1) * rowBytes));
          }
        } else {
          const byteLength = (height - 1) * boxRow + rowBytes;
          if (this.#between.byteLength < byteLength) this.#between = new Uint8Array(byteLength);
          fill(start, this.#between.subarray(0, byteLength));
          copyParts(this.#between, boxRow, rowBytes, height, target, at);
        }
      },
    };
  }
}

/** Reads adjacent chunks along x as a box of their own, in memory of its own. */
export function readRow(
  rows: RowSource,
  chunks: readonly ChunkBox[],
  free: FreeBytes,
): { readonly box: VoxelBox; readonly chunks: readonly ChunkBox[] } {
  const { elementBytes } = rows;
  const [first] = chunks as readonly [ChunkBox];
  const [left, y, front] = first.origin;
  const [, height, depth] = first.shape;
  const dims: Dims3 = [chunks.reduce((sum, { shape }) => sum + shape[0], 0), height, depth];
  const rowBytes = dims[0] * elementBytes;
  const bytes = free.take(chunkBytes({ shape: dims, elementBytes }));
  for (let z = 0; z < depth; z++) rows.copyRows([left, y, front + z], rowBytes, height, bytes, z * height * rowBytes);
  return {
    box: { bytes, dims, elementBytes },
    chunks: chunks.map(({ origin, shape }) => ({ origin: [origin[0] - left, 0, 0], shape })),
  };
}

/** Reading this many bytes takes about as long as the extra call that would skip them. */
const worthACallBytes = 2 ** 14;

function copyParts(from: Uint8Array, stride: number, rowBytes: number, height: number, target: Uint8Array, at: number): void {
  for (let row = 0; row < height; row++) {
    target.set(from.subarray(row * stride, row * stride + rowBytes), at + row * rowBytes);
  }
}

function refuse(): never {
  throw new StriaError('internal', 'this thread cannot read files');
}
