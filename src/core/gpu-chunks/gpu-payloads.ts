import checksumShader from '../../shaders/gpu-chunks/checksum.wgsl';
import { placePayloads } from '../codec/batch.ts';
import type { KernelCall, RecordedPayloads } from '../codec/codec.ts';
import { placeWords } from '../codec/recorded.ts';
import type { Checksum } from '../format/checksum.ts';
import type { Commands, GatheredCopy } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { KernelDescriptor } from '../gpu/kernel.ts';
import { type LentBytes, wholeWords } from '../gpu/lent-bytes.ts';
import type { GpuScope } from '../gpu/scope.ts';

/** A payload in GPU memory. */
export interface PlacedPayload {
  /** Usage STORAGE | COPY_SRC. */
  readonly buffer: GPUBuffer;
  /** A multiple of 4. */
  readonly byteOffset: number;
  /** At least 1. */
  readonly byteLength: number;
}

/** Payloads in CPU memory, one after another. */
export interface GatheredPayloads {
  /** Undefined if there are none. */
  readonly lent: LentBytes | undefined;
  readonly byteOffsets: readonly number[];
}

/** Copies payloads to the CPU, in one submit. */
export async function gatherPayloads(
  gpu: Gpu,
  payloads: readonly PlacedPayload[],
  { onTimes }: Pick<KernelCall, 'onTimes'>,
): Promise<GatheredPayloads> {
  if (payloads.length === 0) return { lent: undefined, byteOffsets: [] };
  const { byteOffsets, totalBytes } = placePayloads(payloads.map(({ byteLength }) => byteLength));
  const commands = gpu.commands('payloads', onTimes);
  const lent = commands.lend(totalBytes, copiesOf(payloads, byteOffsets));
  await commands.submit();
  return { lent: lent(), byteOffsets };
}

/** The copies that move payloads to their new places. Payloads that stay adjacent are copied together. */
function copiesOf(payloads: readonly PlacedPayload[], byteOffsets: readonly number[]): GatheredCopy[] {
  const copies: { -readonly [Key in keyof GatheredCopy]: GatheredCopy[Key] }[] = [];
  payloads.forEach(({ buffer, byteOffset, byteLength }, i) => {
    const [to, size] = [byteOffsets[i] as number, wholeWords(byteLength)];
    const last = copies.at(-1);
    if (last?.buffer === buffer && last.offset + last.size === byteOffset && last.to + last.size === to) last.size += size;
    else copies.push({ buffer, offset: byteOffset, size, to });
  });
  return copies;
}

/**
 * Moves payloads to the start of a buffer, one after another. The caller may free their old buffers at once.
 * @param target makes the buffer, with usage COPY_DST
 */
export function movePayloads(
  gpu: Gpu,
  payloads: readonly PlacedPayload[],
  target: (byteLength: number) => GPUBuffer,
): { readonly buffer: GPUBuffer; readonly byteOffsets: readonly number[] } {
  const { byteOffsets, totalBytes } = placePayloads(payloads.map(({ byteLength }) => byteLength));
  const buffer = target(totalBytes);
  const encoder = gpu.device.createCommandEncoder({ label: 'keep' });
  for (const { buffer: from, offset, size, to } of copiesOf(payloads, byteOffsets)) {
    encoder.copyBufferToBuffer(from, offset, buffer, to, size);
  }
  gpu.device.queue.submit([encoder.finish()]);
  return { buffer, byteOffsets };
}

/** `tile_words` in checksum.wgsl. */
const tileWords = 4096;

export const checksummer: KernelDescriptor = {
  label: 'engine.checksum',
  shader: checksumShader,
  constants: { tile_words: tileWords },
};

/** Records the checksums of payloads, which go to their places, by shaders/gpu-chunks/checksum.wgsl. @param work owns the uniform */
export function recordChecksums(
  gpu: Gpu,
  commands: Commands,
  work: GpuScope,
  { buffer, places, mostBytes }: RecordedPayloads,
): void {
  let most = 0;
  for (const bytes of mostBytes) most = Math.max(most, bytes);
  const tilesPerPayload = Math.ceil(most / 4 / tileWords);
  const uniform = work.uniform('batch', [mostBytes.length, tilesPerPayload]);
  commands.stage('checksum').dispatch(gpu.kernel(checksummer), [uniform, places, buffer], mostBytes.length * tilesPerPayload);
}

/** The places of payloads, once they are read. */
export class PayloadPlaces {
  readonly #words: Uint32Array;

  constructor(words: Uint32Array) {
    this.#words = words;
  }

  offsetOf(index: number): number {
    return this.#words[placeWords * index] as number;
  }

  /** 0: the payload was not written. */
  lengthOf(index: number): number {
    return this.#words[placeWords * index + 1] as number;
  }

  /** Of the payload as one row of bytes, if `recordChecksums` computed it. */
  checksumOf(index: number): Checksum {
    const at = placeWords * index;
    return { sum: this.#words[at + 2] as number, cross: this.#words[at + 3] as number };
  }

  /** The end of all payloads, in bytes. */
  get totalBytes(): number {
    return this.#words[this.#words.length - placeWords] as number;
  }
}

/** Records a read of the payloads' places. @returns them, once the commands are done */
export function readPlaces(commands: Commands, { places }: Pick<RecordedPayloads, 'places'>): () => PayloadPlaces {
  const read = commands.readWords(places);
  return () => new PayloadPlaces(read());
}

/**
 * Cuts lent memory into parts of these `lengths`, of which the first `used` bytes each are wanted.
 * @param own if given, receives the parts one after another, and the memory is released
 */
export function takeParts(
  lent: LentBytes,
  own: Uint8Array | undefined,
  lengths: readonly number[],
  used: readonly number[],
): readonly Uint8Array[] {
  let [start, end] = [0, 0];
  const parts = lengths.map((length, i) => {
    const part = lent.bytes.subarray(start, start + (used[i] as number));
    start += length;
    if (!own) return part;
    own.set(part, end);
    end += part.length;
    return own.subarray(end - part.length, end);
  });
  if (own) lent.release();
  return parts;
}
