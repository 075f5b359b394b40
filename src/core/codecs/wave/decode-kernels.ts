import decodeShader from '../../../shaders/wave/decode.wgsl';
import { assertPayloads, boxLayout, payloadBuffer } from '../../codec/batch.ts';
import type { DecodePlan, GpuChunk, GpuPayloads, GpuVoxels } from '../../codec/codec.ts';
import { faultChecks } from '../../codec/faults.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { laneCount, planesOf } from './layout.ts';
import { partsOf, partWords, tableBuffer } from './part-table.ts';
import { searchTable } from './tables.ts';

/**
 * The number of blocks that a dispatch decodes: about as many as the largest GPUs work on at once. More would make a dispatch on a slow
 * GPU longer. Each block needs a history.
 */
const blocksPerDispatch = 512;
/**
 * The lengths of a block's history in steps. If Z > 1, the oldest neighbour is two slices and a row back, at most 2 × 68 + 16
 * steps. There are only two lengths, because each needs a kernel of its own.
 */
const historyLengths = { picture: 16, volume: 256 } as const;

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
  const historySteps = parts.some(({ extent }) => extent[2] > 1) ? historyLengths.volume : historyLengths.picture;
  const planes = planesOf(target.elementBytes);
  const blocks = parts.length / planes;
  const records = scope.storage('parts', table.byteLength, table);
  const tables = tableBuffer(scope);
  const searchWords = searchTable();
  const search = scope.storage('search', searchWords.byteLength, searchWords);
  const history = scope.storage('history', 4 * historySteps * laneCount * Math.min(blocks, blocksPerDispatch));
  const { variant, bindings } = faultChecks(faults);
  const kernel = gpu.kernel({
    label: 'wave.decode',
    shader: decodeShader,
    variant: { ...variant(7), table_binding: 2, search_binding: 6 },
    constants: { element_bytes: target.elementBytes, history_steps: historySteps },
  });
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
