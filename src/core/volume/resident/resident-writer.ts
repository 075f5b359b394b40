import type { Gpu } from '../../gpu/gpu.ts';
import { StriaError } from '../../shared/errors.ts';
import { type Dims4, elementBytes, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import type { ResidentRows } from './resident-rows.ts';

/** Rows that need padding or selection go through a buffer of about this size. */
const scratchBytes = 2 ** 22;

/** The voxels to write, and where their rows lie. */
export interface WrittenVoxels {
  readonly type: VolumeInfo['type'];
  /** The dimensions of the voxels that are appended. */
  readonly appended: Dims4;
  /** The dimensions of the voxels that are kept. */
  readonly kept: Dims4;
  /** Every n-th appended voxel along x, y and z is kept. */
  readonly stride: number;
  readonly rows: ResidentRows;
}

/** Writes a stream of voxels, in pieces of any size, into the boxes of a resident volume. */
export class ResidentWriter {
  readonly #gpu: Gpu;
  readonly #voxels: WrittenVoxels;
  readonly #totalBytes: number;
  /** The bytes of a row of the stream. */
  readonly #rowLength: number;
  #received = 0;
  /** The start of an incomplete row. */
  #partRow: Uint8Array<ArrayBuffer> | undefined;
  #partBytes = 0;
  /** The number of complete rows of the stream so far, and of those that were kept. */
  #sourceRows = 0;
  #keptRows = 0;
  #scratch: Uint8Array<ArrayBuffer> | undefined;

  constructor(gpu: Gpu, voxels: WrittenVoxels) {
    this.#gpu = gpu;
    this.#voxels = voxels;
    this.#totalBytes = volumeBytes({ dims: voxels.appended, type: voxels.type });
    this.#rowLength = voxels.appended[0] * elementBytes(voxels.type);
  }

  /** Whether all bytes were appended. */
  get isComplete(): boolean {
    return this.#received === this.#totalBytes;
  }

  /** Appends the next bytes of the stream. @throws StriaError `internal` if there are more bytes than the volume has */
  append(bytes: Uint8Array): void {
    if (this.#received + bytes.length > this.#totalBytes) {
      const sum = this.#received + bytes.length;
      throw new StriaError('internal', `the volume has ${this.#totalBytes} bytes, but ${sum} were appended`);
    }
    this.#received += bytes.length;
    const rowLength = this.#rowLength;
    let start = 0;
    if (this.#partBytes > 0) {
      start = Math.min(rowLength - this.#partBytes, bytes.length);
      this.#keepPart(bytes.subarray(0, start));
      if (this.#partBytes < rowLength) return;
      this.#partBytes = 0;
      this.#takeRows(this.#partRow as Uint8Array);
    }
    const end = start + Math.floor((bytes.length - start) / rowLength) * rowLength;
    if (end > start) this.#takeRows(bytes.subarray(start, end));
    if (end < bytes.length) this.#keepPart(bytes.subarray(end));
    if (this.isComplete) this.#partRow = this.#scratch = undefined;
  }

  #keepPart(bytes: Uint8Array): void {
    this.#partRow ??= new Uint8Array(this.#rowLength);
    this.#partRow.set(bytes, this.#partBytes);
    this.#partBytes += bytes.length;
  }

  /** Takes whole rows of the stream, drops the rows and voxels that decimation omits, and writes the rest. */
  #takeRows(bytes: Uint8Array): void {
    const { type, appended, kept: keptDims, stride } = this.#voxels;
    const rowLength = this.#rowLength;
    if (stride === 1) {
      this.#writeRows(bytes, rowLength);
      return;
    }
    const [, height, depth] = appended;
    const width = elementBytes(type);
    const keptLength = keptDims[0] * width;
    const kept = new Uint8Array(keptLength * Math.ceil(bytes.length / rowLength));
    let to = 0;
    for (let start = 0; start < bytes.length; start += rowLength, this.#sourceRows++) {
      const z = Math.floor(this.#sourceRows / height) % depth;
      if ((this.#sourceRows % height) % stride !== 0 || z % stride !== 0) continue;
      for (let from = start; from < start + rowLength; from += stride * width) {
        for (let byte = 0; byte < width; byte++) kept[to++] = bytes[from + byte] as number;
      }
    }
    this.#writeRows(kept.subarray(0, to), keptLength);
  }

  /** Writes kept rows, which come in order, into the boxes, padding them to whole words. */
  #writeRows(bytes: Uint8Array, rowLength: number): void {
    const { kept, rows } = this.#voxels;
    const height = kept[1];
    for (let start = 0; start < bytes.length; ) {
      const row = this.#keptRows % height;
      const plane = Math.floor(this.#keptRows / height);
      const { box, byteOffset } = rows.at(row, plane);
      // The number of consecutive rows left in the box: up to its end if it has whole planes, otherwise up to the end of its strip.
      const following =
        box.rowCount === height ? (box.firstPlane + box.planeCount - plane) * height - row : box.firstRow + box.rowCount - row;
      const count = Math.min(following, (bytes.length - start) / rowLength);
      const written = bytes.subarray(start, start + count * rowLength);
      if (rows.rowBytes === rowLength) this.#write(box.voxels.buffer, byteOffset, written);
      else this.#writePadded(box.voxels.buffer, byteOffset, written, rowLength);
      start += count * rowLength;
      this.#keptRows += count;
    }
  }

  #writePadded(buffer: GPUBuffer, byteOffset: number, bytes: Uint8Array, rowLength: number): void {
    const padded = this.#voxels.rows.rowBytes;
    const rowsAtOnce = Math.max(1, Math.floor(scratchBytes / padded));
    this.#scratch ??= new Uint8Array(rowsAtOnce * padded);
    const count = bytes.length / rowLength;
    for (let first = 0; first < count; first += rowsAtOnce) {
      const here = Math.min(rowsAtOnce, count - first);
      for (let row = 0; row < here; row++) {
        const from = (first + row) * rowLength;
        this.#scratch.set(bytes.subarray(from, from + rowLength), row * padded);
      }
      this.#write(buffer, byteOffset + first * padded, this.#scratch.subarray(0, here * padded));
    }
  }

  #write(buffer: GPUBuffer, byteOffset: number, bytes: Uint8Array): void {
    this.#gpu.device.queue.writeBuffer(buffer, byteOffset, bytes as Uint8Array<ArrayBuffer>);
  }
}
