import { type ChunkPlace, placeOf } from '../chunks/chunk-place.ts';
import type { ChunkGrid } from '../format/chunk-grid.ts';
import type { ContainerReader } from '../format/container-reader.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { inContext, type StriaError } from '../shared/errors.ts';
import type { ElementType } from '../shared/volume.ts';

/** A damaged chunk: its place and its fault. */
export interface DamagedChunk extends ChunkPlace {
  readonly message: string;
}

/** The maximum number of damaged or lost chunks that are listed individually. */
export const maxListed = 1000;

/** Describes what a recovered container lacks. */
export function lostWords({ lostCount, chunkCount }: Pick<ContainerReader, 'lostCount' | 'chunkCount'>): string {
  return `${lostCount} of ${chunkCount} chunks were lost in the damaged file from which this one was recovered`;
}

/** Counts damaged chunks, and keeps the first ones reported. */
export class DamageList {
  readonly #list: DamagedChunk[] = [];
  readonly #grid: ChunkGrid;
  readonly #type: ElementType;
  count = 0;

  constructor(grid: ChunkGrid, type: ElementType) {
    this.#grid = grid;
    this.#type = type;
  }

  add(number: number, fault: StriaError): void {
    this.count++;
    if (this.#list.length >= maxListed) return;
    const where = chunkName(number);
    const { fullMessage } = fault.context[0] === where ? fault : inContext(where, fault);
    this.#list.push({ ...placeOf(this.#grid, this.#type, number), message: fullMessage });
  }

  /** By chunk number, because chunks without payload are checked before the others. */
  sorted(): readonly DamagedChunk[] {
    return this.#list.sort((a, b) => a.chunk - b.chunk);
  }
}
