import countShader from '../../../shaders/parle/count.wgsl';
import countFlatShader from '../../../shaders/parle/count-flat.wgsl';
import expandShader from '../../../shaders/parle/expand.wgsl';
import scanShader from '../../../shaders/parle/scan.wgsl';
import writeShader from '../../../shaders/parle/write.wgsl';
import writeFlatShader from '../../../shaders/parle/write-flat.wgsl';
import {
  assertInBox,
  assertPayloads,
  boxLayout,
  elementCount,
  firstWordOf,
  payloadBuffer,
  type TileTable,
  tileTable,
} from '../../codec/batch.ts';
import type {
  CodecElementBytes,
  CodecKernels,
  DecodePlan,
  GpuChunk,
  GpuPayloads,
  GpuRange,
  GpuVoxels,
  RangePlan,
  RecordCall,
  RecordedPayloads,
} from '../../codec/codec.ts';
import { type FaultChecks, faultChecks, faultVariant } from '../../codec/faults.ts';
import { boundsOf, placer, placesFor, recordedEncoder, recordPlaces, recordZeros, roomFor } from '../../codec/recorded.ts';
import { parseAxis } from '../../codec/scan-order.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { KernelDescriptor } from '../../gpu/kernel.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { segmentCountOf, segmentElements, segmentsOf } from './layout.ts';

const chunkWords = 20;
/** Anchors, values and marks. */
const sectionCount = 3;

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    ...recordedEncoder(gpu, 'parle.encode', (elementBytes) => prepareEncode(gpu, elementBytes), recordEncode),
    prepareDecoders: (elementBytes, _chunks, checked) => gpu.prepareKernels([decoder(gpu, elementBytes, faultVariant(checked))]),
    prepareDecode: (payloads, chunks, target, scope, faults) => prepareDecode(gpu, payloads, chunks, target, scope, faults),
    prepareDecodeRanges: (payloads, ranges, elementBytes, scope) =>
      prepareDecodeRanges(gpu, payloads, ranges, elementBytes, scope),
  };
}

/** What `encode` runs. @param isFlat whether all chunks are of 4-byte elements that are contiguous in scan order */
function encoders(elementBytes: CodecElementBytes, isFlat: boolean) {
  const describe = (name: string, shader: ShaderFile, flat = false): KernelDescriptor => {
    return { label: `parle.${name}`, shader, variant: { flat }, constants: { element_bytes: elementBytes } };
  };
  return {
    count: isFlat ? describe('count-flat', countFlatShader, true) : describe('count', countShader),
    scan: describe('scan', scanShader),
    places: placer,
    write: isFlat ? describe('write-flat', writeFlatShader, true) : describe('write', writeShader),
  };
}

/** Which of `encoders` a batch needs is known with its box, so both kinds are compiled where both are possible. */
function prepareEncode(gpu: Gpu, elementBytes: CodecElementBytes): Promise<void> {
  const kinds = elementBytes === 4 ? [false, true] : [false];
  return gpu.prepareKernels(kinds.flatMap((isFlat) => Object.values(encoders(elementBytes, isFlat))));
}

/** What decoding runs, of chunks and of ranges. */
function decoder(gpu: Gpu, elementBytes: CodecElementBytes, variant: FaultChecks['variant']): KernelDescriptor {
  const constants = { element_bytes: elementBytes, threads: gpu.tuning['parle.expand'] };
  return { label: 'parle.expand', shader: expandShader, variant: variant(5), constants };
}

function recordEncode(
  gpu: Gpu,
  commands: Commands,
  voxels: GpuVoxels,
  chunks: readonly GpuChunk[],
  { scope, work }: RecordCall,
): RecordedPayloads {
  const segments = segmentsOfChunks(chunks, voxels);
  const { tileCount: segmentCount } = segments;
  const { elementBytes } = voxels;
  const records = chunks.map((chunk) => recordOf(chunk, voxels));
  const isFlat = elementBytes === 4 && records.every(isInScanOrder);
  const kernels = encoders(elementBytes, isFlat);
  const mostBytes = boundsOf(chunks, elementBytes);
  // `write` sets shared words by OR, so it needs zeros.
  const buffer = isFlat
    ? scope.reused('parle.payloads', roomFor(mostBytes))
    : recordZeros(commands, scope, 'parle.payloads', roomFor(mostBytes));
  const batch = batchUniform(work, segments, records);
  const table = chunkTable(work, records, segments);
  const chunkOfSegment = work.storage('chunk-of-segment', 4 * segmentCount, segments.chunkOfTile);
  const workgroups = Math.ceil(segmentCount / segmentsPerWorkgroup(segmentCount));
  const counts = work.reused('counts', 4 * segmentCount);
  const ends = work.reused('ends', 8 * segmentCount);
  const lengths = work.reused('lengths', 4 * sectionCount * chunks.length);
  const places = placesFor(scope, chunks.length);
  // A box smaller than a quad cannot be bound as quads, and has no whole segment that would be read that way.
  const quads = voxels.buffer.size < 16 ? table : voxels.buffer;
  const starts = isFlat ? [work.reused('starts', (segmentElements / 8) * segmentCount)] : [];
  commands
    .stage('count')
    .dispatch(gpu.kernel(kernels.count), [batch, table, chunkOfSegment, voxels.buffer, quads, counts, ...starts], workgroups)
    .stage('scan')
    .dispatch(gpu.kernel(kernels.scan), [batch, table, counts, ends, lengths], chunks.length);
  recordPlaces(gpu, commands, work, places, {
    chunkCount: chunks.length,
    lengths,
    partCount: sectionCount,
    chunks: table,
    chunkWords,
    placeWord: 15,
    inWords: true,
    starts: { word: 17, count: sectionCount - 1 },
    elementBytes,
  });
  const [first = quads] = starts;
  commands
    .stage('write')
    .dispatch(gpu.kernel(kernels.write), [batch, table, chunkOfSegment, voxels.buffer, first, ends, buffer], workgroups);
  return { buffer, places, mostBytes, sections: { buffer: lengths, perChunk: sectionCount } };
}

function prepareDecode(
  gpu: Gpu,
  payloads: GpuPayloads,
  chunks: readonly GpuChunk[],
  target: GpuVoxels,
  scope: GpuScope,
  faults?: GPUBuffer,
): DecodePlan {
  assertPayloads(payloads, chunks.length);
  const segments = segmentsOfChunks(chunks, target);
  const records = chunks.map((chunk) => recordOf(chunk, target));
  const places = chunks.map((_, i) => placeOf(payloads, i));
  return expandPlan(gpu, payloads, segments, records, places, target, scope, faults);
}

function prepareDecodeRanges(
  gpu: Gpu,
  payloads: GpuPayloads,
  ranges: readonly GpuRange[],
  elementBytes: CodecElementBytes,
  scope: GpuScope,
): RangePlan {
  assertPayloads(payloads, payloads.byteLengths.length);
  let words = 0;
  const byteOffsets: number[] = [];
  const records: ChunkRecord[] = [];
  const segmentCounts: number[] = [];
  for (const { payload, shape, parameters, first, count } of ranges) {
    parseAxis('parle', parameters);
    const total = elementCount({ shape, elementBytes });
    if (!(first >= 0 && count > 0 && first + count <= total) || payload >= payloads.byteLengths.length) {
      throw new StriaError('internal', `${count} elements from ${first} on do not lie in a chunk of ${total}`);
    }
    const { first: skipped, end } = segmentsOf(first, count);
    // The segments' elements in order, as a chunk of one row.
    const sizeX = Math.min(total, end * segmentElements) - skipped * segmentElements;
    const rowWords = Math.ceil((sizeX * elementBytes) / 4);
    byteOffsets.push(4 * words + (first - skipped * segmentElements) * elementBytes);
    records.push({
      ...flat,
      shape: [sizeX, 1, 1],
      firstWord: words,
      rowWords,
      sizeX,
      count: sizeX,
      skipped,
      segments: segmentCountOf(total),
    });
    segmentCounts.push(end - skipped);
    words += rowWords;
  }
  const buffer = scope.storage('ranges', 4 * words);
  const segments = tileTable(segmentCounts);
  const places = ranges.map(({ payload }) => placeOf(payloads, payload));
  const target = { buffer, elementBytes };
  const run = expandPlan(gpu, payloads, segments, records, places, target, scope);
  return { run, buffer, byteOffsets, segmentCount: segments.tileCount };
}

function expandPlan(
  gpu: Gpu,
  payloads: GpuPayloads,
  segments: TileTable,
  records: readonly ChunkRecord[],
  places: readonly Place[],
  target: Pick<GpuVoxels, 'buffer' | 'elementBytes'>,
  scope: GpuScope,
  faults?: GPUBuffer,
): DecodePlan {
  const batch = batchUniform(scope, segments, records);
  const table = chunkTable(scope, records, segments, places);
  const chunkOfSegment = scope.storage('chunk-of-segment', 4 * segments.tileCount, segments.chunkOfTile);
  const source = payloadBuffer(payloads, scope);
  const checks = faultChecks(faults);
  const expand = gpu.kernel(decoder(gpu, target.elementBytes, checks.variant));
  return (commands) => {
    const bindings = [batch, table, chunkOfSegment, source, target.buffer, ...checks.bindings];
    commands.stage('decode').dispatch(expand, bindings, segments.tileCount);
  };
}

function segmentsOfChunks(chunks: readonly GpuChunk[], box: GpuVoxels): TileTable {
  return tileTable(
    chunks.map((chunk) => {
      assertInBox(chunk, box);
      return segmentCountOf(elementCount({ shape: chunk.shape, elementBytes: box.elementBytes }));
    }),
  );
}

function batchUniform(scope: GpuScope, { tileCount }: TileTable, records: readonly ChunkRecord[]): GPUBuffer {
  return scope.uniform('batch', [tileCount, records.length, segmentsPerWorkgroup(tileCount)]);
}

/** Segments per workgroup of an encoder: more if there are enough of them to fill any GPU with fewer workgroups. */
function segmentsPerWorkgroup(segmentCount: number): number {
  return Math.max(1, Math.min(8, Math.floor(segmentCount / 1024)));
}

/** The layout of a chunk's elements in a box: the fields of segment.wgsl's `Chunk` that do not depend on a payload. */
interface ChunkRecord {
  readonly shape: Dims3;
  readonly firstWord: number;
  readonly rowWords: number;
  readonly sizeX: number;
  readonly count: number;
  readonly length: number;
  readonly step: number;
  readonly rows: number;
  readonly low: number;
  readonly high: number;
  readonly skipped: number;
  readonly segments: number;
}

/** Contiguous elements. */
const flat = { length: 1, step: 0, rows: 1, low: 0, high: 0, skipped: 0 };

function recordOf({ origin, shape, parameters }: GpuChunk, box: GpuVoxels): ChunkRecord {
  const axis = parseAxis('parle', parameters);
  const { elementBytes, dims } = box;
  const { rowWords, sliceWords } = boxLayout(box);
  const count = elementCount({ shape, elementBytes });
  const common = { ...flat, shape, firstWord: firstWordOf(box, origin), count, segments: segmentCountOf(count) };
  const columns = { ...common, rowWords: Math.ceil((shape[0] * elementBytes) / 4), sizeX: shape[0] };
  if (axis === 1) return { ...columns, length: shape[1], step: rowWords, high: sliceWords };
  if (axis === 2) return { ...columns, length: shape[2], step: sliceWords, high: rowWords };
  // Rows without padding between them count as one row, so that kernels need not find row ends.
  if (shape[0] * elementBytes !== 4 * rowWords) return { ...columns, rows: shape[1], low: rowWords, high: sliceWords };
  const rows = shape[1] === dims[1] ? shape[1] * shape[2] : shape[1];
  return { ...common, rowWords: rowWords * rows, sizeX: shape[0] * rows, high: sliceWords };
}

/** Whether the elements are contiguous in scan order. */
function isInScanOrder({ length, sizeX, count }: ChunkRecord): boolean {
  return length === 1 && sizeX === count;
}

/** The word where a payload starts, and its number of words. */
interface Place {
  readonly start: number;
  readonly words: number;
}

const unplaced: Place = { start: 0, words: 0 };

function placeOf({ byteOffsets, byteLengths }: GpuPayloads, index: number): Place {
  const start = (byteOffsets[index] as number) / 4;
  const words = (byteLengths[index] as number) / 4;
  // A payload is whole words. Anything else counts as empty, which is never valid.
  return { start, words: Number.isInteger(words) ? words : 0 };
}

/** `array<Chunk>` of segment.wgsl. */
function chunkTable(
  scope: GpuScope,
  records: readonly ChunkRecord[],
  { firstTiles }: TileTable,
  places?: readonly Place[],
): GPUBuffer {
  const table = new Uint32Array(chunkWords * records.length);
  records.forEach((record, i) => {
    const { shape, firstWord, rowWords, sizeX, count, length, step, rows, low, high, skipped, segments } = record;
    const { start, words } = places?.[i] ?? unplaced;
    const order = [...shape, firstWord, rowWords, sizeX, count, length, step, rows, low, high];
    const hasQuads = isInScanOrder(record) && firstWord % 4 === 0;
    table.set([...order, firstTiles[i] as number, skipped, segments, start, words, 0, 0, Number(hasQuads)], chunkWords * i);
  });
  return scope.storage('chunks', table.byteLength, table);
}
