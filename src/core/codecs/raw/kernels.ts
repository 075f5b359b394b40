import decodeShader from '../../../shaders/raw/decode.wgsl';
import encodeShader from '../../../shaders/raw/encode.wgsl';
import {
  assertInBox,
  assertPayloads,
  boxUniform,
  chunkBytes,
  firstWordOf,
  payloadBuffer,
  placePayloads,
  submitLast,
  tileTable,
} from '../../codec/batch.ts';
import { type CodecKernels, type GpuChunk, type GpuVoxels, rowBytes } from '../../codec/codec.ts';
import { faultChecks } from '../../codec/faults.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { throwIfAborted } from '../../shared/job.ts';
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

export function createKernels(gpu: Gpu): CodecKernels {
  const constants = { tile_words: tileWords };
  const encodeKernel = gpu.kernel({ label: 'raw.encode', shader: encodeShader, constants });
  return {
    async encode(voxels, chunks, call) {
      const { scope, signal, onTimes } = call;
      throwIfAborted(signal);
      for (const chunk of chunks) {
        checkParameters(chunk.parameters);
        assertInBox(chunk, voxels);
      }
      const byteLengths = chunks.map(({ shape }) => chunkBytes({ shape, elementBytes: voxels.elementBytes }));
      const { byteOffsets, totalBytes } = placePayloads(byteLengths);
      if (totalBytes === 0) return { buffer: undefined, byteOffsets, byteLengths };
      const work = scope.scope('raw.encode');
      try {
        const buffer = scope.reused('raw.payloads', totalBytes);
        const tileCounts = byteLengths.map((length) => Math.ceil(length / 4 / tileWords));
        const { tileCount, bindings } = describeBatch(work, voxels, chunks, tileCounts, { byteOffsets, byteLengths });
        const commands = gpu.commands('raw.encode', onTimes).stage('write');
        await submitLast(commands.dispatch(encodeKernel, [...bindings, voxels.buffer, buffer], tileCount), call);
        return { buffer, byteOffsets, byteLengths };
      } finally {
        work.destroy();
      }
    },

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
      const kernel = gpu.kernel({ label: 'raw.decode', shader: decodeShader, variant: checks.variant(own.length), constants });
      return (commands) => {
        commands.stage('decode').dispatch(kernel, [...own, ...checks.bindings], tileCount);
      };
    },
  };
}
