import { directoryBytes } from './layout.ts';

/** The kinds of pieces. Twin: copy.wgsl. */
const pieceKinds = { lane: 0, header: 1, raw: 2 } as const;

/** A part whose bytes, or their location, are known. */
export interface FinishedPart {
  /** The part's number among those of a dispatch. */
  readonly index: number;
  readonly header: Uint8Array;
  /** The position of each lane's bytes in the slots. */
  readonly lanes: readonly { readonly from: number; readonly length: number }[];
  /** The number of bytes of its elements if it is raw, else 0. */
  readonly rawBytes: number;
  readonly byteLength: number;
}

/** The `array<Piece>` of copy.wgsl, and the bytes that the CPU wrote. */
export class Pieces {
  readonly #words: number[] = [];
  readonly #headers: Uint8Array[] = [];
  #headerBytes = 0;

  add(parts: readonly FinishedPart[], start: number): void {
    const directory = new DataView(new ArrayBuffer(directoryBytes(parts.length)));
    for (const [i, part] of parts.slice(0, -1).entries()) directory.setUint32(4 * i, part.byteLength, true);
    this.#addHeader(new Uint8Array(directory.buffer), start);
    let at = start + directory.byteLength;
    for (const { index, header, lanes, rawBytes } of parts) {
      this.#addHeader(header, at);
      at += header.byteLength;
      for (const { from, length } of lanes) {
        this.#words.push(pieceKinds.lane, from, at, length);
        at += length;
      }
      if (rawBytes > 0) this.#words.push(pieceKinds.raw, index, at, rawBytes);
      at += rawBytes;
    }
  }

  #addHeader(bytes: Uint8Array, to: number): void {
    if (bytes.byteLength === 0) return;
    this.#words.push(pieceKinds.header, this.#headerBytes, to, bytes.byteLength);
    this.#headers.push(bytes);
    this.#headerBytes += bytes.byteLength;
  }

  finish(): { table: Uint32Array<ArrayBuffer>; headers: Uint8Array<ArrayBuffer> } {
    const headers = new Uint8Array(4 * Math.ceil(this.#headerBytes / 4));
    let at = 0;
    for (const bytes of this.#headers) {
      headers.set(bytes, at);
      at += bytes.byteLength;
    }
    return { table: new Uint32Array(this.#words), headers };
  }
}
