import type { Variant } from '../../../shaders/link.ts';
import expandShader from '../../../shaders/rle/expand.wgsl';
import locateShader from '../../../shaders/rle/locate.wgsl';
import measureShader from '../../../shaders/rle/measure.wgsl';
import placeShader from '../../../shaders/rle/place.wgsl';
import writeShader from '../../../shaders/rle/write.wgsl';
import {
  assertInBox,
  assertPayloads,
  boxLayout,
  boxUniform,
  elementCount,
  firstWordOf,
  payloadBuffer,
  placePayloads,
  submitLast,
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
  KernelCall,
} from '../../codec/codec.ts';
import { type FaultChecks, faultChecks, faultVariant } from '../../codec/faults.ts';
import { parseAxis } from '../../codec/scan-order.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { Kernel, KernelDescriptor } from '../../gpu/kernel.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { throwIfAborted } from '../../shared/job.ts';

/** Tiles that one workgroup processes: `tiles_at_once` in order.wgsl. */
const tilesAtOnce = 2;
/** SPEC.md: 'One byte of level 3 covers 4096 elements'. */
const tileElements = 4096;
const tileBytes = { bits: tileElements / 8, counts: 16, span: 32 };
const chunkWords = 20;

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    encode: (voxels, chunks, call) => encode(gpu, voxels, chunks, call),
    prepareEncode: (elementBytes) => gpu.prepareKernels(encoders(elementBytes)),
    prepareDecoders: (elementBytes, _chunks, checked) =>
      gpu.prepareKernels(Object.values(decoders(elementBytes, faultVariant(checked)))),
    prepareDecode: (...decoding) => prepareDecode(gpu, ...decoding),
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
    describe('place', placeShader, elementBytes),
    describe('write', writeShader, elementBytes),
  ];
}

async function encode(gpu: Gpu, voxels: GpuVoxels, chunks: readonly GpuChunk[], call: KernelCall): Promise<GpuPayloads> {
  const { scope, signal, onTimes } = call;
  throwIfAborted(signal);
  const tiles = tilesOf(chunks, voxels);
  const { tileCount } = tiles;
  if (tileCount === 0) return { buffer: undefined, byteOffsets: [], byteLengths: [] };
  const { elementBytes } = voxels;
  await gpu.prepareKernels(encoders(elementBytes));
  const work = scope.scope('rle.encode');
  try {
    const box = boxUniform(work, voxels, tileCount, chunks.length);
    const chunkOfTile = work.storage('chunk-of-tile', 4 * tileCount, tiles.chunkOfTile);
    const bits = work.reused('bits', tileBytes.bits * tileCount);
    const counts = work.reused('counts', tileBytes.counts * tileCount);
    const sizes = work.reused('sizes', 16 * chunks.length);

    const workgroups = Math.ceil(tileCount / tilesAtOnce);
    const unplaced = chunkTable(work, voxels, chunks, tiles);
    const measure = kernel(gpu, 'measure', measureShader, elementBytes);
    const place = kernel(gpu, 'place', placeShader, elementBytes);
    const commands = gpu.commands('rle.encode', onTimes);
    commands
      .stage('measure')
      .dispatch(measure, [box, unplaced, chunkOfTile, voxels.buffer, bits, counts], workgroups)
      .stage('scan')
      .dispatch(place, [box, unplaced, counts, sizes], chunks.length);
    const measured = commands.readWords(sizes, 0, 16 * chunks.length);
    await commands.submit();
    const placed = placeChunks(measured(), chunks, elementBytes);
    const { byteOffsets, byteLengths, sections, totalBytes } = placed;
    if (totalBytes === 0) return { buffer: undefined, byteOffsets, byteLengths };

    throwIfAborted(signal);
    const buffer = scope.storage('rle.payloads', totalBytes);
    const write = kernel(gpu, 'write', writeShader, elementBytes);
    const bindings = [box, chunkTable(work, voxels, chunks, tiles, placed), chunkOfTile, voxels.buffer, bits, counts, buffer];
    await submitLast(gpu.commands('rle.encode', onTimes).stage('write').dispatch(write, bindings, workgroups), call);
    return { buffer, byteOffsets, byteLengths, sections };
  } finally {
    work.destroy();
  }
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

interface Placement {
  readonly byteOffsets: readonly number[];
  readonly byteLengths: readonly number[];
  /** For an encoder: where each chunk's levels 2, 1, 0 and values start, in bytes from the start of the buffer. */
  readonly sectionStarts?: readonly (readonly number[])[];
}

/** `array<Chunk>` of order.wgsl. */
function chunkTable(
  scope: GpuScope,
  box: GpuVoxels,
  chunks: readonly GpuChunk[],
  { firstTiles }: TileTable,
  placement?: Placement,
): GPUBuffer {
  const table = new Uint32Array(chunkWords * chunks.length);
  chunks.forEach((chunk, i) => {
    const at = chunkWords * i;
    writeLayout(table, at, box, chunk);
    table[at + 11] = firstTiles[i] as number;
    table[at + 12] = placement?.byteOffsets[i] ?? 0;
    table[at + 13] = placement?.byteLengths[i] ?? 0;
    const starts = placement?.sectionStarts?.[i];
    if (starts) table.set(starts, at + 16);
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

/** @param sizes for each chunk: the bytes of its levels 2, 1 and 0, and the number of its runs */
function placeChunks(sizes: Uint32Array, chunks: readonly GpuChunk[], elementBytes: CodecElementBytes) {
  const byteLengths: number[] = [];
  const sections = chunks.map(({ shape }, i) => {
    const count = elementCount({ shape, elementBytes });
    const size = (field: number) => sizes[4 * i + field] as number;
    const [level3, valueBytes] = [Math.ceil(count / tileElements), size(3) * elementBytes];
    const byteLength = level3 + size(0) + size(1) + size(2) + valueBytes;
    byteLengths.push(byteLength < count * elementBytes ? byteLength : 0);
    return [level3, size(0), size(1), size(2), valueBytes];
  });
  const { byteOffsets, totalBytes } = placePayloads(byteLengths);
  const sectionStarts = sections.map((lengths, i) => {
    let at = byteOffsets[i] as number;
    return lengths.slice(0, 4).map((length) => {
      at += length;
      return at;
    });
  });
  return { byteOffsets, byteLengths, totalBytes, sections, sectionStarts };
}
