import decodeShader from '../../../shaders/wave/decode.wgsl';
import { assertPayloads, boxLayout, payloadBuffer } from '../../codec/batch.ts';
import type { CodecElementBytes, DecodePlan, GpuChunk, GpuPayloads, GpuVoxels, PreparedChunk } from '../../codec/codec.ts';
import { type FaultChecks, faultChecks, faultVariant } from '../../codec/faults.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { KernelDescriptor } from '../../gpu/kernel.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { laneCount, planesOf } from './layout.ts';
import { partsOf, partWords, tableBuffer } from './part-table.ts';
import { searchTable } from './tables.ts';

/**
 * The number of blocks that a dispatch decodes: about as many as the largest GPUs work on at once. More would make a dispatch on a slow
 * GPU longer. Each block needs a history.
 */
const blocksPerDispatch = 512;
/**
 * The lengths of a block's history in steps. If Z > 1, the oldest neighbour is two slices and a row back, at most 2 × 66 + 16
 * steps. There are only two lengths, because each needs a kernel of its own.
 */
const historyLengths = { picture: 16, volume: 256 } as const;

/** Compiles what `prepareDecode` needs for such chunks. */
export function prepareDecoders(
  gpu: Gpu,
  elementBytes: CodecElementBytes,
  chunks: readonly PreparedChunk[],
  checked: boolean,
): Promise<void> {
  return gpu.prepareKernels([decoder(elementBytes, historyStepsOf(chunks.map(({ shape }) => shape)), faultVariant(checked))]);
}

/** @param extents of chunks or of their parts: if any has more than one slice, its parts have, too */
function historyStepsOf(extents: readonly Dims3[]): number {
  return extents.some(([, , depth]) => depth > 1) ? historyLengths.volume : historyLengths.picture;
}

function decoder(elementBytes: CodecElementBytes, historySteps: number, variant: FaultChecks['variant']): KernelDescriptor {
  return {
    label: 'wave.decode',
    shader: decodeShader,
    variant: { ...variant(7), table_binding: 2, search_binding: 6 },
    constants: { element_bytes: elementBytes, history_steps: historySteps },
  };
}

export function prepareDecode(
  gpu: Gpu,
  payloads: GpuPayloads,
  chunks: readonly GpuChunk[],
  target: GpuVoxels,
  scope: GpuScope,
  faults?: GPUBuffer,
): DecodePlan {
  assertPayloads(payloads, chunks.length);
  const parts = partsOf(chunks, target);
  const table = new Uint32Array(partWords * parts.length);
  for (const [i, { chunk, extent, firstWord, plane, number, partCount }] of parts.entries()) {
    const payload = [payloads.byteOffsets[chunk] as number, payloads.byteLengths[chunk] as number];
    table.set([...extent, firstWord, plane, chunk, number, partCount, ...payload], partWords * i);
  }
  const historySteps = historyStepsOf(parts.map(({ extent }) => extent));
  const planes = planesOf(target.elementBytes);
  const blocks = parts.length / planes;
  const records = scope.storage('parts', table.byteLength, table);
  const tables = tableBuffer(scope);
  const searchWords = searchTable();
  const search = scope.storage('search', searchWords.byteLength, searchWords);
  const history = scope.storage('history', 4 * historySteps * laneCount * Math.min(blocks, blocksPerDispatch));
  const { variant, bindings } = faultChecks(faults);
  const kernel = gpu.kernel(decoder(target.elementBytes, historySteps, variant));
  const { rowWords, sliceWords } = boxLayout(target);
  const source = payloadBuffer(payloads, scope);
  const dispatches = Array.from({ length: Math.ceil(blocks / blocksPerDispatch) }, (_, i) => {
    const first = i * blocksPerDispatch;
    const count = Math.min(blocks - first, blocksPerDispatch);
    const box = scope.uniform('box', [rowWords, sliceWords, planes * first, planes * count]);
    return { count, bindings: [box, records, tables, source, target.buffer, history, search, ...bindings] };
  });
  return (commands) => {
    commands.stage('decode');
    for (const dispatch of dispatches) commands.dispatch(kernel, dispatch.bindings, dispatch.count);
  };
}
