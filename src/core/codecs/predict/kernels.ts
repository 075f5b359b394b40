import type { Variant } from '../../../shaders/link.ts';
import decodeShader from '../../../shaders/predict/decode.wgsl';
import measureShader from '../../../shaders/predict/measure.wgsl';
import placesShader from '../../../shaders/predict/places.wgsl';
import writeShader from '../../../shaders/predict/write.wgsl';
import {
  assertInBox,
  assertPayloads,
  boxUniform,
  firstWordOf,
  onlySmaller,
  payloadBuffer,
  placePayloads,
  submitLast,
  type TileTable,
  tileTable,
} from '../../codec/batch.ts';
import { brickCount, planesOf } from '../../codec/bricks.ts';
import type {
  CodecElementBytes,
  CodecKernels,
  DecodePlan,
  GpuChunk,
  GpuPayloads,
  GpuVoxels,
  KernelCall,
  PreparedChunk,
} from '../../codec/codec.ts';
import { type FaultChecks, faultChecks, faultVariant } from '../../codec/faults.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { Kernel, KernelDescriptor } from '../../gpu/kernel.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { pictureGeometry } from './bricks.ts';
import { classCount } from './classes.ts';
import { type Mode, parametersOf, parseMode } from './layout.ts';

const chunkWords = 8;
/** Words that hold a unit's classes while they pass from kernel to kernel in the encoder: 4 bits for each of 64 groups. */
const classWords = 8;

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    encode: (voxels, chunks, call) => encode(gpu, voxels, chunks, call),
    prepareEncode: (elementBytes, chunks) => gpu.prepareKernels(encoders(modesOf(chunks), elementBytes)),
    prepareDecoders: (elementBytes, chunks, checked) => {
      const kernels = decoders(modesOf(chunks), elementBytes, faultVariant(checked));
      return gpu.prepareKernels(kernels.flatMap(({ place, expand }) => [place, expand]));
    },
    prepareDecode: (...decoding) => prepareDecode(gpu, ...decoding),
  };
}

interface PredictKernel {
  readonly name: string;
  readonly shader: ShaderFile;
  readonly elementBytes: CodecElementBytes;
  readonly mode: Mode;
  readonly variant?: Variant;
}

function kernel(gpu: Gpu, described: PredictKernel): Kernel {
  return gpu.kernel(describe(described));
}

function describe({ name, shader, elementBytes, mode, variant }: PredictKernel): KernelDescriptor {
  return {
    label: `predict.${name}`,
    shader,
    variant: { ...variant, predict: true },
    constants: {
      element_bytes: elementBytes,
      picture: Number(mode.geometry === pictureGeometry),
      medians: Number(mode.tryMedian),
    },
  };
}

/** What `encode` runs for these modes. */
function encoders(modes: readonly Mode[], elementBytes: CodecElementBytes): KernelDescriptor[] {
  return modes.flatMap((mode) => [
    describe({ name: 'measure', shader: measureShader, elementBytes, mode }),
    describe({ name: 'places', shader: placesShader, elementBytes, mode }),
    describe({ name: 'write', shader: writeShader, elementBytes, mode }),
  ]);
}

async function encode(gpu: Gpu, voxels: GpuVoxels, chunks: readonly GpuChunk[], call: KernelCall): Promise<GpuPayloads> {
  const { scope, signal, onTimes, isFirstStage = false } = call;
  throwIfAborted(signal);
  const { modes, bricks } = cutAll(chunks, voxels);
  const { tileCount: brickTotal } = bricks;
  if (brickTotal === 0) return { buffer: undefined, byteOffsets: [], byteLengths: [] };
  const { elementBytes } = voxels;
  const unitCount = brickTotal * planesOf(elementBytes).planes;
  const { unitWords, startWords } = placeWords(elementBytes);
  await gpu.prepareKernels(encoders(modes, elementBytes));
  const work = scope.scope('predict.encode');
  try {
    const box = boxUniform(work, voxels, brickTotal, chunks.length);
    const unplaced = chunkTable(work, voxels, chunks, bricks);
    const chunkOfBrick = work.storage('chunk-of-brick', 4 * brickTotal, bricks.chunkOfTile);
    const headers = work.storage('headers', 4 * unitCount);
    const classes = work.storage('classes', 4 * classWords * unitCount);
    const places = work.storage('places', 4 * unitWords * unitCount);
    const starts = work.storage('starts', 4 * startWords * chunks.length);

    const commands = gpu.commands('predict.encode', onTimes).stage('measure');
    for (const mode of modes) {
      const measure = kernel(gpu, { name: 'measure', shader: measureShader, elementBytes, mode });
      commands.dispatch(measure, [box, unplaced, chunkOfBrick, voxels.buffer, headers, classes], brickTotal);
    }
    commands.stage('places');
    for (const mode of modes) {
      const place = kernel(gpu, { name: 'places', shader: placesShader, elementBytes, mode });
      commands.dispatch(place, [box, unplaced, places, starts, headers, classes], chunks.length);
    }
    const measured = commands.readWords(starts);
    await commands.submit();

    const sections = sectionLengths(measured(), startWords);
    const totals = sections.map((lengths) => lengths.reduce((sum, bytes) => sum + bytes, 0));
    const byteLengths = isFirstStage ? totals : onlySmaller(totals, chunks, elementBytes);
    const { byteOffsets, totalBytes } = placePayloads(byteLengths);
    if (totalBytes === 0) return { buffer: undefined, byteOffsets, byteLengths };

    throwIfAborted(signal);
    const buffer = scope.storage('predict.payloads', totalBytes);
    const placed = chunkTable(work, voxels, chunks, bricks, { byteOffsets, byteLengths });
    const writing = gpu.commands('predict.encode', onTimes).stage('write');
    for (const mode of modes) {
      const write = kernel(gpu, { name: 'write', shader: writeShader, elementBytes, mode });
      const bindings = [box, placed, chunkOfBrick, voxels.buffer, places, starts, headers, classes, buffer];
      writing.dispatch(write, bindings, brickTotal);
    }
    await submitLast(writing, call);
    return { buffer, byteOffsets, byteLengths, sections: sections.map((lengths, i) => (byteLengths[i] === 0 ? [] : lengths)) };
  } finally {
    work.destroy();
  }
}

/** The kernels of `prepareDecode`, for each mode. */
function decoders(modes: readonly Mode[], elementBytes: CodecElementBytes, variant: FaultChecks['variant']) {
  const finding = { ...variant(5), decodes: true };
  return modes.map((mode) => ({
    place: describe({ name: 'places', shader: placesShader, elementBytes, mode, variant: finding }),
    expand: describe({ name: 'decode', shader: decodeShader, elementBytes, mode, variant: variant(7) }),
  }));
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
  const { modes, bricks } = cutAll(chunks, target);
  const { tileCount: brickTotal } = bricks;
  const { elementBytes } = target;
  const { unitWords, startWords } = placeWords(elementBytes);
  const box = boxUniform(scope, target, brickTotal, chunks.length);
  const table = chunkTable(scope, target, chunks, bricks, payloads);
  const chunkOfBrick = scope.storage('chunk-of-brick', 4 * brickTotal, bricks.chunkOfTile);
  const places = scope.storage('places', 4 * unitWords * brickTotal * planesOf(elementBytes).planes);
  const starts = scope.storage('starts', 4 * startWords * chunks.length);
  const source = payloadBuffer(payloads, scope);
  const { variant, bindings } = faultChecks(faults);
  const kernels = decoders(modes, elementBytes, variant).map(({ place, expand }) => ({
    place: gpu.kernel(place),
    expand: gpu.kernel(expand),
  }));
  return (commands) => {
    commands.stage('places');
    for (const { place } of kernels) {
      commands.dispatch(place, [box, table, places, starts, source, ...bindings], chunks.length);
    }
    commands.stage('decode');
    for (const { expand } of kernels) {
      const own = [box, table, chunkOfBrick, source, places, starts, target.buffer];
      commands.dispatch(expand, [...own, ...bindings], brickTotal);
    }
  };
}

/** Words of `places` per unit (classes, tails and each class's heads) and of `starts` per chunk, as in places.wgsl. */
function placeWords(elementBytes: CodecElementBytes): { readonly unitWords: number; readonly startWords: number } {
  const unitWords = 2 + classCount(planesOf(elementBytes).bits);
  return { unitWords, startWords: unitWords + 3 };
}

/** For each chunk the byte lengths of its non-empty sections, from their starts. */
function sectionLengths(starts: Uint32Array, startWords: number): number[][] {
  return Array.from({ length: starts.length / startWords }, (_, chunk) => {
    const own = starts.subarray(chunk * startWords, (chunk + 1) * startWords);
    return Array.from(own.subarray(1), (end, i) => 4 * (end - (own[i] as number))).filter((length) => length > 0);
  });
}

/** The bricks of all chunks, and the modes among them. Each mode has its own kernels, which skip chunks of other modes. */
function cutAll(chunks: readonly GpuChunk[], box: GpuVoxels): { modes: Mode[]; bricks: TileTable } {
  const bricksPerChunk = chunks.map((chunk) => {
    assertInBox(chunk, box);
    return brickCount(chunk, parseMode(chunk.parameters).geometry);
  });
  return { modes: modesOf(chunks), bricks: tileTable(bricksPerChunk) };
}

function modesOf(chunks: readonly PreparedChunk[]): Mode[] {
  const modes = new Map<number, Mode>();
  for (const { parameters } of chunks) {
    const mode = parseMode(parameters);
    modes.set(modeByte(mode), mode);
  }
  return [...modes.values()];
}

function modeByte(mode: Mode): number {
  return parametersOf(mode)[0] as number;
}

/** A payload is whole words. Anything else counts as empty, which is never valid. */
function wordsOf(bytes: number): number {
  return bytes % 4 === 0 ? bytes / 4 : 0;
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
    const payload = [(placement?.byteOffsets[i] ?? 0) / 4, wordsOf(placement?.byteLengths[i] ?? 0)];
    table.set(
      [...shape, firstWordOf(box, origin), ...payload, firstTiles[i] as number, modeByte(parseMode(parameters))],
      chunkWords * i,
    );
  });
  return scope.storage('chunks', table.byteLength, table);
}
