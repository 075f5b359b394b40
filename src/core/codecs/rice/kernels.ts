import type { Variant } from '../../../shaders/link.ts';
import cutShader from '../../../shaders/rice/cut.wgsl';
import decodeShader from '../../../shaders/rice/decode.wgsl';
import encodeShader from '../../../shaders/rice/encode.wgsl';
import locateShader from '../../../shaders/rice/locate.wgsl';
import moveShader from '../../../shaders/rice/move.wgsl';
import sizesShader from '../../../shaders/rice/sizes.wgsl';
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
import { boundsOf, placer, placesFor, recordedEncoder, recordPlaces, roomFor } from '../../codec/recorded.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { Kernel, KernelDescriptor } from '../../gpu/kernel.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { type Form, geometryOf, parseForm, roomWords } from './layout.ts';

const chunkWords = 8;
const groups = 64;
/** Invocations per workgroup. */
const invocations = 128;
/** Bricks per workgroup of move.wgsl. */
const moved = 4;

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    ...recordedEncoder(
      gpu,
      'rice.encode',
      (elementBytes, chunks) => gpu.prepareKernels(encoders(chunks, elementBytes)),
      recordEncode,
    ),
    prepareDecoders: (elementBytes, chunks, checked) => {
      const { locate, decode } = decoders(gpu, kindsOf(chunks, elementBytes), elementBytes, faultVariant(checked));
      // First those that take longest to compile.
      return gpu.prepareKernels([...decode, locate]);
    },
    prepareDecode: (payloads, chunks, target, scope, faults) => prepareDecode(gpu, payloads, chunks, target, scope, faults),
  };
}

/** A kind of brick. Each kind has its own kernels. */
interface BrickKind {
  readonly form: Form;
  /** Whether the chunk's edges clip them. */
  readonly clipped: boolean;
}

/** For kernels that treat all kinds alike. */
const anyKind: BrickKind = { form: { picture: false, causal: false }, clipped: true };

interface RiceKernel {
  readonly name: string;
  readonly shader: ShaderFile;
  readonly elementBytes: CodecElementBytes;
  readonly kind?: BrickKind;
  readonly variant?: Variant;
  /** Threads per workgroup. */
  readonly threads?: number;
}

function kernel(gpu: Gpu, described: RiceKernel): Kernel {
  return gpu.kernel(describe(described));
}

function describe({ name, shader, elementBytes, kind = anyKind, variant, threads = invocations }: RiceKernel): KernelDescriptor {
  const { form, clipped } = kind;
  return {
    label: `rice.${name}`,
    shader,
    // Arrays in registers are as long as a part. An override cannot set their length, so the shader is compiled for it.
    variant: { ...variant, causal: form.causal, parts: threads / groups },
    constants: {
      element_bytes: elementBytes,
      picture: Number(form.picture),
      causal: Number(form.causal),
      clipped: Number(clipped),
    },
  };
}

/** What `encode` runs for these chunks. */
function encoders(chunks: readonly PreparedChunk[], elementBytes: CodecElementBytes): KernelDescriptor[] {
  return [
    // Those that take longest to compile.
    ...kindsOf(chunks, elementBytes).map((kind) => describe(encoderOf(kind, elementBytes))),
    describe({ name: 'cut', shader: cutShader, elementBytes }),
    describe({ name: 'sizes', shader: sizesShader, elementBytes }),
    placer,
    describe({ name: 'move', shader: moveShader, elementBytes }),
  ];
}

function encoderOf(kind: BrickKind, elementBytes: CodecElementBytes): RiceKernel {
  return { name: 'encode', shader: encodeShader, elementBytes, kind, variant: { scans_pairs: true } };
}

function recordEncode(
  gpu: Gpu,
  commands: Commands,
  voxels: GpuVoxels,
  chunks: readonly GpuChunk[],
  { scope, work }: RecordCall,
): RecordedPayloads {
  const { elementBytes } = voxels;
  const mostBytes = boundsOf(chunks, elementBytes);
  const buffer = scope.reused('rice.payloads', roomFor(mostBytes));
  const places = placesFor(scope, chunks.length);
  const parts = inRooms(gpu, voxels, chunks).map((part) => recordPart(gpu, commands, work, voxels, part));
  for (const { part, table, lengths } of parts) {
    const { first } = part;
    const layout = { chunkCount: part.chunks.length, first, lengths, chunks: table, chunkWords, placeWord: 4, elementBytes };
    recordPlaces(gpu, commands, work, places, layout);
  }
  commands.stage('write');
  const move = kernel(gpu, { name: 'move', shader: moveShader, elementBytes });
  for (const { box, bricks, table, chunkOfBrick, brickPlaces, rooms, sizes, offsets } of parts) {
    const bindings = [box, brickPlaces, rooms, sizes, offsets, table, chunkOfBrick, buffer];
    commands.dispatch(move, bindings, Math.ceil(bricks.tileCount / moved));
  }
  return { buffer, places, mostBytes };
}

/** Chunks whose bricks' rooms share one buffer. */
interface InRooms {
  /** Number of the first chunk in the batch. */
  readonly first: number;
  readonly chunks: readonly GpuChunk[];
  /** Where each chunk's rooms start. */
  readonly byteOffsets: readonly number[];
  readonly totalBytes: number;
}

/** Splits a batch so that all rooms of a part fit one binding. Rooms take a few percent more than the voxels. */
function inRooms(gpu: Gpu, { elementBytes }: GpuVoxels, chunks: readonly GpuChunk[]): InRooms[] {
  const parts: { first: number; chunks: GpuChunk[]; byteOffsets: number[]; totalBytes: number }[] = [];
  chunks.forEach((chunk, number) => {
    const geometry = geometryOf(parseForm(chunk.parameters), elementBytes);
    const sized = { shape: chunk.shape, elementBytes };
    const bytes = 4 * roomWords(sized, geometry) * brickCount(chunk, geometry) * planesOf(elementBytes).planes;
    let part = parts.at(-1);
    if (!part || part.totalBytes + bytes > gpu.maxBindingBytes) {
      part = { first: number, chunks: [], byteOffsets: [], totalBytes: 0 };
      parts.push(part);
    }
    part.chunks.push(chunk);
    part.byteOffsets.push(part.totalBytes);
    part.totalBytes += bytes;
  });
  return parts;
}

/** Records the commands that encode a part's bricks into their rooms and compute the chunks' lengths in bytes. */
function recordPart(gpu: Gpu, commands: Commands, work: GpuScope, voxels: GpuVoxels, part: InRooms) {
  const { elementBytes } = voxels;
  const { chunks, byteOffsets, totalBytes } = part;
  const { kinds, bricks } = cutAll(chunks, voxels);
  const { tileCount: brickTotal } = bricks;
  const unitCount = brickTotal * planesOf(elementBytes).planes;
  const box = boxUniform(work, voxels, brickTotal, chunks.length);
  const table = chunkTable(work, voxels, chunks, bricks, { byteOffsets, byteLengths: [] });
  const chunkOfBrick = work.storage('chunk-of-brick', 4 * brickTotal, bricks.chunkOfTile);
  const brickPlaces = work.reused('places', 16 * brickTotal);
  const rooms = work.reused('rooms', totalBytes);
  const sizes = work.reused('sizes', 4 * unitCount);
  const offsets = work.reused('offsets', 4 * unitCount);
  const lengths = work.reused('lengths', 4 * chunks.length);

  commands.stage('encode');
  const cut = kernel(gpu, { name: 'cut', shader: cutShader, elementBytes });
  commands.dispatch(cut, [box, table, chunkOfBrick, brickPlaces], Math.ceil(brickTotal / invocations));
  for (const kind of kinds) {
    const encoder = kernel(gpu, encoderOf(kind, elementBytes));
    commands.dispatch(encoder, [box, brickPlaces, voxels.buffer, rooms, sizes], brickTotal);
  }
  commands.stage('scan');
  const sum = kernel(gpu, { name: 'sizes', shader: sizesShader, elementBytes });
  commands.dispatch(sum, [box, table, sizes, offsets, lengths], chunks.length);
  return { part, box, bricks, table, chunkOfBrick, brickPlaces, rooms, sizes, offsets, lengths };
}

/** The kernels of `prepareDecode`: one to locate, and one for each kind of brick. */
function decoders(gpu: Gpu, kinds: readonly BrickKind[], elementBytes: CodecElementBytes, variant: FaultChecks['variant']) {
  const threads = gpu.tuning['rice.decode'];
  return {
    locate: describe({ name: 'locate', shader: locateShader, elementBytes, variant: variant(4) }),
    decode: kinds.map((kind) => {
      const decoding = { ...variant(5), decodes: true, shared_words: kind.form.causal };
      return describe({ name: 'decode', shader: decodeShader, elementBytes, kind, variant: decoding, threads });
    }),
  };
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
  const { kinds, bricks } = cutAll(chunks, target);
  const { tileCount: brickTotal } = bricks;
  const { elementBytes } = target;
  const box = boxUniform(scope, target, brickTotal, chunks.length);
  const table = chunkTable(scope, target, chunks, bricks, payloads);
  const spans = scope.storage('spans', 16 * brickTotal * planesOf(elementBytes).planes);
  const source = payloadBuffer(payloads, scope);
  const { variant, bindings } = faultChecks(faults);
  const kernels = decoders(gpu, kinds, elementBytes, variant);
  const locate = gpu.kernel(kernels.locate);
  const decodings = kernels.decode.map((descriptor) => gpu.kernel(descriptor));
  // A checked brick needs one more table, to know its chunk.
  const ofChecks = faults ? [scope.storage('chunk-of-brick', 4 * brickTotal, bricks.chunkOfTile), ...bindings] : [];
  return (commands) => {
    commands
      .stage('scan')
      .dispatch(locate, [box, table, source, spans, ...bindings], chunks.length)
      .stage('decode');
    for (const decode of decodings) commands.dispatch(decode, [box, source, spans, target.buffer, ...ofChecks], brickTotal);
  };
}

/** The bricks of all chunks, and the kinds among them. */
function cutAll(chunks: readonly GpuChunk[], box: GpuVoxels): { kinds: BrickKind[]; bricks: TileTable } {
  const bricksPerChunk = chunks.map((chunk) => {
    assertInBox(chunk, box);
    return brickCount(chunk, geometryOf(parseForm(chunk.parameters), box.elementBytes));
  });
  return { kinds: kindsOf(chunks, box.elementBytes), bricks: tileTable(bricksPerChunk) };
}

/** The kinds of bricks in chunks. Each kind has its own kernels, which skip other bricks. */
function kindsOf(chunks: readonly PreparedChunk[], elementBytes: CodecElementBytes): BrickKind[] {
  const kinds = new Map<number, BrickKind>();
  for (const { shape, parameters } of chunks) {
    const form = parseForm(parameters);
    const [x, y, z] = geometryOf(form, elementBytes).brick;
    const add = (clipped: boolean) => {
      const key = 2 * (parameters[0] as number) + Number(clipped);
      if (!kinds.has(key)) kinds.set(key, { form, clipped });
    };
    if (shape[0] >= x && shape[1] >= y && shape[2] >= z) add(false);
    if (shape[0] % x !== 0 || shape[1] % y !== 0 || shape[2] % z !== 0) add(true);
  }
  return [...kinds.values()];
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
    const at = chunkWords * i;
    table.set(shape, at);
    table[at + 3] = firstWordOf(box, origin);
    table[at + 4] = placement?.byteOffsets[i] ?? 0;
    table[at + 5] = placement?.byteLengths[i] ?? 0;
    table[at + 6] = firstTiles[i] as number;
    table[at + 7] = parameters[0] as number;
  });
  return scope.storage('chunks', table.byteLength, table);
}
