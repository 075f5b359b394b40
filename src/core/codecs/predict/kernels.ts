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
  payloadBuffer,
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
  PreparedChunk,
  RecordCall,
  RecordedPayloads,
} from '../../codec/codec.ts';
import { type FaultChecks, faultChecks, faultVariant } from '../../codec/faults.ts';
import { boundsOf, placer, placesFor, recordedEncoder, recordPlaces, recordZeros, roomFor } from '../../codec/recorded.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { Kernel, KernelDescriptor } from '../../gpu/kernel.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { pictureGeometry } from './bricks.ts';
import { classCount } from './classes.ts';
import { type Mode, parametersOf, parseMode, payloadBound } from './layout.ts';

const chunkWords = 8;
/** Words that hold a unit's classes while they pass from kernel to kernel in the encoder: 4 bits for each of 64 groups. */
const classWords = 8;

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    ...recordedEncoder(
      gpu,
      'predict.encode',
      (elementBytes, chunks) => gpu.prepareKernels(encoders(modesOf(chunks), elementBytes)),
      recordEncode,
    ),
    prepareDecoders: (elementBytes, chunks, checked) => {
      const kernels = decoders(modesOf(chunks), elementBytes, faultVariant(checked));
      return gpu.prepareKernels(kernels.flatMap(({ place, expand }) => [place, expand]));
    },
    prepareDecode: (payloads, chunks, target, scope, faults) => prepareDecode(gpu, payloads, chunks, target, scope, faults),
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
  const ofModes = modes.flatMap((mode) => [
    describe({ name: 'measure', shader: measureShader, elementBytes, mode }),
    describe({ name: 'places', shader: placesShader, elementBytes, mode }),
    describe({ name: 'write', shader: writeShader, elementBytes, mode }),
  ]);
  return [...ofModes, placer];
}

function recordEncode(
  gpu: Gpu,
  commands: Commands,
  voxels: GpuVoxels,
  chunks: readonly GpuChunk[],
  { scope, work, isFirstStage = false }: RecordCall,
): RecordedPayloads {
  const { modes, bricks } = cutAll(chunks, voxels);
  const { tileCount: brickTotal } = bricks;
  const { elementBytes } = voxels;
  const unitCount = brickTotal * planesOf(elementBytes).planes;
  const { unitWords, startWords } = placeWords(elementBytes);
  // All starts but the payload's end begin a section.
  const sectionCount = startWords - 1;
  const mostBytes = isFirstStage
    ? chunks.map(({ shape, parameters }) => payloadBound({ shape, elementBytes }, parseMode(parameters).geometry))
    : boundsOf(chunks, elementBytes);
  const buffer = recordZeros(commands, scope, 'predict.payloads', roomFor(mostBytes));
  const box = boxUniform(work, voxels, brickTotal, chunks.length);
  const table = chunkTable(work, voxels, chunks, bricks);
  const chunkOfBrick = work.storage('chunk-of-brick', 4 * brickTotal, bricks.chunkOfTile);
  const headers = work.storage('headers', 4 * unitCount);
  const classes = work.storage('classes', 4 * classWords * unitCount);
  const unitPlaces = work.storage('places', 4 * unitWords * unitCount);
  const starts = work.storage('starts', 4 * startWords * chunks.length);
  const lengths = work.storage('lengths', 4 * sectionCount * chunks.length);
  const places = placesFor(scope, chunks.length);

  commands.stage('measure');
  for (const mode of modes) {
    const measure = kernel(gpu, { name: 'measure', shader: measureShader, elementBytes, mode });
    commands.dispatch(measure, [box, table, chunkOfBrick, voxels.buffer, headers, classes], brickTotal);
  }
  commands.stage('places');
  for (const mode of modes) {
    const place = kernel(gpu, { name: 'places', shader: placesShader, elementBytes, mode });
    commands.dispatch(place, [box, table, unitPlaces, starts, headers, classes, lengths], chunks.length);
  }
  recordPlaces(gpu, commands, work, places, {
    chunkCount: chunks.length,
    lengths,
    partCount: sectionCount,
    chunks: table,
    chunkWords,
    placeWord: 4,
    inWords: true,
    elementBytes: isFirstStage ? undefined : elementBytes,
  });
  commands.stage('write');
  for (const mode of modes) {
    const write = kernel(gpu, { name: 'write', shader: writeShader, elementBytes, mode });
    commands.dispatch(write, [box, table, chunkOfBrick, voxels.buffer, unitPlaces, starts, headers, classes, buffer], brickTotal);
  }
  return { buffer, places, mostBytes, sections: { buffer: lengths, perChunk: sectionCount } };
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
