import analyzeShader from '../../shaders/gpu-chunks/analyze.wgsl';
import compareShader from '../../shaders/gpu-chunks/compare.wgsl';
import fillShader from '../../shaders/gpu-chunks/fill.wgsl';
import { type ChunkAnalysis, lanesOf, maskOfElements } from '../chunks/analyze.ts';
import type { ChunkBox, ResidentBox } from '../chunks/backend.ts';
import { stackedChunks } from '../chunks/boxes.ts';
import { headBytes, type Ramp } from '../chunks/ramp.ts';
import { boxLayout, firstWordOf } from '../codec/batch.ts';
import {
  type ChunkSurvey,
  type CodecElementBytes,
  type DecodePlan,
  type GpuVoxels,
  type KernelCall,
  rowBytes,
} from '../codec/codec.ts';
import type { Checksum } from '../format/checksum.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { KernelDescriptor } from '../gpu/kernel.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3 } from '../shared/volume.ts';
import { surveyOnGpu, surveyor } from './gpu-survey.ts';

/** The GPU's analysis of a chunk: enough to create a constant chunk without reading its voxels back. */
export interface GpuChunkAnalysis extends ChunkAnalysis {
  /** At most the first `headBytes` bytes of the chunk's first row. */
  head(): Uint8Array;
  /** Undefined if it was not requested. */
  survey(): ChunkSurvey | undefined;
}

/** Reads what few chunks need when it is asked for: a batch has hundreds of chunks, and the GPU waits for their choices. */
class ReadAnalysis implements GpuChunkAnalysis {
  readonly changes: Dims3;
  readonly checksum: Checksum;
  readonly #words: Uint32Array;
  readonly #index: number;
  readonly #headLength: number;
  readonly #surveyOf: ((index: number) => ChunkSurvey) | undefined;

  /** @param words the totals of all chunks, kept as long as the analyses */
  constructor(words: Uint32Array, index: number, headLength: number, surveyOf: ((index: number) => ChunkSurvey) | undefined) {
    const at = recordWords * index;
    this.changes = [words[at] as number, words[at + 1] as number, words[at + 2] as number];
    this.checksum = { sum: words[at + 3] as number, cross: words[at + 4] as number };
    this.#words = words;
    this.#index = index;
    this.#headLength = headLength;
    this.#surveyOf = surveyOf;
  }

  head(): Uint8Array {
    const { buffer, byteOffset } = this.#words;
    return new Uint8Array(buffer, byteOffset + 4 * (recordWords * this.#index + 5), this.#headLength);
  }

  survey(): ChunkSurvey | undefined {
    return this.#surveyOf?.(this.#index);
  }
}

/** Byte length of a box in GPU memory, with padded rows. */
export function paddedBoxBytes(dims: Dims3, elementBytes: CodecElementBytes): number {
  return rowBytes(dims[0], elementBytes) * dims[1] * dims[2];
}

/** Statistics and checksums of chunks of a box, by shaders/gpu-chunks/analyze.wgsl. @param withSurvey also surveys them */
export async function analyzeOnGpu(
  gpu: Gpu,
  box: ResidentBox,
  call: KernelCall,
  withSurvey = false,
): Promise<GpuChunkAnalysis[]> {
  if (box.chunks.length === 0) return [];
  await gpu.prepareKernels(analyzersOf(box, withSurvey));
  using scope = call.scope.scope('analyze');
  const commands = gpu.commands('analyze', call.onTimes);
  const read = recordAnalysis(gpu, box, scope, commands, withSurvey);
  await commands.submit();
  return read();
}

/** Records what `analyzeOnGpu` does. @returns the analyses, once the commands are done */
export function recordAnalysis(
  gpu: Gpu,
  box: ResidentBox,
  scope: GpuScope,
  commands: Commands,
  withSurvey = false,
): () => GpuChunkAnalysis[] {
  const { voxels, chunks } = box;
  if (chunks.length === 0) return () => [];
  const { elementBytes } = voxels;
  const byQuads = hasWholeQuads(voxels, chunks);
  const plan = planPieces(voxels, chunks, walkOf(byQuads), byQuads ? 4 : 1);
  const table = chunkTable(voxels, chunks, (x) => maskOfElements((x - 1) % (4 / elementBytes), elementBytes));
  const chunkRecords = scope.storage('chunks', table.byteLength, table);
  const totals = scope.storage('totals', 4 * recordWords * chunks.length);
  commands.stage('analyze').dispatch(
    gpu.kernel(analyzer(elementBytes, byQuads)),
    // A box smaller than a quad cannot be bound as quads.
    [voxels.buffer, chunkRecords, totals, scope.uniform('box', plan.box), byQuads ? voxels.buffer : chunkRecords],
    plan.workgroups,
  );
  const readSurveys = withSurvey ? surveyOnGpu(gpu, box, scope, commands) : undefined;
  const readTotals = commands.readWords(totals);
  return () => {
    const words = readTotals();
    const surveyOf = readSurveys?.();
    return chunks.map(
      ({ shape }, index) => new ReadAnalysis(words, index, Math.min(headBytes, shape[0] * elementBytes), surveyOf),
    );
  };
}

/** A box whose memory need not exist yet. */
export type UnmadeBox = Pick<ResidentBox, 'chunks'> & { readonly voxels: Omit<GpuVoxels, 'buffer'> };

/** The kernels of `analyzeOnGpu` for a box. */
export function analyzersOf({ voxels, chunks }: UnmadeBox, withSurvey: boolean): KernelDescriptor[] {
  const { elementBytes } = voxels;
  return [analyzer(elementBytes, hasWholeQuads(voxels, chunks)), ...(withSurvey ? [surveyor(elementBytes)] : [])];
}

/** What `analyzeOnGpu` runs for most boxes: those whose rows are whole quads. */
export function analyzers(elementBytes: CodecElementBytes, withSurvey: boolean): KernelDescriptor[] {
  return [analyzer(elementBytes, true), ...(withSurvey ? [surveyor(elementBytes)] : [])];
}

function analyzer(elementBytes: CodecElementBytes, byQuads: boolean): KernelDescriptor {
  const constants = { segment: walkOf(byQuads), ...lanesOf[elementBytes], by_quads: Number(byQuads) };
  return { label: 'engine.analyze', shader: analyzeShader, constants };
}

/** Writes ramps and constant chunks into a box, by shaders/gpu-chunks/fill.wgsl. `ramps[i]` is `chunks[i]`. */
export async function fillOnGpu(gpu: Gpu, box: ResidentBox, ramps: readonly Ramp[], call: KernelCall): Promise<void> {
  if (box.chunks.length === 0) return;
  using scope = call.scope.scope('fill');
  const plan = prepareFill(gpu, box, ramps, scope);
  const commands = gpu.commands('fill', call.onTimes);
  plan(commands);
  await commands.submit();
}

/** Like `fillOnGpu`, for repeated runs; `scope` owns the resources. */
export function prepareFill(gpu: Gpu, { voxels, chunks }: ResidentBox, ramps: readonly Ramp[], scope: GpuScope): DecodePlan {
  const { elementBytes } = voxels;
  const { bits, ones } = lanesOf[elementBytes];
  const perWord = 4 / elementBytes;
  const table = chunkTable(
    voxels,
    chunks,
    (x) => maskOfElements(((x - 1) % perWord) + 1, elementBytes),
    (index) => Math.imul((ramps[index] as Ramp).first, ones),
  );
  const { box, workgroups } = planPieces(voxels, chunks);
  const rules = Uint32Array.from(ramps.flatMap(({ first, steps, modulus }) => [first, ...steps, modulus]));
  const kernel = gpu.kernel({ label: 'engine.fill', shader: fillShader, constants: { segment, bits } });
  const bindings = [
    voxels.buffer,
    scope.storage('chunks', table.byteLength, table),
    scope.uniform('box', box),
    scope.storage('ramps', rules.byteLength, rules),
  ];
  return (commands) => {
    commands.stage('fill').dispatch(kernel, bindings, workgroups);
  };
}

/**
 * Counts the words in which chunks of two boxes differ, by shaders/gpu-chunks/compare.wgsl. @param other a box with chunks of
 * the same shapes, in the same order
 */
export async function compareOnGpu(
  gpu: Gpu,
  { voxels, chunks }: ResidentBox,
  other: ResidentBox,
  call: KernelCall,
): Promise<{ differingWords: number }> {
  if (chunks.length === 0) return { differingWords: 0 };
  using scope = call.scope.scope('compare');
  const table = chunkTable(
    voxels,
    chunks,
    () => 0,
    (index) => firstWordOf(other.voxels, (other.chunks[index] as ChunkBox).origin),
  );
  const plan = planPieces(voxels, chunks);
  const { rowWords, sliceWords } = boxLayout(other.voxels);
  const differing = scope.storage('differing', 4);
  const commands = gpu.commands('compare', call.onTimes);
  commands
    .stage('check')
    .dispatch(
      gpu.kernel(comparer),
      [
        voxels.buffer,
        other.voxels.buffer,
        scope.storage('chunks', table.byteLength, table),
        differing,
        scope.uniform('box', [...plan.box, rowWords, sliceWords]),
      ],
      plan.workgroups,
    );
  const found = commands.readWords(differing);
  await commands.submit();
  return { differingWords: found()[0] as number };
}

/** A scratch box with chunks stacked along z, all at x = y = 0, and each chunk's place in it. */
export function stackedBox(scope: GpuScope, shapes: readonly Dims3[], elementBytes: CodecElementBytes): ResidentBox {
  const { dims, boxes } = stackedChunks(shapes);
  return { voxels: { buffer: scope.storage('stack', paddedBoxBytes(dims, elementBytes)), dims, elementBytes }, chunks: boxes };
}

/** Slices that one invocation processes along z: enough to pay for the reduction, few enough for many workgroups. */
export const segment = 32;
const workgroupSize = 256;
/** Slices per invocation of analyze.wgsl. */
const walkOf = (byQuads: boolean) => (byQuads ? segment / 4 : segment);
export const comparer: KernelDescriptor = { label: 'engine.compare', shader: compareShader, constants: { segment } };
/** Words of `Chunk` in the shaders, and of a chunk's totals. */
const recordWords = 8;

/** Whether all rows of the chunks are whole quads of words, each at a multiple of four words. */
function hasWholeQuads(voxels: UnmadeBox['voxels'], chunks: readonly ChunkBox[]): boolean {
  const quadElements = 16 / voxels.elementBytes;
  const isWhole = ({ origin, shape }: ChunkBox) => firstWordOf(voxels, origin) % 4 === 0 && shape[0] % quadElements === 0;
  return boxLayout(voxels).rowWords % 4 === 0 && chunks.every(isWhole);
}

/**
 * Cuts the chunks into pieces of one workgroup each, and creates the `Box` uniform of these shaders. @param walk slices per
 * invocation @param columnWords words of a column in a slice
 */
export function planPieces(voxels: GpuVoxels, chunks: readonly ChunkBox[], walk = segment, columnWords = 1) {
  const perWord = 4 / voxels.elementBytes;
  let columnBlocks = 1;
  let segments = 1;
  for (const { shape } of chunks) {
    columnBlocks = Math.max(columnBlocks, Math.ceil((Math.ceil(shape[0] / perWord / columnWords) * shape[1]) / workgroupSize));
    segments = Math.max(segments, Math.ceil(shape[2] / walk));
  }
  const pieces = columnBlocks * segments;
  const { rowWords, sliceWords } = boxLayout(voxels);
  return { workgroups: pieces * chunks.length, box: [rowWords, sliceWords, chunks.length, pieces, columnBlocks] };
}

/** The chunk records of the shaders. */
export function chunkTable(
  voxels: GpuVoxels,
  chunks: readonly ChunkBox[],
  lastMask: (x: number) => number,
  value: (index: number) => number = () => 0,
): Uint32Array<ArrayBuffer> {
  const table = new Uint32Array(recordWords * chunks.length);
  for (let index = 0, at = 0; index < chunks.length; index++, at += recordWords) {
    const { origin, shape } = chunks[index] as ChunkBox;
    table[at] = firstWordOf(voxels, origin);
    table[at + 1] = rowBytes(shape[0], voxels.elementBytes) / 4;
    table[at + 2] = shape[1];
    table[at + 3] = shape[2];
    table[at + 4] = lastMask(shape[0]);
    table[at + 5] = value(index);
  }
  return table;
}
