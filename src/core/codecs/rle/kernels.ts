import type { Variant } from '../../../shaders/link.ts';
import expandShader from '../../../shaders/rle/expand.wgsl';
import locateShader from '../../../shaders/rle/locate.wgsl';
import measureShader from '../../../shaders/rle/measure.wgsl';
import scanShader from '../../../shaders/rle/scan.wgsl';
import writeShader from '../../../shaders/rle/write.wgsl';
import {
  assertInBox,
  assertPayloads,
  boxLayout,
  boxUniform,
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
  GpuVoxels,
  RecordCall,
  RecordedPayloads,
} from '../../codec/codec.ts';
import { type FaultChecks, faultChecks, faultVariant } from '../../codec/faults.ts';
import { boundsOf, placer, placesFor, recordedEncoder, recordPlaces, recordZeros, roomFor } from '../../codec/recorded.ts';
import { parseAxis } from '../../codec/scan-order.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { Kernel, KernelDescriptor } from '../../gpu/kernel.ts';
import type { GpuScope } from '../../gpu/scope.ts';

/** Tiles that one workgroup processes: `tiles_at_once` in order.wgsl. */
const tilesAtOnce = 2;
/** SPEC.md: 'One byte of level 3 covers 4096 elements'. */
const tileElements = 4096;
const tileBytes = { bits: tileElements / 8, counts: 16, span: 32 };
const chunkWords = 20;
/** Levels 3, 2, 1 and 0 of the bitmap tree, and the values. */
const sectionCount = 5;

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    ...recordedEncoder(gpu, 'rle.encode', (elementBytes) => gpu.prepareKernels(encoders(elementBytes)), recordEncode),
    prepareDecoders: (elementBytes, _chunks, checked) =>
      gpu.prepareKernels(Object.values(decoders(elementBytes, faultVariant(checked)))),
    prepareDecode: (payloads, chunks, target, scope, faults) => prepareDecode(gpu, payloads, chunks, target, scope, faults),
  };
}

function kernel(gpu: Gpu, ...described: Parameters<typeof describe>): Kernel {
  return gpu.kernel(describe(...described));
}

function describe(name: string, shader: ShaderFile, elementBytes: CodecElementBytes, variant?: Variant): KernelDescriptor {
  return { label: `rle.${name}`, shader, variant, constants: { element_bytes: elementBytes } };
}

/** The kernels of `prepareDecode`. */
function decoders(elementBytes: CodecElementBytes, variant: FaultChecks['variant']) {
  return {
    locate: describe('locate', locateShader, elementBytes, variant(4)),
    expand: describe('expand', expandShader, elementBytes, variant(6)),
  };
}

/** What `encode` runs. */
function encoders(elementBytes: CodecElementBytes): KernelDescriptor[] {
  return [
    describe('measure', measureShader, elementBytes),
    describe('scan', scanShader, elementBytes),
    placer,
    describe('write', writeShader, elementBytes),
  ];
}

function recordEncode(
  gpu: Gpu,
  commands: Commands,
  voxels: GpuVoxels,
  chunks: readonly GpuChunk[],
  { scope, work }: RecordCall,
): RecordedPayloads {
  const tiles = tilesOf(chunks, voxels);
  const { tileCount } = tiles;
  const { elementBytes } = voxels;
  const mostBytes = boundsOf(chunks, elementBytes);
  const buffer = recordZeros(commands, scope, 'rle.payloads', roomFor(mostBytes));
  const box = boxUniform(work, voxels, tileCount, chunks.length);
  const table = chunkTable(work, voxels, chunks, tiles);
  const chunkOfTile = work.storage('chunk-of-tile', 4 * tileCount, tiles.chunkOfTile);
  const bits = work.reused('bits', tileBytes.bits * tileCount);
  const counts = work.reused('counts', tileBytes.counts * tileCount);
  const lengths = work.reused('lengths', 4 * sectionCount * chunks.length);
  const places = placesFor(scope, chunks.length);

  const workgroups = Math.ceil(tileCount / tilesAtOnce);
  const measure = kernel(gpu, 'measure', measureShader, elementBytes);
  const scan = kernel(gpu, 'scan', scanShader, elementBytes);
  commands
    .stage('measure')
    .dispatch(measure, [box, table, chunkOfTile, voxels.buffer, bits, counts], workgroups)
    .stage('scan')
    .dispatch(scan, [box, table, counts, lengths], chunks.length);
  recordPlaces(gpu, commands, work, places, {
    chunkCount: chunks.length,
    lengths,
    partCount: sectionCount,
    chunks: table,
    chunkWords,
    placeWord: 12,
    starts: { word: 16, count: sectionCount - 1 },
    elementBytes,
  });
  const write = kernel(gpu, 'write', writeShader, elementBytes);
  commands.stage('write').dispatch(write, [box, table, chunkOfTile, voxels.buffer, bits, counts, buffer], workgroups);
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
  const tiles = tilesOf(chunks, target);
  const { tileCount } = tiles;
  const { elementBytes } = target;
  const box = boxUniform(scope, target, tileCount, chunks.length);
  const table = chunkTable(scope, target, chunks, tiles, payloads);
  const chunkOfTile = scope.storage('chunk-of-tile', 4 * tileCount, tiles.chunkOfTile);
  const spans = scope.reused('spans', tileBytes.span * tileCount);
  const source = payloadBuffer(payloads, scope);
  const { variant, bindings } = faultChecks(faults);
  const kernels = decoders(elementBytes, variant);
  const [locate, expand] = [gpu.kernel(kernels.locate), gpu.kernel(kernels.expand)];
  const expandBindings = [box, table, chunkOfTile, source, spans, target.buffer, ...bindings];
  return (commands) => {
    commands
      .stage('scan')
      .dispatch(locate, [box, table, source, spans, ...bindings], chunks.length)
      .stage('decode')
      .dispatch(expand, expandBindings, Math.ceil(tileCount / tilesAtOnce));
  };
}

function tilesOf(chunks: readonly GpuChunk[], box: GpuVoxels): TileTable {
  return tileTable(
    chunks.map((chunk) => {
      assertInBox(chunk, box);
      return Math.ceil(elementCount({ shape: chunk.shape, elementBytes: box.elementBytes }) / tileElements);
    }),
  );
}

/** `array<Chunk>` of order.wgsl. */
function chunkTable(
  scope: GpuScope,
  box: GpuVoxels,
  chunks: readonly GpuChunk[],
  { firstTiles }: TileTable,
  payloads?: GpuPayloads,
): GPUBuffer {
  const table = new Uint32Array(chunkWords * chunks.length);
  chunks.forEach((chunk, i) => {
    const at = chunkWords * i;
    writeLayout(table, at, box, chunk);
    table[at + 11] = firstTiles[i] as number;
    table[at + 12] = payloads?.byteOffsets[i] ?? 0;
    table[at + 13] = payloads?.byteLengths[i] ?? 0;
  });
  return scope.storage('chunks', table.byteLength, table);
}

/**
 * Writes the shape of a chunk, and the layout of its columns in the words of its box, from word `at` on: fields of `Chunk` in
 * order.wgsl. Without arrays and closures, because a batch has hundreds of chunks, and the GPU waits for their table.
 */
function writeLayout(table: Uint32Array, at: number, box: GpuVoxels, { origin, shape, parameters }: GpuChunk): void {
  const { rowWords, sliceWords } = boxLayout(box);
  const axis = parseAxis('rle', parameters);
  const perWord = 4 / box.elementBytes;
  const chunkRowWords = Math.ceil(shape[0] / perWord);
  // Scan order along x is memory order: columns of length 1, with the rows of all slices.
  const length = axis === 0 ? 1 : shape[axis];
  const count = shape[0] * shape[1] * shape[2];
  const wordElements = length * perWord;
  const isRegular = shape[0] % perWord === 0 && tileElements % wordElements === 0;
  table[at] = shape[0];
  table[at + 1] = shape[1];
  table[at + 2] = shape[2];
  table[at + 3] = firstWordOf(box, origin);
  table[at + 4] = chunkRowWords;
  table[at + 5] = count;
  table[at + 6] = length;
  // Words from an element of a column to the next, the rows of a slice that are columns, and the words between these and slices.
  table[at + 7] = axis === 0 ? 0 : axis === 1 ? rowWords : sliceWords;
  table[at + 8] = axis === 0 ? shape[1] : 1;
  table[at + 9] = axis === 0 ? rowWords : 0;
  table[at + 10] = axis === 2 ? rowWords : sliceWords;
  table[at + 14] = isRegular ? tileElements / wordElements : 0;
  table[at + 15] = isRegular ? count / wordElements : 0;
}
