import type { RampChunk } from './chunk.ts';
import { type ConstantRun, encodeConstants, encodeRamps, GrowingRamps, sameComputed } from './computed-run.ts';
import { recordTypes } from './layout.ts';

/** The maximum number of runs of constant chunks, or of ramps, that are held back. */
const maxPending = 4096;

/** Chunks without payload that are held back until they are written as CONS and RAMP records. */
export class PendingRuns {
  #constants: ConstantRun[] = [];
  #ramps: GrowingRamps[] = [];
  #rampCount = 0;

  /** Whether so many are held back that they should be taken. */
  get isFull(): boolean {
    return this.#constants.length >= maxPending || this.#rampCount >= maxPending;
  }

  addConstants(run: ConstantRun): void {
    const last = this.#constants.at(-1);
    if (last !== undefined && last.first + last.count === run.first && sameComputed(last, run)) {
      this.#constants[this.#constants.length - 1] = { ...last, count: last.count + run.count };
    } else {
      this.#constants.push(run);
    }
  }

  addRamp(number: number, chunk: RampChunk): void {
    if (!this.#ramps.at(-1)?.add(number, chunk)) this.#ramps.push(new GrowingRamps(number, chunk));
    this.#rampCount++;
  }

  /** The records of what was held back, which is then forgotten. */
  take(): { readonly type: string; readonly body: Uint8Array }[] {
    const constants = this.#constants;
    const ramps = this.#ramps;
    this.#constants = [];
    this.#ramps = [];
    this.#rampCount = 0;
    return [
      ...(constants.length > 0 ? [{ type: recordTypes.constants, body: encodeConstants(constants) }] : []),
      ...(ramps.length > 0 ? [{ type: recordTypes.ramps, body: encodeRamps(ramps.map((ramp) => ramp.run())) }] : []),
    ];
  }
}
