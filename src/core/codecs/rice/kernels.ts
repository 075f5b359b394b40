import brickCode from '../../../shaders/rice/brick.wgsl?raw';
import decodeCode from '../../../shaders/rice/decode.wgsl?raw';
import loadCode from '../../../shaders/rice/load.wgsl?raw';
import locateCode from '../../../shaders/rice/locate.wgsl?raw';
import measureCode from '../../../shaders/rice/measure.wgsl?raw';
import scanCode from '../../../shaders/rice/scan.wgsl?raw';
import sizesCode from '../../../shaders/rice/sizes.wgsl?raw';
import sumsCode from '../../../shaders/rice/sums.wgsl?raw';
import writeCode from '../../../shaders/rice/write.wgsl?raw';
import { spread } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { Kernel } from '../../gpu/kernel.ts';
import { exclusiveScan } from '../../gpu/scan.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { assertInBox, assertPayloads, boxLayout, chunkBytes, placePayloads, type TileTable, tileTable } from '../batch.ts';
import type { CodecElementBytes, CodecKernels, GpuChunk, GpuPayloads, GpuVoxels, KernelCall } from '../codec.ts';
import { type BrickGeometry, brickCount, parseGeometry, pictureGeometry, planesOf, volumeGeometry } from './layout.ts';

const chunkWords = 8;
const groupsPerBrick = 64;

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    encode: (voxels, chunks, call) => encode(gpu, voxels, chunks, call),
    decode: (payloads, chunks, target, call) => decode(gpu, payloads, chunks, target, call),
  };
}

function kernel(
  gpu: Gpu,
  name: string,
  code: readonly string[],
  elementBytes: CodecElementBytes,
  geometry: BrickGeometry = volumeGeometry,
): Kernel {
  const constants = { element_bytes: elementBytes, picture: Number(geometry === pictureGeometry) };
  return gpu.kernel({ label: `rice.${name}`, code: code.join('\n'), constants });
}

async function encode(gpu: Gpu, voxels: GpuVoxels, chunks: readonly GpuChunk[], call: KernelCall): Promise<GpuPayloads> {
  const { scope, signal, onTimes } = call;
  throwIfAborted(signal);
  const { geometries, bricks } = cutAll(chunks, voxels);
  const { tileCount: brickTotal } = bricks;
  if (brickTotal === 0) return { buffer: undefined, byteOffsets: [], byteLengths: [] };
  const { elementBytes } = voxels;
  const unitCount = brickTotal * planesOf(elementBytes).planes;
  const work = scope.scope('rice.encode');
  try {
    const box = boxUniform(work, voxels, bricks, chunks);
    const unplaced = chunkTable(work, voxels, chunks, bricks);
    const chunkOfBrick = work.storage('chunk-of-brick', 4 * brickTotal, bricks.chunkOfTile);
    const groups = work.storage('groups', 4 * groupsPerBrick * unitCount);
    const headers = work.storage('headers', 4 * unitCount);
    // One word more than there are sizes: the scan leaves the total there.
    const sizes = work.storage('sizes', 4 * (unitCount + 1));
    const lengths = work.storage('lengths', 4 * chunks.length);

    const commands = gpu.commands('rice.encode', onTimes).stage('measure');
    for (const geometry of geometries) {
      const measure = kernel(gpu, 'measure', [brickCode, loadCode, measureCode], elementBytes, geometry);
      commands.dispatch(measure, [box, unplaced, chunkOfBrick, voxels.buffer, groups, headers, sizes], spread(brickTotal));
    }
    commands.stage('scan');
    exclusiveScan(gpu, commands, work, sizes, unitCount + 1);
    const sum = kernel(gpu, 'sizes', [brickCode, sizesCode], elementBytes);
    commands.dispatch(sum, [box, unplaced, sizes, lengths], spread(Math.ceil(chunks.length / 64)));
    await commands.submit();
    const byteLengths = [...(await gpu.readWords(lengths))].map((length, i) => {
      const { shape } = chunks[i] as GpuChunk;
      return length < chunkBytes({ shape, elementBytes }) ? length : 0;
    });
    const { byteOffsets, totalBytes } = placePayloads(byteLengths);
    if (totalBytes === 0) return { buffer: undefined, byteOffsets, byteLengths };

    throwIfAborted(signal);
    const buffer = scope.storage('rice.payloads', totalBytes);
    const placed = chunkTable(work, voxels, chunks, bricks, { byteOffsets, byteLengths });
    const writing = gpu.commands('rice.encode', onTimes).stage('write');
    for (const geometry of geometries) {
      const write = kernel(gpu, 'write', [brickCode, loadCode, scanCode, writeCode], elementBytes, geometry);
      const bindings = [box, placed, chunkOfBrick, voxels.buffer, groups, headers, sizes, buffer];
      writing.dispatch(write, bindings, spread(brickTotal));
    }
    await writing.submit();
    return { buffer, byteOffsets, byteLengths };
  } finally {
    work.destroy();
  }
}

async function decode(
  gpu: Gpu,
  payloads: GpuPayloads,
  chunks: readonly GpuChunk[],
  target: GpuVoxels,
  { scope, signal, onTimes }: KernelCall,
): Promise<void> {
  throwIfAborted(signal);
  assertPayloads(payloads, chunks.length);
  const { geometries, bricks } = cutAll(chunks, target);
  const { tileCount: brickTotal } = bricks;
  if (brickTotal === 0) return;
  const { elementBytes } = target;
  const work = scope.scope('rice.decode');
  try {
    const box = boxUniform(work, target, bricks, chunks);
    const table = chunkTable(work, target, chunks, bricks, payloads);
    const chunkOfBrick = work.storage('chunk-of-brick', 4 * brickTotal, bricks.chunkOfTile);
    const spans = work.storage('spans', 8 * brickTotal * planesOf(elementBytes).planes);
    const source = payloads.buffer ?? work.storage('no-payloads', 4);
    const locate = kernel(gpu, 'locate', [brickCode, scanCode, locateCode], elementBytes);
    const commands = gpu
      .commands('rice.decode', onTimes)
      .stage('scan')
      .dispatch(locate, [box, table, source, spans], spread(chunks.length))
      .stage('decode');
    for (const geometry of geometries) {
      const expand = kernel(gpu, 'decode', [brickCode, scanCode, sumsCode, decodeCode], elementBytes, geometry);
      commands.dispatch(expand, [box, table, chunkOfBrick, source, spans, target.buffer], spread(brickTotal));
    }
    await commands.submit();
  } finally {
    work.destroy();
  }
}

/** The bricks of all chunks, and which geometries there are: each has its own kernels, which leave the other's chunks alone. */
function cutAll(chunks: readonly GpuChunk[], box: GpuVoxels): { geometries: Set<BrickGeometry>; bricks: TileTable } {
  const geometries = new Set<BrickGeometry>();
  const bricksPerChunk = chunks.map((chunk) => {
    assertInBox(chunk, box);
    const geometry = parseGeometry(chunk.parameters);
    geometries.add(geometry);
    return brickCount(chunk, geometry);
  });
  return { geometries, bricks: tileTable(bricksPerChunk) };
}

function boxUniform(scope: GpuScope, box: GpuVoxels, { tileCount }: TileTable, chunks: readonly GpuChunk[]): GPUBuffer {
  const { rowWords, sliceWords } = boxLayout(box);
  return scope.uniform('box', [rowWords, sliceWords, tileCount, chunks.length]);
}

/** `array<Chunk>` of brick.wgsl. */
function chunkTable(
  scope: GpuScope,
  box: GpuVoxels,
  chunks: readonly GpuChunk[],
  { firstTiles }: TileTable,
  placement?: Pick<GpuPayloads, 'byteOffsets' | 'byteLengths'>,
): GPUBuffer {
  const { rowWords, sliceWords } = boxLayout(box);
  const table = new Uint32Array(chunkWords * chunks.length);
  chunks.forEach(({ origin, shape, parameters }, i) => {
    const firstWord = origin[2] * sliceWords + origin[1] * rowWords + (origin[0] * box.elementBytes) / 4;
    const place = [placement?.byteOffsets[i] ?? 0, placement?.byteLengths[i] ?? 0, firstTiles[i] as number];
    const isPicture = Number(parseGeometry(parameters) === pictureGeometry);
    table.set([...shape, firstWord, ...place, isPicture], chunkWords * i);
  });
  return scope.storage('chunks', table.byteLength, table);
}
