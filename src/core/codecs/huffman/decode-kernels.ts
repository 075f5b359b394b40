import codeOfShader from '../../../shaders/huffman/code-of.wgsl';
import decodeShader from '../../../shaders/huffman/decode.wgsl';
import locateShader from '../../../shaders/huffman/locate.wgsl';
import scatterShader from '../../../shaders/huffman/scatter.wgsl';
import { assertInBox, assertPayloads, boxUniform, firstWordOf, payloadBuffer, tileTable } from '../../codec/batch.ts';
import type { CodecElementBytes, DecodePlan, DecodeScratch, GpuChunk, GpuPayloads, GpuVoxels } from '../../codec/codec.ts';
import { type FaultChecks, faultChecks } from '../../codec/faults.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { KernelDescriptor } from '../../gpu/kernel.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { huffmanChunkBytes, maxSections, tileSymbols } from './layout.ts';
import { checkParameters } from './reference.ts';

const chunkWords = 12;
const slotBytes = 16;
const placeBytes = 16;
const codeBytes = 320;
/** Words of the target that a workgroup of scatter.wgsl writes. */
const pieceWords = 2048;

/** The kernels of `prepareDecode`. */
export function decoders(elementBytes: CodecElementBytes, variant: FaultChecks['variant']) {
  const constants = { element_bytes: elementBytes };
  return {
    locate: { label: 'huffman.locate', shader: locateShader, variant: variant(5), constants },
    codeOf: { label: 'huffman.code-of', shader: codeOfShader, variant: variant(4) },
    decode: { label: 'huffman.decode', shader: decodeShader, variant: variant(8), constants },
    scatter: { label: 'huffman.scatter', shader: scatterShader, constants },
  } satisfies Record<string, KernelDescriptor>;
}

export function prepareDecode(
  gpu: Gpu,
  payloads: GpuPayloads,
  chunks: readonly GpuChunk[],
  target: GpuVoxels,
  scope: GpuScope,
  faults?: GPUBuffer,
  scratch: DecodeScratch = (byteLength) => scope.storage('symbols', byteLength),
): DecodePlan {
  assertPayloads(payloads, chunks.length);
  const { elementBytes } = target;
  const perWord = 4 / elementBytes;
  const lengths = chunks.map((chunk) => {
    assertInBox(chunk, target);
    checkParameters(chunk.parameters);
    return huffmanChunkBytes({ shape: chunk.shape, elementBytes });
  });
  // A chunk's sections are unknown until its payload is read, so there is room for the maximum.
  const { tileCount: placeCount, firstTiles } = tileTable(lengths.map((bytes) => Math.floor(bytes / tileSymbols) + maxSections));
  const pieces = tileTable(
    chunks.map(({ shape }) => Math.ceil((Math.ceil(shape[0] / perWord) * shape[1] * shape[2]) / pieceWords)),
  );
  const table = new Uint32Array(chunkWords * chunks.length);
  let symbolWords = 0;
  chunks.forEach(({ origin, shape }, i) => {
    const bytes = lengths[i] as number;
    const tileSlots = Math.floor(bytes / tileSymbols) + maxSections;
    const source = [payloads.byteOffsets[i] as number, payloads.byteLengths[i] as number, bytes, symbolWords];
    const record = [
      ...source,
      firstTiles[i] as number,
      tileSlots,
      firstWordOf(target, origin),
      ...shape,
      pieces.firstTiles[i] as number,
    ];
    table.set(record, chunkWords * i);
    symbolWords += Math.floor(bytes / 4) + maxSections;
  });

  const slotCount = maxSections * chunks.length;
  const chunkTable = scope.storage('chunks', table.byteLength, table);
  const chunkOfPiece = scope.storage('chunk-of-piece', 4 * pieces.tileCount, pieces.chunkOfTile);
  const slots = scope.storage('slots', slotBytes * slotCount);
  const places = scope.storage('places', placeBytes * placeCount);
  const codes = scope.storage('codes', codeBytes * slotCount);
  const symbols = scratch(4 * symbolWords);
  const source = payloadBuffer(payloads, scope);
  const counted = (label: string, count: number) => scope.uniform(label, [count]);
  const chunkCount = counted('chunk-count', chunks.length);
  const slotUniform = counted('slot-count', slotCount);
  const placeBox = boxUniform(scope, target, placeCount, 0);
  const pieceBox = boxUniform(scope, target, pieces.tileCount, 0);

  const { variant, bindings } = faultChecks(faults);
  const kernels = decoders(elementBytes, variant);
  const [locate, codeOf] = [gpu.kernel(kernels.locate), gpu.kernel(kernels.codeOf)];
  const [decode, scatter] = [gpu.kernel(kernels.decode), gpu.kernel(kernels.scatter)];
  const decodeBindings = [placeBox, slots, places, source, codes, symbols, chunkTable, target.buffer, ...bindings];
  return (commands) => {
    commands
      .stage('locate')
      .dispatch(locate, [chunkCount, chunkTable, source, slots, places, ...bindings], chunks.length)
      .dispatch(codeOf, [slotUniform, source, slots, codes, ...bindings], slotCount)
      .stage('decode')
      .dispatch(decode, decodeBindings, placeCount)
      .stage('scatter')
      .dispatch(scatter, [pieceBox, chunkTable, chunkOfPiece, slots, symbols, target.buffer], pieces.tileCount);
  };
}
