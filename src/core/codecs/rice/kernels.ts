import brickCode from '../../../shaders/rice/brick.wgsl?raw';
import causalCode from '../../../shaders/rice/causal.wgsl?raw';
import cutCode from '../../../shaders/rice/cut.wgsl?raw';
import decodeCode from '../../../shaders/rice/decode.wgsl?raw';
import frontCode from '../../../shaders/rice/front.wgsl?raw';
import loadCode from '../../../shaders/rice/load.wgsl?raw';
import locateCode from '../../../shaders/rice/locate.wgsl?raw';
import measureCode from '../../../shaders/rice/measure.wgsl?raw';
import memoryCode from '../../../shaders/rice/memory.wgsl?raw';
import packedCode from '../../../shaders/rice/packed.wgsl?raw';
import scanCode from '../../../shaders/rice/scan.wgsl?raw';
import sharedMemoryCode from '../../../shaders/rice/shared-memory.wgsl?raw';
import sizesCode from '../../../shaders/rice/sizes.wgsl?raw';
import sumsCode from '../../../shaders/rice/sums.wgsl?raw';
import writeCode from '../../../shaders/rice/write.wgsl?raw';
import type { Gpu } from '../../gpu/gpu.ts';
import type { Kernel } from '../../gpu/kernel.ts';
import { exclusiveScan } from '../../gpu/scan.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { throwIfAborted } from '../../shared/job.ts';
import {
  assertInBox,
  assertPayloads,
  boxUniform,
  firstWordOf,
  onlySmaller,
  payloadBuffer,
  placePayloads,
  type TileTable,
  tileTable,
} from '../batch.ts';
import type { CodecElementBytes, CodecKernels, DecodePlan, GpuChunk, GpuPayloads, GpuVoxels, KernelCall } from '../codec.ts';
import { brickCount, type Form, geometryOf, parseForm, planesOf } from './layout.ts';

const chunkWords = 8;
const groupsPerBrick = 64;
/** Of a workgroup. */
const invocations = 128;

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    encode: (voxels, chunks, call) => encode(gpu, voxels, chunks, call),
    prepareDecode: (payloads, chunks, target, scope) => prepareDecode(gpu, payloads, chunks, target, scope),
  };
}

/** Bricks that kernels of their own are for. */
interface BrickKind {
  readonly form: Form;
  /** Whether the chunk's edges clip them. */
  readonly clipped: boolean;
}

/** Element type and kind of brick are constants of a kernel. */
function kernel(
  gpu: Gpu,
  name: string,
  code: readonly string[],
  elementBytes: CodecElementBytes,
  kind: BrickKind = anyKind,
): Kernel {
  const { form, clipped } = kind;
  const constants = {
    element_bytes: elementBytes,
    picture: Number(form.picture),
    causal: Number(form.causal),
    clipped: Number(clipped),
  };
  return gpu.kernel({ label: `rice.${name}`, code: [packedCode, brickCode, ...code].join('\n'), constants });
}

/** For kernels that do the same for all kinds. */
const anyKind: BrickKind = { form: { picture: false, causal: false }, clipped: true };

async function encode(gpu: Gpu, voxels: GpuVoxels, chunks: readonly GpuChunk[], call: KernelCall): Promise<GpuPayloads> {
  const { scope, signal, onTimes } = call;
  throwIfAborted(signal);
  const { kinds, bricks } = cutAll(chunks, voxels);
  const { tileCount: brickTotal } = bricks;
  if (brickTotal === 0) return { buffer: undefined, byteOffsets: [], byteLengths: [] };
  const { elementBytes } = voxels;
  const unitCount = brickTotal * planesOf(elementBytes).planes;
  const work = scope.scope('rice.encode');
  try {
    const box = boxUniform(work, voxels, brickTotal, chunks.length);
    const unplaced = chunkTable(work, voxels, chunks, bricks);
    const chunkOfBrick = work.storage('chunk-of-brick', 4 * brickTotal, bricks.chunkOfTile);
    const cuts = work.storage('cuts', 8 * brickTotal);
    const groups = work.storage('groups', 4 * groupsPerBrick * unitCount);
    const headers = work.storage('headers', 4 * unitCount);
    // One word more than there are sizes: the scan leaves the total there.
    const sizes = work.storage('sizes', 4 * (unitCount + 1));
    const lengths = work.storage('lengths', 4 * chunks.length);

    const commands = gpu.commands('rice.encode', onTimes).stage('measure');
    const cut = kernel(gpu, 'cut', [cutCode], elementBytes);
    commands.dispatch(cut, [box, unplaced, chunkOfBrick, cuts], Math.ceil(brickTotal / invocations));
    for (const kind of kinds) {
      const measure = kernel(gpu, 'measure', [memoryCode, causalCode, loadCode, measureCode], elementBytes, kind);
      commands.dispatch(measure, [box, cuts, voxels.buffer, groups, headers, sizes], brickTotal);
    }
    commands.stage('scan');
    exclusiveScan(gpu, commands, work, sizes, unitCount + 1);
    const sum = kernel(gpu, 'sizes', [sizesCode], elementBytes);
    commands.dispatch(sum, [box, unplaced, sizes, lengths], Math.ceil(chunks.length / invocations));
    await commands.submit();
    const byteLengths = onlySmaller(await gpu.readWords(lengths), chunks, elementBytes);
    const { byteOffsets, totalBytes } = placePayloads(byteLengths);
    if (totalBytes === 0) return { buffer: undefined, byteOffsets, byteLengths };

    throwIfAborted(signal);
    const buffer = scope.storage('rice.payloads', totalBytes);
    const placed = chunkTable(work, voxels, chunks, bricks, { byteOffsets, byteLengths });
    const writing = gpu.commands('rice.encode', onTimes).stage('write');
    for (const kind of kinds) {
      const write = kernel(gpu, 'write', [sharedMemoryCode, causalCode, loadCode, scanCode, writeCode], elementBytes, kind);
      const bindings = [box, cuts, voxels.buffer, groups, headers, sizes, placed, chunkOfBrick, buffer];
      writing.dispatch(write, bindings, brickTotal);
    }
    await writing.submit();
    return { buffer, byteOffsets, byteLengths };
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
): DecodePlan {
  assertPayloads(payloads, chunks.length);
  const { kinds, bricks } = cutAll(chunks, target);
  const { tileCount: brickTotal } = bricks;
  const { elementBytes } = target;
  const box = boxUniform(scope, target, brickTotal, chunks.length);
  const table = chunkTable(scope, target, chunks, bricks, payloads);
  const spans = scope.storage('spans', 16 * brickTotal * planesOf(elementBytes).planes);
  const source = payloadBuffer(payloads, scope);
  const locate = kernel(gpu, 'locate', [scanCode, locateCode], elementBytes);
  const decoders = kinds.map((kind) => {
    const memory = kind.form.causal ? sharedMemoryCode : memoryCode;
    return kernel(gpu, 'decode', [memory, causalCode, frontCode, scanCode, sumsCode, decodeCode], elementBytes, kind);
  });
  return (commands) => {
    commands.stage('scan').dispatch(locate, [box, table, source, spans], chunks.length).stage('decode');
    for (const decode of decoders) commands.dispatch(decode, [box, source, spans, target.buffer], brickTotal);
  };
}

/** The bricks of all chunks, and which kinds there are: each has its own kernels, which leave the others alone. */
function cutAll(chunks: readonly GpuChunk[], box: GpuVoxels): { kinds: BrickKind[]; bricks: TileTable } {
  const kinds = new Map<string, BrickKind>();
  const bricksPerChunk = chunks.map((chunk) => {
    assertInBox(chunk, box);
    const form = parseForm(chunk.parameters);
    const geometry = geometryOf(form, box.elementBytes);
    const { brick } = geometry;
    const add = (clipped: boolean) => kinds.set(`${chunk.parameters[0]} ${clipped}`, { form, clipped });
    if (chunk.shape.every((length, axis) => length >= (brick[axis] as number))) add(false);
    if (chunk.shape.some((length, axis) => length % (brick[axis] as number) !== 0)) add(true);
    return brickCount(chunk, geometry);
  });
  return { kinds: [...kinds.values()], bricks: tileTable(bricksPerChunk) };
}

/** `array<Chunk>` of brick.wgsl. */
function chunkTable(
  scope: GpuScope,
  box: GpuVoxels,
  chunks: readonly GpuChunk[],
  { firstTiles }: TileTable,
  placement?: Pick<GpuPayloads, 'byteOffsets' | 'byteLengths'>,
): GPUBuffer {
  const table = new Uint32Array(chunkWords * chunks.length);
  chunks.forEach(({ origin, shape, parameters }, i) => {
    const place = [placement?.byteOffsets[i] ?? 0, placement?.byteLengths[i] ?? 0, firstTiles[i] as number];
    table.set([...shape, firstWordOf(box, origin), ...place, parameters[0] as number], chunkWords * i);
  });
  return scope.storage('chunks', table.byteLength, table);
}
