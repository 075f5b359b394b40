import { ByteBuilder, ByteCursor } from './byte-cursor.ts';
import { sameChecksum } from './checksum.ts';
import type { ComputedChunk, ConstantChunk, RampChunk, RampRule } from './chunk.ts';
import { recordTypes } from './layout.ts';
import type { StriaRecord } from './record.ts';

/** Consecutive chunks without payload: one entry of INDX, CONS or RAMP. */
export type ComputedRun = ConstantRun | RampRun;

interface Neighbours {
  /** Number of the first chunk. */
  readonly first: number;
  readonly count: number;
}

/** Constant chunks with the same element and the same checksum, and therefore the same shape. */
export interface ConstantRun extends ConstantChunk, Neighbours {}

/** Ramps with the same rule. */
export interface RampRun extends RampRule, Neighbours {
  readonly kind: 'ramp';
  /** Bytes per element. */
  readonly width: number;
  /** The checksum and first element of each chunk, as in a file: `8 + width` bytes per chunk. */
  readonly entries: Uint8Array;
}

/** Chunk `number` of a run that contains it. */
export function chunkOfRun(run: ComputedRun, number: number): ComputedChunk {
  if (run.kind === 'constant') {
    const { kind, element, decodedChecksum } = run;
    return { kind, element, decodedChecksum };
  }
  const { kind, width, steps, modulus, entries, first } = run;
  const at = (number - first) * (8 + width);
  const cursor = new ByteCursor(entries.subarray(at, at + 8 + width), 'the run');
  const decodedChecksum = cursor.checksum();
  return { kind, element: cursor.bytes(width), steps, modulus, decodedChecksum };
}

/** Chunk `at` of a validated run whose fields start at `place` in `body`, in the common layout of CONS, RAMP and INDX. */
export function computedChunkAt(
  kind: ComputedChunk['kind'],
  body: Uint8Array,
  place: number,
  at: number,
  elementBytes: number,
): ComputedChunk {
  const cursor = new ByteCursor(body.subarray(place), 'the run');
  if (kind === 'constant') return chunkOfRun(decodeConstantRun(cursor, 0, elementBytes), 0);
  const { count, width, modulus, steps } = rampFields(cursor, elementBytes);
  const entries = body.subarray(place + cursor.offset);
  return chunkOfRun({ kind, first: 0, count, width, modulus, steps, entries }, at);
}

/** Whether two chunks have the same element, checksum and rule. */
export function sameComputed(a: ComputedChunk, b: ComputedChunk): boolean {
  const sameRamp = a.kind === 'ramp' && b.kind === 'ramp' ? sameRule(a, b) : a.kind === b.kind;
  return sameRamp && sameChecksum(a.decodedChecksum, b.decodedChecksum) && a.element.every((byte, at) => byte === b.element[at]);
}

function sameRule(a: RampRule, b: RampRule): boolean {
  return a.modulus === b.modulus && a.steps.every((step, axis) => step === b.steps[axis]);
}

/** The largest modulus: products of two numbers below it fit in 32 bits. */
export const maxModulus = 2 ** 16;

/** The fault of a ramp of elements of `width` bytes; undefined if it is valid. */
export function rampFault({ steps, modulus }: RampRule, width: number, element: Uint8Array): string | undefined {
  const wrap = 2 ** (8 * width);
  const bound = modulus === 0 ? wrap : modulus;
  if (!Number.isInteger(bound) || bound === 1 || bound < 0 || (modulus !== 0 && (bound >= wrap || bound > maxModulus))) {
    return `has a ramp modulo ${modulus}, which elements of ${width} bytes cannot have`;
  }
  const isBelow = (value: number) => Number.isInteger(value) && value >= 0 && value < bound;
  if (!steps.every(isBelow)) return `has a ramp with steps ${steps.join(', ')} modulo ${bound}`;
  if (steps.every((step) => step === 0)) return 'has a ramp without steps';
  if (!isBelow(littleEndian(element))) return `has a ramp from ${littleEndian(element)} on modulo ${bound}`;
  return undefined;
}

/** The unsigned number in 1, 2 or 4 bytes. */
export function littleEndian(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte, at) => sum + byte * 2 ** (8 * at), 0);
}

/** The fields of a run of constant chunks, in CONS and INDX alike. */
export function encodeConstantRun(builder: ByteBuilder, run: Omit<ConstantRun, 'first'>): void {
  builder.u32(run.count).checksum(run.decodedChecksum).u8(run.element.byteLength).bytes(run.element);
}

export function decodeConstantRun(cursor: ByteCursor, first: number, elementBytes: number): ConstantRun {
  const count = countOf(cursor);
  const decodedChecksum = cursor.checksum();
  const width = widthOf(cursor, elementBytes);
  return { kind: 'constant', first, count, decodedChecksum, element: cursor.bytes(width) };
}

/** The fields of a run of ramps, in RAMP and INDX alike. */
export function encodeRampRun(builder: ByteBuilder, { count, width, modulus, steps, entries }: RampRun): void {
  builder.u32(count).u8(width).u32(modulus);
  for (const step of steps) builder.bytes(new Uint8Array(Uint32Array.of(step).buffer, 0, width));
  builder.bytes(entries);
}

export function decodeRampRun(cursor: ByteCursor, first: number, elementBytes: number): RampRun {
  const { count, width, modulus, steps } = rampFields(cursor, elementBytes);
  const entries = cursor.bytes(count * (8 + width));
  for (let at = 8; at < entries.byteLength; at += 8 + width) {
    const fault = rampFault({ steps, modulus }, width, entries.subarray(at, at + width));
    if (fault) throw cursor.corrupt(fault);
  }
  return { kind: 'ramp', first, count, width, modulus, steps, entries };
}

/** Reads the fields of a run of ramps, up to its entries. */
function rampFields(cursor: ByteCursor, elementBytes: number): Omit<RampRun, 'kind' | 'first' | 'entries'> {
  const count = countOf(cursor);
  const width = widthOf(cursor, elementBytes);
  const modulus = cursor.u32();
  const step = () => littleEndian(cursor.bytes(width));
  return { count, width, modulus, steps: [step(), step(), step()] };
}

function countOf(cursor: ByteCursor): number {
  const count = cursor.u32();
  if (count === 0) throw cursor.corrupt('has a run without chunks');
  return count;
}

function widthOf(cursor: ByteCursor, elementBytes: number): number {
  const width = cursor.u8();
  if (width === elementBytes) return width;
  throw cursor.corrupt(`has an element of ${width} bytes in a volume of ${elementBytes}-byte elements`);
}

/** A run of ramps that may still grow. */
export class GrowingRamps {
  readonly first: number;
  readonly #rule: RampChunk;
  readonly #entries = new ByteBuilder();
  #count = 0;

  constructor(first: number, chunk: RampChunk) {
    this.first = first;
    this.#rule = chunk;
    this.add(first, chunk);
  }

  /** Returns false if chunk `number` does not continue this run. */
  add(number: number, chunk: RampChunk): boolean {
    if (number !== this.first + this.#count || !sameRule(this.#rule, chunk)) return false;
    this.#entries.checksum(chunk.decodedChecksum).bytes(chunk.element);
    this.#count++;
    return true;
  }

  run(): RampRun {
    const { element, steps, modulus } = this.#rule;
    const width = element.byteLength;
    return { kind: 'ramp', first: this.first, count: this.#count, width, steps, modulus, entries: this.#entries.build() };
  }
}

/** The body of CONS: the constant chunks since the previous such record. docs/FORMAT.md, 'CONS'. */
export function encodeConstants(runs: readonly ConstantRun[]): Uint8Array<ArrayBuffer> {
  const builder = new ByteBuilder();
  for (const run of runs) encodeConstantRun(builder.u64(run.first), run);
  return builder.build();
}

/** The body of RAMP: the ramps since the previous such record. docs/FORMAT.md, 'RAMP'. */
export function encodeRamps(runs: readonly RampRun[]): Uint8Array<ArrayBuffer> {
  const builder = new ByteBuilder();
  for (const run of runs) encodeRampRun(builder.u64(run.first), run);
  return builder.build();
}

/**
 * The runs in a CONS or RAMP record, and the position of each run's fields in its body (see `computedChunkAt`).
 * @throws StriaError `corrupt`, also for chunks that the volume does not have
 */
export function* computedRuns(
  record: StriaRecord,
  chunkCount: number,
  elementBytes: number,
): Generator<{ readonly run: ComputedRun; readonly place: number }> {
  const decode = record.type === recordTypes.ramps ? decodeRampRun : decodeConstantRun;
  const cursor = new ByteCursor(record.body, `the ${record.type} record at byte ${record.offset}`);
  while (cursor.remaining > 0) {
    const first = cursor.u64();
    const place = cursor.offset;
    const run = decode(cursor, first, elementBytes);
    if (run.first + run.count > chunkCount) throw cursor.corrupt(`describes chunks after the last, ${chunkCount - 1}`);
    yield { run, place };
  }
}
