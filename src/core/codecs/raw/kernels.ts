import decodeShader from '../../../shaders/raw/decode.wgsl';
import encodeShader from '../../../shaders/raw/encode.wgsl';
import {
  assertInBox,
  assertPayloads,
  boxUniform,
  firstWordOf,
  payloadBuffer,
  placePayloads,
  tileTable,
} from '../../codec/batch.ts';
import {
  type CodecKernels,
  type GpuChunk,
  type GpuVoxels,
  type RecordCall,
  type RecordedPayloads,
  rowBytes,
} from '../../codec/codec.ts';
import { type FaultChecks, faultChecks, faultVariant } from '../../codec/faults.ts';
import { asRecorded, boundsOf, recordedEncoder } from '../../codec/recorded.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { KernelDescriptor } from '../../gpu/kernel.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { checkParameters } from './reference.ts';

const tileWords = 1024;
const chunkWords = 8;

/** The first bindings of both kernels: the box, the chunks, and the chunk of each tile. */
function describeBatch(
  scope: GpuScope,
  box: GpuVoxels,
  chunks: readonly GpuChunk[],
  tileCounts: readonly number[],
  payloads: { readonly byteOffsets: readonly number[]; readonly byteLengths: readonly number[] },
) {
  const { tileCount, firstTiles, chunkOfTile } = tileTable(tileCounts);
  const table = new Uint32Array(chunkWords * chunks.length);
  chunks.forEach(({ origin, shape }, i) => {
    table.set(
      [
        firstWordOf(box, origin),
        shape[0] * box.elementBytes,
        shape[1],
        payloads.byteLengths[i] as number,
        (payloads.byteOffsets[i] as number) / 4,
        firstTiles[i] as number,
        shape[1] * shape[2],
      ],
      chunkWords * i,
    );
  });
  const bindings = [
    boxUniform(scope, box, tileCount, chunks.length),
    scope.storage('chunks', table.byteLength, table),
    scope.storage('chunk-of-tile', chunkOfTile.byteLength, chunkOfTile),
  ];
  return { tileCount, bindings };
}

const constants = { tile_words: tileWords };
const encodeKernel: KernelDescriptor = { label: 'raw.encode', shader: encodeShader, constants };

function decodeKernel(variant: FaultChecks['variant']): KernelDescriptor {
  // Bound are the box, the chunks, the chunk of each tile, the payloads and the target.
  return { label: 'raw.decode', shader: decodeShader, variant: variant(5), constants };
}

function recordEncode(
  gpu: Gpu,
  commands: Commands,
  voxels: GpuVoxels,
  chunks: readonly GpuChunk[],
  { scope, work }: RecordCall,
): RecordedPayloads {
  for (const chunk of chunks) {
    checkParameters(chunk.parameters);
    assertInBox(chunk, voxels);
  }
  const mostBytes = boundsOf(chunks, voxels.elementBytes);
  const { byteOffsets, totalBytes } = placePayloads(mostBytes);
  const buffer = scope.reused('raw.payloads', totalBytes);
  const tileCounts = mostBytes.map((length) => Math.ceil(length / 4 / tileWords));
  const payloads = { buffer, byteOffsets, byteLengths: mostBytes };
  const { tileCount, bindings } = describeBatch(work, voxels, chunks, tileCounts, payloads);
  commands.stage('write').dispatch(gpu.kernel(encodeKernel), [...bindings, voxels.buffer, buffer], tileCount);
  return asRecorded(scope, payloads, mostBytes);
}

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    ...recordedEncoder(gpu, 'raw.encode', () => gpu.prepareKernels([encodeKernel]), recordEncode),
    prepareDecoders: (_elementBytes, _chunks, checked) => gpu.prepareKernels([decodeKernel(faultVariant(checked))]),
    prepareDecode(payloads, chunks, target, scope, faults) {
      for (const chunk of chunks) {
        checkParameters(chunk.parameters);
        assertInBox(chunk, target);
      }
      assertPayloads(payloads, chunks.length);
      const tileCounts = chunks.map(({ shape }) =>
        Math.ceil(((rowBytes(shape[0], target.elementBytes) / 4) * shape[1] * shape[2]) / tileWords),
      );
      const { tileCount, bindings } = describeBatch(scope, target, chunks, tileCounts, payloads);
      const own = [...bindings, payloadBuffer(payloads, scope), target.buffer];
      const checks = faultChecks(faults);
      const kernel = gpu.kernel(decodeKernel(checks.variant));
      return (commands) => {
        commands.stage('decode').dispatch(kernel, [...own, ...checks.bindings], tileCount);
      };
    },
  };
}
