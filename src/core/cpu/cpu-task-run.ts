import { analyze, type ChunkAnalysis } from '../chunks/analyze.ts';
import type { EncodeChoice, VoxelBox } from '../chunks/backend.ts';
import { chooseCodecs, codedChunk, fallback, isConstant, isNoGain, payloadChunk } from '../chunks/choose.ts';
import type { ChosenChain } from '../chunks/chosen-codec.ts';
import { ChunkGatherer, FreeBytes } from '../chunks/chunk-gatherer.ts';
import { findRamp, headBytes, mayBeRamp } from '../chunks/ramp.ts';
import { rawCodec } from '../chunks/raw-codec.ts';
import { chunkBytes } from '../codec/batch.ts';
import { type ChunkInMemory, firstBytes } from '../codec/chunk-in-memory.ts';
import type { ChunkGeometry, ChunkVoxels, CodecOptions } from '../codec/codec.ts';
import { encodeOnCpu, sectionsOnCpu } from '../codecs/on-cpu.ts';
import { choiceByName } from '../codecs/registry.ts';
import type { EncodedChunk, RampRule } from '../format/chunk.ts';
import { codecElementBytes, elementsPerVoxel } from '../format/chunk-grid.ts';
import { halve } from '../levels/halve.ts';
import type { ReadSharedFile } from '../shared/bytes.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { faultToData, inContext } from '../shared/errors.ts';
import { type Dims3, typedVoxels } from '../shared/volume.ts';
import { analyzeInMemory, type ChunkMemory } from './chunk-memory.ts';
import type { CpuTask, CpuTaskResult, HalveTask, TaskHalving } from './cpu-task.ts';
import { decodeRow, RowMemory } from './decode-row.ts';
import { halvedVoxels } from './halve-task.ts';
import { dimsOfHalvings, type HalvedChunks, type HalvingSteps, putPlanes } from './halved-chunks.ts';
import { FileRows, readRow, rowsInMemory } from './row-source.ts';
import { surveyInMemory, surveyOnCpu } from './survey-on-cpu.ts';

/** What a thread keeps between tasks. */
export class CpuDesk {
  readonly free = new FreeBytes();
  readonly memory: ChunkMemory | undefined;
  readonly rows = new RowMemory();
  readonly files: FileRows;

  /**
   * @param memory where WebAssembly analyzes and encodes chunks; without it neither they nor decoded rows are in such memory
   * @param readFile needed for boxes in files
   */
  constructor(memory?: ChunkMemory, readFile?: ReadSharedFile) {
    this.memory = memory;
    this.files = new FileRows(readFile);
  }
}

/** Runs a task in a worker. A fault becomes a result; nothing is thrown. */
export function runCpuTask(task: CpuTask, desk = new CpuDesk()): CpuTaskResult {
  try {
    if (task.kind === 'decode') return (desk.memory && desk.rows.decode(task)) ?? decodeRow(task);
    if (task.kind === 'halve') return { kind: 'halve', chunk: makeBrick(task, desk) };
    return { kind: 'encode', ...encodeChunks(task, desk), voxels: 'bytes' in task.box ? task.box.bytes : undefined };
  } catch (error) {
    return { kind: 'fault', fault: faultToData(error) };
  }
}

/**
 * All chunks are analyzed, and their codecs chosen, before the first is encoded, so that the two stages can be timed
 * separately.
 */
function encodeChunks(task: Extract<CpuTask, { kind: 'encode' }>, { memory, free, files }: CpuDesk) {
  const { box, chunks, options } = task;
  const isInFile = !('bytes' in box);
  const readMs = epochMs();
  const choice = { codec: choiceByName(task.codec), options };
  const rows = isInFile ? files.of(box) : rowsInMemory(box);
  const inMemory = memory?.load(rows, chunks);
  const row = inMemory ? undefined : isInFile ? readRow(rows, chunks, free) : { box, chunks };
  const gatherer = row && new ChunkGatherer(row.box, row.chunks, free);
  const startMs = isInFile ? epochMs() : readMs;
  const each = <In, Out>(items: readonly In[], work: (item: In, index: number) => Out) =>
    items.map((item, index) => {
      try {
        return work(item, index);
      } catch (error) {
        throw inContext(chunkName(task.firstChunk + index), error);
      }
    });
  const { elementBytes } = box;
  const takeFromMemory = (index: number) => {
    const chunk = inMemory?.[index] as ChunkInMemory;
    const bytes = free.take(chunkBytes(chunk));
    memory?.copyOut(chunk, bytes);
    return bytes;
  };
  const taken: (Uint8Array<ArrayBuffer> | undefined)[] = [];
  const chosen = each(chunks, ({ shape }, index) => {
    const voxels = () => {
      taken[index] ??= gatherer?.take(index) ?? takeFromMemory(index);
      return { bytes: taken[index], shape, elementBytes };
    };
    return chooseFor({ shape, elementBytes, voxels, inMemory: inMemory?.[index] }, choice);
  });
  const endMs = epochMs();
  const { halving } = task;
  const areConstant = () => chosen.map(({ chosen }) => chosen === 'constant');
  const halved =
    halving &&
    (inMemory && memory
      ? placed(memory.halve(halving, areConstant()), halving)?.map((bytes) => bytes.slice())
      : placed(halveBox(readRow(rows, chunks, free).box, halving, free), halving));
  const encoded = each(chosen, (one, index) => {
    const result = encodeAs(one, options);
    const bytes = taken[index];
    if (bytes && !(result.kind === 'coded' && result.payload.buffer === bytes.buffer)) free.give(bytes);
    return result;
  });
  if (row && isInFile) free.give(row.box.bytes);
  return {
    chunks: encoded,
    halved,
    read: isInFile ? { startMs: readMs, endMs: startMs } : undefined,
    analyzed: { startMs, endMs },
  };
}

/**
 * A brick of a level that the file leaves out. It is encoded by `rle`, which takes a fifth of the time of other codecs; where that saves less
 * than half, by `rice` if that is shorter.
 */
function makeBrick(task: HalveTask, desk: CpuDesk): EncodedChunk {
  const voxels = halvedVoxels(task);
  const { shape, type } = task;
  const box = { bytes: voxels, dims: shape, elementBytes: codecElementBytes(type) };
  const encode = (codec: string): EncodedChunk => {
    const options = { axis: 'auto' } as const;
    const chunks = [{ origin: [0, 0, 0], shape }] as const;
    return encodeChunks({ kind: 'encode', box, chunks, firstChunk: 0, codec, options }, desk).chunks[0] as EncodedChunk;
  };
  const one = encode('rle');
  if (one.kind !== 'coded' || 2 * one.payload.byteLength <= voxels.byteLength) return withOwnPayload(one);
  const other = encode('rice');
  return withOwnPayload(other.kind === 'coded' && other.payload.byteLength < one.payload.byteLength ? other : one);
}

/** The chunk with its payload in a buffer of its own, so that it can be transferred, and keeps no other memory alive. */
function withOwnPayload(chunk: EncodedChunk): EncodedChunk {
  if (chunk.kind !== 'coded' || chunk.payload.byteLength === chunk.payload.buffer.byteLength) return chunk;
  return { ...chunk, payload: chunk.payload.slice() };
}

/** Copies halved voxels to their places. @returns those of a task that names no places */
function placed(results: readonly HalvedChunks[], { into }: TaskHalving): Uint8Array<ArrayBuffer>[] | undefined {
  if (!into) return results.map(({ bytes }) => bytes);
  results.forEach((result, index) => {
    putPlanes(result, into[index] ?? []);
  });
  return undefined;
}

/** Halves adjacent chunks along x, which a box holds alone. @param free takes the voxels of the box */
function halveBox({ bytes, dims }: VoxelBox, { steps, further, method, type }: HalvingSteps, free: FreeBytes): HalvedChunks[] {
  const results = dimsOfHalvings(dims, [steps, ...further], type);
  let last: HalvedChunks = { bytes, dims };
  return results.map((to, index) => {
    const [x, y, z] = last.dims;
    const voxels: Dims3 = [x / elementsPerVoxel(type), y, z];
    const halved = halve(typedVoxels(type, last.bytes), type, voxels, further[index - 1] ?? steps, 1, method);
    if (index === 0) free.give(bytes);
    last = { bytes: new Uint8Array(halved.buffer as ArrayBuffer, halved.byteOffset, halved.byteLength), dims: to };
    return last;
  });
}

const epochMs = () => performance.timeOrigin + performance.now();

/** Encodes a chunk as `choice` says. @throws StriaError `unsupported` */
export function encodeChunk(voxels: ChunkVoxels, choice: EncodeChoice): EncodedChunk {
  return encodeAs(chooseFor({ ...voxels, voxels: () => voxels, inMemory: undefined }, choice), choice.options);
}

/** A chunk to be encoded. Its voxels are taken out of the box only if the kernels in memory do not suffice. */
interface ChunkToEncode extends ChunkGeometry {
  readonly voxels: () => ChunkVoxels;
  readonly inMemory: ChunkInMemory | undefined;
}

interface AnalyzedChunk {
  readonly chunk: ChunkToEncode;
  readonly analysis: ChunkAnalysis;
  /** Constant, a ramp, or the codecs to encode it by. */
  readonly chosen: 'constant' | RampRule | readonly [ChosenChain, ...ChosenChain[]];
}

function chooseFor(chunk: ChunkToEncode, choice: EncodeChoice): AnalyzedChunk {
  const analysis = chunk.inMemory ? analyzeInMemory(chunk.inMemory) : analyze(chunk.voxels());
  if (isConstant(analysis)) return { chunk, analysis, chosen: 'constant' };
  const ramp = mayBeRamp(analysis, chunk, () => headOf(chunk)) ? findRamp(chunk.voxels()) : undefined;
  const survey = () => (chunk.inMemory ? surveyInMemory(chunk.inMemory) : surveyOnCpu(chunk.voxels()));
  return { chunk, analysis, chosen: ramp ?? chooseCodecs(analysis, chunk, choice, survey) };
}

/** The first bytes of a chunk. */
function headOf(chunk: ChunkToEncode): Uint8Array {
  return chunk.inMemory ? firstBytes(chunk.inMemory, headBytes) : chunk.voxels().bytes.slice(0, headBytes);
}

function encodeAs({ chunk, analysis, chosen }: AnalyzedChunk, options: CodecOptions): EncodedChunk {
  if (chosen === 'constant' || 'steps' in chosen) {
    const computed = { element: headOf(chunk).slice(0, chunk.elementBytes), decodedChecksum: analysis.checksum };
    return chosen === 'constant' ? { kind: 'constant', ...computed } : { kind: 'ramp', ...chosen, ...computed };
  }
  let encoded: ReturnType<typeof encodeBy>;
  for (const one of chosen) {
    const result = encodeBy(one, chunk, options);
    if (result && !(encoded && encoded.payload.byteLength <= result.payload.byteLength)) encoded = result;
  }
  for (let next = chosen[0]; !encoded; ) {
    next = fallback(next, analysis, chunk, options);
    encoded = encodeBy(next, chunk, options);
  }
  return codedChunk(encoded.stages, encoded.payload, analysis.checksum);
}

/** Undefined if this chunk would not be smaller than its voxels. */
function encodeBy(chosen: ChosenChain, voxels: ChunkToEncode, options: CodecOptions) {
  const { codec, parameters, second } = chosen;
  const payload =
    (voxels.inMemory && codec.encodeInMemory?.(voxels.inMemory, parameters)) ?? encodeOnCpu(codec, voxels.voxels(), parameters);
  const hasGain = codec === rawCodec || !isNoGain(payload.byteLength, voxels);
  if (second && (hasGain || codec.preparesEntropy)) {
    const chunk = payloadChunk(second, payload.byteLength, options);
    const sections = sectionsOnCpu(codec, payload, voxels, parameters);
    const shorter = encodeOnCpu(second, { ...chunk, bytes: payload, sections }, chunk.parameters);
    if (!isNoGain(shorter.byteLength, chunk) && !isNoGain(shorter.byteLength, voxels)) {
      return { stages: [chosen, { codec: second, parameters: chunk.parameters }], payload: shorter };
    }
  }
  return hasGain ? { stages: [chosen], payload } : undefined;
}
