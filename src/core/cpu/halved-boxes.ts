import type { BoxHalving, ChunkBox, HalvedPart, HeldBox, VoxelBox } from '../chunks/backend.ts';
import { chunkBytes } from '../codec/batch.ts';
import { isShared } from '../shared/shared-bytes.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { PlanesInto, TaskHalving, TaskPool } from './cpu-task.ts';
import { dimsOfHalvings, putPlanes } from './halved-chunks.ts';

/** A box in memory that threads share, to which they write halved voxels. */
export interface CpuHeldBox extends HeldBox, VoxelBox {
  /** Its memory is not lent again: after an abort, threads finish their tasks and still write to it. */
  spoil(): void;
}

interface Lent {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly release: () => void;
}

/** The results of all halvings of a box, put together from the rows of chunks that tasks halve. */
export class HalvedBoxes {
  readonly #halving: BoxHalving;
  readonly #held: readonly CpuHeldBox[];
  readonly #lent: readonly Lent[];
  /** For each halving, where the planes of its result are. */
  readonly #places: readonly (readonly PlanesInto[])[];

  /** @param take lends memory; undefined: it is the caller's */
  constructor(
    { dims, elementBytes }: Pick<VoxelBox, 'dims' | 'elementBytes'>,
    halving: BoxHalving,
    take = (byteLength: number): Lent => ({ bytes: new Uint8Array(byteLength), release() {} }),
  ) {
    const { steps, further = [], type, into } = halving;
    this.#halving = halving;
    this.#held = into?.flat().map(({ to }) => to as CpuHeldBox) ?? [];
    if (into) {
      this.#lent = [];
      this.#places = into.map(placesOf);
      return;
    }
    const results = dimsOfHalvings(dims, [steps, ...further], type);
    this.#lent = results.map((shape) => take(chunkBytes({ shape, elementBytes })));
    this.#places = results.map((shape, index) => {
      const { bytes } = this.#lent[index] as Lent;
      return [{ from: 0, planes: shape[2], box: { bytes, dims: shape, elementBytes }, origin: [0, 0, 0] }];
    });
  }

  /** A task's part, which it puts in place itself if it reaches this memory. @param chunks adjacent along x */
  wishFor(chunks: readonly ChunkBox[], { isInline }: TaskPool): TaskHalving {
    const { steps, further = [], method, type } = this.#halving;
    const areReached = isInline || this.#places.every((places) => places.every(({ box }) => isShared(box.bytes)));
    return { steps, further, method, type, into: areReached ? this.#placesOf(chunks) : undefined };
  }

  /** Puts the results of a task in place. */
  add(chunks: readonly ChunkBox[], results: readonly Uint8Array<ArrayBuffer>[]): void {
    const places = this.#placesOf(chunks);
    const dims = this.#dimsOf(chunks);
    for (const [index, bytes] of results.entries()) {
      putPlanes({ bytes, dims: dims[index] as Dims3 }, places[index] ?? []);
    }
  }

  /** All tasks have ended. */
  finish(): void {
    if (this.#halving.into) return;
    const results = this.#lent.map(({ bytes }) => bytes);
    this.#halving.onHalved(results, () => {
      for (const { release } of this.#lent) release();
    });
  }

  /** Tasks have failed or were aborted, and may still write. */
  spoil(): void {
    for (const box of this.#held) box.spoil();
  }

  #placesOf(chunks: readonly ChunkBox[]): PlanesInto[][] {
    const { steps, further = [] } = this.#halving;
    const dims = this.#dimsOf(chunks);
    let [x, y, z] = (chunks[0] as ChunkBox).origin;
    return [steps, ...further].map((step, index) => {
      [x, y, z] = [x / step[0], y / step[1], z / step[2]];
      const end = z + (dims[index] as Dims3)[2];
      return (this.#places[index] ?? []).flatMap(({ from, planes, box, origin }) => {
        const first = Math.max(z, from);
        const count = Math.min(end, from + planes) - first;
        if (count <= 0) return [];
        const place: Dims3 = [origin[0] + x, origin[1] + y, origin[2] + first - from];
        return [{ from: first - z, planes: count, box, origin: place }];
      });
    });
  }

  #dimsOf(chunks: readonly ChunkBox[]): Dims3[] {
    const { steps, further = [], type } = this.#halving;
    const [, height, depth] = (chunks[0] as ChunkBox).shape;
    const width = chunks.reduce((sum, { shape }) => sum + shape[0], 0);
    return dimsOfHalvings([width, height, depth], [steps, ...further], type);
  }
}

/** @param parts in boxes of `CpuHeldBox` */
export function placesOf(parts: readonly HalvedPart[]): PlanesInto[] {
  return parts.map(({ to, from, plane, planes, row }) => {
    // What can be posted to threads.
    const { bytes, dims, elementBytes } = to as CpuHeldBox;
    return { from, planes, box: { bytes, dims, elementBytes }, origin: [0, row, plane] };
  });
}
