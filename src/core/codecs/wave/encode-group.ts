import { boxLayout } from '../../codec/batch.ts';
import type { GpuChunk, GpuVoxels, RecordedPayloads } from '../../codec/codec.ts';
import { recordPlaces } from '../../codec/recorded.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { encoders } from './encoders.ts';
import { laneCount } from './layout.ts';
import { type PartPlace, partWords } from './part-table.ts';
import { mostCounted, type Scratch, scratchWordsOf, slotWordsOf } from './scratch.ts';

/** Words of a `Chunk` in placed.wgsl. */
const chunkWords = 8;
/** Its word that gets the payload's start. */
const placeWord = 5;
/** Slices of a slab in fitting.wgsl. */
const fitSlabSlices = 8;
/** Chunks of a workgroup of measure.wgsl. */
const measuredChunks = 64;

/** Chunks that are encoded together, and their parts. */
export interface EncodeGroup {
  /** Number of the first one among those of the batch. */
  readonly firstChunk: number;
  readonly chunks: readonly GpuChunk[];
  readonly parts: readonly PartPlace[];
}

/**
 * Records the encoding of a group, and the placing of its payloads behind those placed before.
 * @param inParts whether to submit the group in four parts
 */
export function recordGroup(
  gpu: Gpu,
  commands: Commands,
  work: GpuScope,
  voxels: GpuVoxels,
  group: EncodeGroup,
  scratch: Scratch,
  { buffer, places }: Pick<RecordedPayloads, 'buffer' | 'places'>,
  inParts: boolean,
): void {
  const { elementBytes } = voxels;
  const { parts } = group;
  const count = parts.length;
  const of = encoders(elementBytes);
  const { rowWords, sliceWords } = boxLayout(voxels);
  const box = work.uniform('box', [rowWords, sliceWords, 0, count]);
  const records = partTable(work, voxels, group);
  const chunks = chunkTable(work, group);
  const { values, predictions, elements, samples, sums, weights, counts, codings, lengths, finished, tables, costs } = scratch;
  const source = [box, records, voxels.buffer];
  const slabs = slabsOf(parts, 16, 16);
  const fitSlabs = slabsOf(parts, Number.POSITIVE_INFINITY, fitSlabSlices, 1);

  const endPart = () => {
    if (inParts) commands.submitPart();
  };

  commands.stage('sample').dispatch(gpu.kernel(of.sample), [...source, samples], count);
  commands.dispatch(gpu.kernel(of.choose), [box, records, samples], count);
  commands.stage('spread').dispatch(gpu.kernel(of.spread), [...source, values], slabs);
  for (const [fit, predict] of [
    [of.fitByGradients, of.predictForFit],
    [of.fitByResiduals, of.predict],
  ] as const) {
    commands.record((encoder) => encoder.clearBuffer(sums));
    commands.stage('fit').dispatch(gpu.kernel(fit), [records, values, elements, sums], fitSlabs);
    commands.stage('solve').dispatch(gpu.kernel(of.solve), [sums, weights], [count, 2, 1]);
    commands.stage('predict').dispatch(gpu.kernel(predict), [records, values, weights, predictions, elements], slabs);
    endPart();
  }
  for (let first = 0; first < count; first += mostCounted(gpu)) {
    const counted = Math.min(count - first, mostCounted(gpu));
    const some = work.uniform('box', [rowWords, sliceWords, first, counted]);
    commands.record((encoder) => encoder.clearBuffer(counts));
    const survey = [records, predictions, elements, counts, some];
    commands.stage('survey').dispatch(gpu.kernel(of.survey), survey, [slabs[0], counted, 1]);
    commands.stage('choices').dispatch(gpu.kernel(of.coding), [some, counts, costs, codings], counted);
  }
  // In the buffers, symbols replace predictions, flags replace values, and then lanes replace elements.
  const symbols = [records, predictions, elements, codings, values, tables];
  commands.stage('symbols').dispatch(gpu.kernel(of.symbols), symbols, slabs);
  endPart();
  const code = [box, records, predictions, values, tables, elements, lengths];
  commands.stage('code').dispatch(gpu.kernel(of.code), code, count);
  commands.stage('write').dispatch(gpu.kernel(of.finish), [box, records, weights, codings, lengths, finished], count);
  const { length } = group.chunks;
  const payloadLengths = work.reused('payload-lengths', 4 * length);
  commands.dispatch(gpu.kernel(of.measure), [chunks, finished, payloadLengths], Math.ceil(length / measuredChunks));
  recordPlaces(gpu, commands, work, places, {
    chunkCount: length,
    first: group.firstChunk,
    lengths: payloadLengths,
    chunks,
    chunkWords,
    placeWord,
    elementBytes,
  });
  commands.dispatch(gpu.kernel(of.copy), [...source, finished, elements, chunks, buffer], [laneCount + 1, count, 1]);
  endPart();
}

/** The `array<Part>` of layout.wgsl. The kernel `choose` adds the ranges and the special values. */
function partTable(work: GpuScope, { elementBytes }: GpuVoxels, { firstChunk, parts }: EncodeGroup): GPUBuffer {
  const table = new Uint32Array(partWords * parts.length);
  let [elements, slots] = [0, 0];
  for (const [i, part] of parts.entries()) {
    const slotWords = slotWordsOf(part, elementBytes);
    const { extent, firstWord, plane, chunk, number, partCount } = part;
    const place = [...extent, firstWord, plane, chunk - firstChunk, number, partCount, 0, 0, elements, slots, slotWords];
    table.set(place, partWords * i);
    elements += scratchWordsOf(part);
    slots += slotWords * extent[1];
  }
  return work.storage('parts', table.byteLength, table);
}

/** The `array<Chunk>` of placed.wgsl. */
function chunkTable(work: GpuScope, { firstChunk, chunks, parts }: EncodeGroup): GPUBuffer {
  const table = new Uint32Array(chunkWords * chunks.length);
  for (const [i, { chunk, number, partCount }] of parts.entries()) {
    if (number > 0) continue;
    const at = chunk - firstChunk;
    table.set([...(chunks[at] as GpuChunk).shape, i, partCount], chunkWords * at);
  }
  return work.storage('chunks', table.byteLength, table);
}

/**
 * The dispatch of kernels that take slabs of `rows` rows and `slices` slices of parts (slabs.wgsl, fitting.wgsl).
 * @param alone how many slices at the start of a part have a slab of their own
 */
function slabsOf(parts: readonly PartPlace[], rows: number, slices: number, alone = 0): [number, number, number] {
  let most = 0;
  for (const { extent } of parts) {
    const across = Math.ceil(extent[1] / rows) || 1;
    most = Math.max(most, alone + across * Math.ceil((extent[2] - alone) / slices));
  }
  return [most, parts.length, 1];
}
