import { type ChunkPlace, placeOf } from '../chunks/chunk-place.ts';
import type { ChunkGrid } from '../format/chunk-grid.ts';
import type { ContainerReader } from '../format/container-reader.ts';
import { partName } from '../format/part.ts';
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
export function lostWords({ lostCount, ownCount }: Pick<ContainerReader, 'lostCount' | 'ownCount'>): string {
  return `${lostCount} of ${ownCount} chunks were lost in the damaged file from which this one was recovered`;
}

/** What a container lacks of its volume, which is shown as zeros; undefined if it lacks nothing. */
export function missingWords(container: ContainerReader): string | undefined {
  const { part, volume } = container.header;
  if (part) return `the file holds only ${partName(part, volume.type)}: 0 is shown elsewhere`;
  return container.lostCount > 0 ? `${lostWords(container)}: 0 is shown in their places` : undefined;
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
