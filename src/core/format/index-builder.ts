import { ByteBuilder } from './byte-cursor.ts';
import type { ChunkStage, RampChunk } from './chunk.ts';
import { encodeStages } from './chunk-record.ts';
import { type ConstantRun, encodeConstantRun, encodeRampRun, GrowingRamps } from './computed-run.ts';
import { runKinds } from './layout.ts';

/** Collects the entries of all chunks in order. docs/FORMAT.md, 'INDX'. */
export class IndexBuilder {
  readonly #methodNumbers = new Map<string, number>();
  /** The same by the lists themselves, which most chunks share. */
  readonly #listNumbers = new WeakMap<readonly ChunkStage[], number>();
  readonly #methods = new ByteBuilder();
  readonly #runs = new ByteBuilder();
  #runCount = 0;
  #constant: ConstantRun | undefined;
  #ramps: GrowingRamps | undefined;
  #lostCount = 0;
  #coded: { first: number; end: number; count: number; entries: ByteBuilder } | undefined;

  addConstant(run: ConstantRun): void {
    this.#endRun();
    this.#constant = run;
  }

  /** Replaces the run added last by a longer one. */
  replaceConstant(run: ConstantRun): void {
    this.#constant = run;
  }

  addRamp(number: number, chunk: RampChunk): void {
    if (this.#ramps?.add(number, chunk)) return;
    this.#endRun();
    this.#ramps = new GrowingRamps(number, chunk);
  }

  addLost(count: number): void {
    if (this.#lostCount === 0) this.#endRun();
    this.#lostCount += count;
  }

  /** @param length of the whole record */
  addCoded(recordOffset: number, length: number, stages: readonly ChunkStage[], payloadLength: number): void {
    if (this.#coded?.end !== recordOffset) this.#endRun();
    this.#coded ??= { first: recordOffset, end: recordOffset, count: 0, entries: new ByteBuilder() };
    this.#coded.entries.u32(this.#methodNumber(stages)).u32(payloadLength);
    this.#coded.end += length;
    this.#coded.count++;
  }

  build(): Uint8Array<ArrayBuffer> {
    this.#endRun();
    const methodCount = this.#methodNumbers.size;
    return new ByteBuilder().u32(methodCount).u32(this.#runCount).bytes(this.#methods.build()).bytes(this.#runs.build()).build();
  }

  #methodNumber(stages: readonly ChunkStage[]): number {
    const ofList = this.#listNumbers.get(stages);
    if (ofList !== undefined) return ofList;
    const key = stages.map(({ codecId, parameters }) => `${codecId} ${parameters}`).join('+');
    const number = this.#methodNumbers.get(key) ?? this.#methodNumbers.size;
    if (number === this.#methodNumbers.size) this.#methods.bytes(encodeStages(stages));
    this.#methodNumbers.set(key, number);
    this.#listNumbers.set(stages, number);
    return number;
  }

  /** Writes the run of any kind that is still open. */
  #endRun(): void {
    if (this.#constant) {
      encodeConstantRun(this.#runs.u8(runKinds.constant), this.#constant);
    } else if (this.#ramps) {
      encodeRampRun(this.#runs.u8(runKinds.ramp), this.#ramps.run());
    } else if (this.#coded) {
      const { first, count, entries } = this.#coded;
      this.#runs.u8(runKinds.coded).u32(count).u64(first).bytes(entries.build());
    } else if (this.#lostCount > 0) {
      this.#runs.u8(runKinds.lost).u32(this.#lostCount);
    } else {
      return;
    }
    this.#runCount++;
    this.#constant = undefined;
    this.#ramps = undefined;
    this.#coded = undefined;
    this.#lostCount = 0;
  }
}
