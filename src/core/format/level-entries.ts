import type { EncodedChunk } from './chunk.ts';
import { chunkRecordLength } from './chunk-record.ts';
import { type ConstantRun, sameComputed } from './computed-run.ts';
import { IndexBuilder } from './index-builder.ts';
import { levelLength } from './level.ts';

/** Collects the index entries of one level while its chunks are written. */
export class LevelEntries {
  readonly #index = new IndexBuilder();
  #lastRun: ConstantRun | undefined;
  #next = 0;

  get count(): number {
    return this.#next;
  }

  /** @param record the place of the record, if the chunk is coded */
  add(chunk: EncodedChunk, record: { readonly offset: number; readonly length: number } | undefined): void {
    const number = this.#next++;
    if (chunk.kind === 'constant') {
      if (this.#lastRun && sameComputed(this.#lastRun, chunk)) {
        this.#lastRun = { ...this.#lastRun, count: this.#lastRun.count + 1 };
        this.#index.replaceConstant(this.#lastRun);
      } else {
        const { element, decodedChecksum } = chunk;
        this.#lastRun = { kind: 'constant', first: number, count: 1, element: element.slice(), decodedChecksum };
        this.#index.addConstant(this.#lastRun);
      }
      return;
    }
    this.#lastRun = undefined;
    if (chunk.kind === 'ramp') this.#index.addRamp(number, chunk);
    else if (record) this.#index.addCoded(record.offset, record.length, chunk.stages, chunk.payload.byteLength);
  }

  build(): Uint8Array<ArrayBuffer> {
    return this.#index.build();
  }
}

/** The bytes that levels take in a file, if their runs are written one after another: all their records. */
export function bytesOfLevels(runs: Iterable<{ readonly level: number; readonly chunks: readonly EncodedChunk[] }>): number {
  const levels = new Map<number, LevelEntries>();
  let end = 0;
  for (const { level, chunks } of runs) {
    const entries = levels.get(level) ?? new LevelEntries();
    levels.set(level, entries);
    for (const chunk of chunks) {
      const length = chunk.kind === 'coded' ? chunkRecordLength(chunk) : 0;
      entries.add(chunk, chunk.kind === 'coded' ? { offset: end, length } : undefined);
      end += length;
    }
  }
  return [...levels.values()].reduce((sum, entries) => sum + levelLength(entries.build().byteLength), end);
}
