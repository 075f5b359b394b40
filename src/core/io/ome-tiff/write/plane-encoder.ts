import { halve } from '../../../levels/halve.ts';
import type { HalvingMethod } from '../../../shared/halving.ts';
import { type ElementType, elementBytes, typedVoxels } from '../../../shared/volume.ts';
import { joinBytes } from '../../common/byte-stream.ts';
import { Deflater } from '../../common/deflate.ts';
import type { PlaneLevel } from './ome-tiff-plan.ts';

/** The tiles of a plane at each level, compressed. */
export interface EncodedPlane {
  /** By level: the tiles, row by row. */
  readonly tiles: readonly (readonly Uint8Array[])[];
}

/** Takes a plane's rows, and returns its tiles at all levels. Holds one row of tiles of each level at a time. */
export class PlaneEncoder {
  readonly #type: ElementType;
  readonly #level: PlaneLevel;
  readonly #method: HalvingMethod;
  readonly #next: PlaneEncoder | undefined;
  readonly #rows: Uint8Array<ArrayBuffer>;
  readonly #tiles: Uint8Array[] = [];
  #filled = 0;
  /** Rows encoded so far. */
  #done = 0;

  /** @param levels this is the first of them */
  constructor(type: ElementType, levels: readonly PlaneLevel[], method: HalvingMethod) {
    const [level, ...smaller] = levels as readonly [PlaneLevel, ...PlaneLevel[]];
    this.#type = type;
    this.#level = level;
    this.#method = method;
    this.#next = smaller.length > 0 ? new PlaneEncoder(type, smaller, method) : undefined;
    this.#rows = new Uint8Array(Math.min(level.tile[1], level.height) * this.#rowBytes);
  }

  get #rowBytes(): number {
    return this.#level.width * elementBytes(this.#type);
  }

  /** @param bytes any number of the plane's bytes, in order */
  async push(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength; ) {
      const rows = Math.min(this.#level.tile[1], this.#level.height - this.#done);
      const length = Math.min(rows * this.#rowBytes - this.#filled, bytes.byteLength - at);
      this.#rows.set(bytes.subarray(at, at + length), this.#filled);
      this.#filled += length;
      at += length;
      if (this.#filled === rows * this.#rowBytes) await this.#flush(rows);
    }
  }

  /** Ends the plane; the encoder is ready for the next one. */
  take(): EncodedPlane {
    const own = this.#tiles.splice(0);
    this.#done = 0;
    return { tiles: [own, ...(this.#next?.take().tiles ?? [])] };
  }

  async #flush(rows: number): Promise<void> {
    const { width, tile } = this.#level;
    this.#filled = 0;
    const columns = Math.ceil(width / tile[0]);
    const tiles = Array.from({ length: columns }, (_, column) => this.#tile(column * tile[0], rows));
    this.#tiles.push(...(await Promise.all(tiles.map(deflated))));
    this.#done += rows;
    if (this.#next === undefined) return;
    const voxels = typedVoxels(this.#type, this.#rows.subarray(0, rows * this.#rowBytes));
    const halved = halve(voxels, this.#type, [width, rows, 1], [2, 2, 1], 1, this.#method);
    await this.#next.push(new Uint8Array(halved.buffer, halved.byteOffset, halved.byteLength));
  }

  /** A tile's samples; whole numbers minus their left neighbours. Beyond the plane's edges they are 0. */
  #tile(x: number, rows: number): Uint8Array<ArrayBuffer> {
    const bytes = elementBytes(this.#type);
    const { width, tile } = this.#level;
    const [tileWidth, tileHeight] = tile;
    const block = new Uint8Array(tileWidth * tileHeight * bytes);
    const length = Math.min(tileWidth, width - x) * bytes;
    for (let row = 0; row < rows; row++) {
      const from = (row * width + x) * bytes;
      block.set(this.#rows.subarray(from, from + length), row * tileWidth * bytes);
    }
    if (!isPredicted(this.#type)) return block;
    const samples = typedVoxels(this.#type, block);
    for (let start = 0; start < samples.length; start += tileWidth) {
      for (let at = start + tileWidth - 1; at > start; at--) samples[at] = (samples[at] as number) - (samples[at - 1] as number);
    }
    return block;
  }
}

/** Whether TIFF's predictor 2 is used: few programs can undo the predictor for floats. */
export function isPredicted(type: ElementType): boolean {
  return type !== 'f32' && type !== 'f64';
}

async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const deflater = new Deflater(async (piece) => {
    pieces.push(piece.slice());
  });
  await deflater.write(bytes);
  await deflater.end();
  return joinBytes(pieces);
}
