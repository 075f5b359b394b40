import decodeShader from '../../../shaders/labels/decode.wgsl';
import encodeShader from '../../../shaders/labels/encode.wgsl';
import kindsShader from '../../../shaders/labels/kinds.wgsl';
import locateShader from '../../../shaders/labels/locate.wgsl';
import sizesShader from '../../../shaders/labels/sizes.wgsl';
import writeShader from '../../../shaders/labels/write.wgsl';
import type { Variant } from '../../../shaders/link.ts';
import {
  assertInBox,
  assertPayloads,
  boxUniform,
  firstWordOf,
  payloadBuffer,
  type TileTable,
  tileTable,
} from '../../codec/batch.ts';
import {
  type CodecElementBytes,
  type CodecKernels,
  type DecodePlan,
  type GpuChunk,
  type GpuPayloads,
  type GpuVoxels,
  type RecordCall,
  type RecordedPayloads,
  rowBytes,
} from '../../codec/codec.ts';
import { type FaultChecks, faultChecks, faultVariant } from '../../codec/faults.ts';
import { boundsOf, placer, placesFor, recordedEncoder, recordPlaces, recordZeros, roomFor } from '../../codec/recorded.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { Kernel, KernelDescriptor } from '../../gpu/kernel.ts';
import { exclusiveScan } from '../../gpu/scan.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { brickCount, checkParameters } from './layout.ts';
import { tableWords } from './tables.ts';

const chunkWords = 8;
/** Bricks that a workgroup encodes at a time. */
const encodeWalkers = 4;
const decodeWalkers = 32;

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    ...recordedEncoder(gpu, 'labels.encode', (elementBytes) => gpu.prepareKernels(encoders(elementBytes)), recordEncode),
    prepareDecoders: (elementBytes, _chunks, checked) =>
      gpu.prepareKernels(Object.values(decoders(elementBytes, faultVariant(checked)))),
    prepareDecode: (payloads, chunks, target, scope, faults) => prepareDecode(gpu, payloads, chunks, target, scope, faults),
  };
}

function kernel(gpu: Gpu, ...described: Parameters<typeof describe>): Kernel {
  return gpu.kernel(describe(...described));
}

function describe(name: string, shader: ShaderFile, elementBytes: CodecElementBytes, variant?: Variant): KernelDescriptor {
  return { label: `labels.${name}`, shader, variant, constants: { element_bytes: elementBytes } };
}

/** The kernels of `prepareDecode`. */
function decoders(elementBytes: CodecElementBytes, variant: FaultChecks['variant']) {
  return {
    locate: describe('locate', locateShader, elementBytes, variant(4)),
    walk: describe('decode', decodeShader, elementBytes, { ...variant(7), walkers: decodeWalkers }),
  };
}

/** What `encode` runs, besides scans. */
function encoders(elementBytes: CodecElementBytes): KernelDescriptor[] {
  return [
    describe('encode', encodeShader, elementBytes, { walkers: encodeWalkers }),
    describe('kinds', kindsShader, elementBytes),
    describe('sizes', sizesShader, elementBytes),
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
  const bricks = cutAll(chunks, voxels);
  const { tileCount: brickTotal } = bricks;
  const { elementBytes } = voxels;
  const mostBytes = boundsOf(chunks, elementBytes);
  const buffer = recordZeros(commands, scope, 'labels.payloads', roomFor(mostBytes));
  const box = boxUniform(work, voxels, brickTotal, chunks.length);
  const table = chunkTable(work, voxels, chunks, bricks);
  const chunkOfBrick = work.storage('chunk-of-brick', 4 * brickTotal, bricks.chunkOfTile);
  const tables = tableBuffer(work);
  const slots = work.storage('slots', 4 * firstSlots(chunks, elementBytes).total);
  const records = work.storage('records', 16 * brickTotal);
  // One extra word for the totals of the scans.
  const sizes = work.storage('sizes', 4 * (brickTotal + 1));
  const coded = work.storage('coded', 4 * (brickTotal + 1));
  const longest = work.storage('longest', 4 * chunks.length);
  const lengths = work.storage('lengths', 4 * chunks.length);
  const places = placesFor(scope, chunks.length);

  const walk = kernel(gpu, 'encode', encodeShader, elementBytes, { walkers: encodeWalkers });
  const kinds = kernel(gpu, 'kinds', kindsShader, elementBytes);
  const sum = kernel(gpu, 'sizes', sizesShader, elementBytes);
  const walkBindings = [box, table, chunkOfBrick, voxels.buffer, tables, slots, records];
  const kindBindings = [box, table, chunkOfBrick, records, sizes, coded, longest];
  commands
    .stage('walk')
    .dispatch(walk, walkBindings, Math.ceil(brickTotal / encodeWalkers))
    .stage('scan')
    .dispatch(kinds, kindBindings, Math.ceil(brickTotal / 64));
  exclusiveScan(gpu, commands, work, sizes, brickTotal + 1);
  exclusiveScan(gpu, commands, work, coded, brickTotal + 1);
  commands.dispatch(sum, [box, table, sizes, coded, longest, lengths], Math.ceil(chunks.length / 64));
  const layout = { chunkCount: chunks.length, lengths, chunks: table, chunkWords, placeWord: 4, elementBytes };
  recordPlaces(gpu, commands, work, places, layout);
  const write = kernel(gpu, 'write', writeShader, elementBytes);
  const bindings = [box, table, chunkOfBrick, slots, records, sizes, coded, longest, buffer];
  commands.stage('write').dispatch(write, bindings, brickTotal);
  return { buffer, places, mostBytes };
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
  const bricks = cutAll(chunks, target);
  const { tileCount: brickTotal } = bricks;
  const { elementBytes } = target;
  const box = boxUniform(scope, target, brickTotal, chunks.length);
  const table = chunkTable(scope, target, chunks, bricks, payloads);
  const chunkOfBrick = scope.storage('chunk-of-brick', 4 * brickTotal, bricks.chunkOfTile);
  const tables = tableBuffer(scope);
  const spans = scope.storage('spans', 16 * brickTotal);
  const source = payloadBuffer(payloads, scope);
  const { variant, bindings } = faultChecks(faults);
  const kernels = decoders(elementBytes, variant);
  const [locate, walk] = [gpu.kernel(kernels.locate), gpu.kernel(kernels.walk)];
  const walkBindings = [box, table, chunkOfBrick, source, tables, spans, target.buffer, ...bindings];
  return (commands) => {
    commands
      .stage('scan')
      .dispatch(locate, [box, table, source, spans, ...bindings], chunks.length)
      .stage('decode')
      .dispatch(walk, walkBindings, Math.ceil(brickTotal / decodeWalkers));
  };
}

function cutAll(chunks: readonly GpuChunk[], box: GpuVoxels): TileTable {
  return tileTable(
    chunks.map((chunk) => {
      assertInBox(chunk, box);
      checkParameters(chunk.parameters);
      return brickCount(chunk);
    }),
  );
}

function tableBuffer(scope: GpuScope): GPUBuffer {
  const words = tableWords();
  return scope.storage('tables', words.byteLength, words);
}

/** The word at which each chunk's slots start, and the end of all slots. Slots are as large as the chunks in their box. */
function firstSlots(chunks: readonly GpuChunk[], elementBytes: CodecElementBytes): { starts: number[]; total: number } {
  let total = 0;
  const starts = chunks.map(({ shape }) => {
    const start = total;
    total += (rowBytes(shape[0], elementBytes) / 4) * shape[1] * shape[2];
    return start;
  });
  return { starts, total };
}

/** `array<Chunk>` of brick.wgsl. */
function chunkTable(
  scope: GpuScope,
  box: GpuVoxels,
  chunks: readonly GpuChunk[],
  { firstTiles }: TileTable,
  placement?: Pick<GpuPayloads, 'byteOffsets' | 'byteLengths'>,
): GPUBuffer {
  const { starts } = firstSlots(chunks, box.elementBytes);
  const table = new Uint32Array(chunkWords * chunks.length);
  chunks.forEach(({ origin, shape }, i) => {
    const place = [placement?.byteOffsets[i] ?? 0, placement?.byteLengths[i] ?? 0, firstTiles[i] as number];
    table.set([...shape, firstWordOf(box, origin), ...place, starts[i] as number], chunkWords * i);
  });
  return scope.storage('chunks', table.byteLength, table);
}
