import placesShader from '../../shaders/codec/places.wgsl';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { KernelDescriptor } from '../gpu/kernel.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { throwIfAborted } from '../shared/job.ts';
import { chunkBytes, placePayloads } from './batch.ts';
import type { CodecElementBytes, CodecKernels, GpuChunk, GpuPayloads, GpuVoxels, KernelCall, RecordedPayloads } from './codec.ts';

/** Words of a `Place` in places.wgsl. */
export const placeWords = 4;

/** Places the payloads of recorded commands. */
export const placer: KernelDescriptor = { label: 'codec.places', shader: placesShader };

/** How a codec's payloads are placed: the fields of `Batch` in places.wgsl, and what it binds. */
export interface PayloadLayout {
  readonly chunkCount: number;
  /** Number of the first chunk in the batch. Default 0. */
  readonly first?: number;
  /** The bytes of each payload's parts. */
  readonly lengths: GPUBuffer;
  /** Default 1. */
  readonly partCount?: number;
  /** The codec's `array<Chunk>`. A chunk begins with its shape. */
  readonly chunks: GPUBuffer;
  readonly chunkWords: number;
  /** The word of a chunk that gets the payload's start. The next one gets its length. */
  readonly placeWord: number;
  /** Whether these two are in words instead of bytes. */
  readonly inWords?: boolean;
  /** The word of a chunk that gets the byte where the payload's second part starts, and how many parts' starts follow. */
  readonly starts?: { readonly word: number; readonly count: number };
  /** Of the chunks. Undefined if each payload is kept, smaller than its chunk or not. */
  readonly elementBytes?: CodecElementBytes | undefined;
}

/** A buffer for `recordPlaces`. */
export function placesFor(scope: GpuScope, chunkCount: number): GPUBuffer {
  return scope.storage('places', 4 * placeWords * (chunkCount + 1));
}

/** Records the placing of payloads, whose lengths are on the GPU, behind those placed before. @param work owns the uniform */
export function recordPlaces(gpu: Gpu, commands: Commands, work: GpuScope, places: GPUBuffer, layout: PayloadLayout): void {
  const {
    chunkCount,
    first = 0,
    lengths,
    partCount = 1,
    chunks,
    chunkWords,
    placeWord,
    inWords,
    starts,
    elementBytes = 0,
  } = layout;
  const unit = inWords ? 4 : 1;
  const { word: startsWord, count: startCount } = starts ?? { word: 0, count: 0 };
  const words = [chunkCount, first, partCount, chunkWords, placeWord, unit, startsWord, startCount, elementBytes];
  commands.dispatch(gpu.kernel(placer), [work.uniform('batch', words), lengths, chunks, places], 1);
}

/** A buffer of zeros, which `commands` make: its memory may have been used before. */
export function recordZeros(commands: Commands, scope: GpuScope, label: string, size: number): GPUBuffer {
  const buffer = scope.reused(label, size);
  commands.record((encoder) => encoder.clearBuffer(buffer));
  return buffer;
}

/** Bytes that hold each chunk's payload, if payloads are no larger than these bounds. */
export function roomFor(mostBytes: readonly number[]): number {
  return placePayloads(mostBytes).totalBytes;
}

/** The upper bound of the payloads of codecs that write only what is smaller than the voxels. */
export function boundsOf(chunks: readonly Pick<GpuChunk, 'shape'>[], elementBytes: CodecElementBytes): number[] {
  return chunks.map(({ shape }) => chunkBytes({ shape, elementBytes }));
}

/** Payloads whose lengths the CPU knows, as if they had been recorded. @param mostBytes the upper bound of any such payload */
export function asRecorded(scope: GpuScope, payloads: GpuPayloads, mostBytes: readonly number[]): RecordedPayloads {
  const { buffer, byteOffsets, byteLengths, sections } = payloads;
  const table = new Uint32Array(placeWords * (byteLengths.length + 1));
  for (let i = 0; i < byteLengths.length; i++) {
    table[placeWords * i] = byteOffsets[i] as number;
    table[placeWords * i + 1] = byteLengths[i] as number;
  }
  const totalBytes = placePayloads(byteLengths).totalBytes;
  table[placeWords * byteLengths.length] = totalBytes;
  const places = scope.storage('places', table.byteLength, table);
  const payloadBuffer = buffer ?? scope.storage('no-payloads', 4);
  return { buffer: payloadBuffer, places, mostBytes, totalBytes, sections: sections && sectionTable(scope, sections) };
}

function sectionTable(scope: GpuScope, sections: readonly (readonly number[])[]): RecordedPayloads['sections'] {
  const perChunk = Math.max(1, ...sections.map(({ length }) => length));
  const table = new Uint32Array(perChunk * sections.length);
  for (const [i, lengths] of sections.entries()) table.set(lengths, perChunk * i);
  return { buffer: scope.storage('sections', table.byteLength, table), perChunk };
}

/** Records work, and gives up the commands if that fails. */
export function recordOrAbandon<T>(commands: Commands, record: () => T): T {
  try {
    return record();
  } catch (error) {
    commands.abandon();
    throw error;
  }
}

type RecordEncode = CodecKernels['recordEncode'];
type PrepareEncode = CodecKernels['prepareEncode'];

/**
 * A codec's encoder, from what records it.
 * @param label of the commands if the codec encodes alone
 */
export function recordedEncoder(
  gpu: Gpu,
  label: string,
  prepareEncode: PrepareEncode,
  record: (gpu: Gpu, ...recording: Parameters<RecordEncode>) => RecordedPayloads,
): Pick<CodecKernels, 'prepareEncode' | 'recordEncode' | 'encode'> {
  const recordEncode: RecordEncode = (...recording) => record(gpu, ...recording);
  return {
    prepareEncode,
    recordEncode,
    encode: (...encoding) => encodeRecorded(gpu, label, { prepareEncode, recordEncode }, ...encoding),
  };
}

/** One submit, and one wait. */
async function encodeRecorded(
  gpu: Gpu,
  label: string,
  { prepareEncode, recordEncode }: { readonly prepareEncode: PrepareEncode; readonly recordEncode: RecordEncode },
  voxels: GpuVoxels,
  chunks: readonly GpuChunk[],
  { scope, signal, onTimes, isFirstStage }: KernelCall,
): Promise<GpuPayloads> {
  throwIfAborted(signal);
  if (chunks.length === 0) return { buffer: undefined, byteOffsets: [], byteLengths: [] };
  await prepareEncode(voxels.elementBytes, chunks);
  using work = scope.scope(label);
  const commands = gpu.commands(label, onTimes);
  const { buffer, places, sections } = recordOrAbandon(commands, () =>
    recordEncode(commands, voxels, chunks, { scope, work, isFirstStage }),
  );
  const readPlaces = commands.readWords(places);
  const readSections = sections && commands.readWords(sections.buffer);
  await commands.submit();
  const words = readPlaces();
  const byteOffsets = chunks.map((_, i) => words[placeWords * i] as number);
  const byteLengths = chunks.map((_, i) => words[placeWords * i + 1] as number);
  const lengths = readSections?.();
  const perChunk = sections?.perChunk ?? 0;
  const sectionsOf = (i: number): number[] =>
    byteLengths[i] === 0 ? [] : [...(lengths as Uint32Array).subarray(perChunk * i, perChunk * (i + 1))].filter((one) => one > 0);
  return {
    buffer: words[placeWords * chunks.length] === 0 ? undefined : buffer,
    byteOffsets,
    byteLengths,
    ...(lengths && { sections: chunks.map((_, i) => sectionsOf(i)) }),
  };
}
