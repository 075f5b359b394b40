import codeShader from '../../../shaders/huffman/code.wgsl';
import cutShader from '../../../shaders/huffman/cut.wgsl';
import gatherShader from '../../../shaders/huffman/gather.wgsl';
import layOutShader from '../../../shaders/huffman/lay-out.wgsl';
import measureShader from '../../../shaders/huffman/measure.wgsl';
import writeShader from '../../../shaders/huffman/write.wgsl';
import { assertInBox, boxUniform, firstWordOf } from '../../codec/batch.ts';
import type { CodecElementBytes, GpuChunk, GpuVoxels, RecordCall, RecordedPayloads } from '../../codec/codec.ts';
import { placer, placesFor, recordPlaces, recordZeros, roomFor } from '../../codec/recorded.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { KernelDescriptor } from '../../gpu/kernel.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { huffmanChunkBytes, maxSections, segmentsPerTile, tileSymbols } from './layout.ts';
import { checkParameters } from './reference.ts';

const chunkWords = 12;
const sectionWords = 16;
/** A table's length in bytes, then its bytes. */
const tableWords = 33;

export function recordEncode(
  gpu: Gpu,
  commands: Commands,
  voxels: GpuVoxels,
  chunks: readonly GpuChunk[],
  call: RecordCall,
): RecordedPayloads {
  const { elementBytes } = voxels;
  const rooms = chunks.map((chunk): ChunkRoom => {
    assertInBox(chunk, voxels);
    checkParameters(chunk.parameters);
    const { origin, shape } = chunk;
    const bytes = huffmanChunkBytes({ shape, elementBytes });
    const tiles = elementBytes * Math.ceil(bytes / elementBytes / tileSymbols);
    const symbolWords = elementBytes * Math.ceil(bytes / elementBytes / 4);
    return { shape, firstWord: firstWordOf(voxels, origin), mostBytes: bytes, sections: elementBytes, tiles, symbolWords };
  });
  return record(gpu, commands, voxels, rooms, undefined, call);
}

/** @throws StriaError `unsupported` for payloads that could be longer than a huffman chunk */
export function recordSecond(gpu: Gpu, commands: Commands, first: RecordedPayloads, call: RecordCall): RecordedPayloads {
  const { buffer, sections } = first;
  const perChunk = sections?.perChunk ?? 1;
  if (perChunk > maxSections) throw new StriaError('internal', `a payload of ${perChunk} sections is to be encoded by huffman`);
  const rooms = first.mostBytes.map((mostBytes): ChunkRoom => {
    // Some encoders know already which payloads they leave out.
    if (mostBytes > 0) huffmanChunkBytes({ shape: [mostBytes, 1, 1], elementBytes: 1 });
    // Each section may begin a tile and a word.
    const tiles = Math.floor(mostBytes / tileSymbols) + perChunk;
    const symbolWords = Math.floor(mostBytes / 4) + perChunk;
    return { shape: [0, 0, 0], firstWord: 0, mostBytes, sections: perChunk, tiles, symbolWords };
  });
  return record(gpu, commands, { buffer, dims: [buffer.size, 1, 1], elementBytes: 1 }, rooms, first, call);
}

/** What the CPU knows about a chunk. */
interface ChunkRoom {
  /** 0 if only the GPU knows it. */
  readonly shape: Dims3;
  readonly firstWord: number;
  /** An upper bound of its bytes. */
  readonly mostBytes: number;
  /** Upper bounds of its numbers of sections, tiles, and words of symbols. */
  readonly sections: number;
  readonly tiles: number;
  readonly symbolWords: number;
}

/** @param first the chunks, if they are payloads in `voxels` */
function record(
  gpu: Gpu,
  commands: Commands,
  voxels: GpuVoxels,
  rooms: readonly ChunkRoom[],
  first: RecordedPayloads | undefined,
  { scope, work }: RecordCall,
): RecordedPayloads {
  const { elementBytes } = voxels;
  const { table, sectionCount, tileCount, symbolWords } = chunkTable(rooms);
  const kernels = encoders(gpu, elementBytes, first !== undefined);
  const mostBytes = rooms.map((room) => room.mostBytes);
  const buffer = recordZeros(commands, scope, 'huffman.payloads', roomFor(mostBytes));
  const counts = recordZeros(commands, work, 'counts', 1024 * sectionCount);
  const chunks = work.storage('chunks', table.byteLength, table);
  const sections = work.reused('sections', 4 * sectionWords * sectionCount);
  const tiles = work.reused('tiles', 8 * tileCount);
  const symbols = work.reused('symbols', 4 * symbolWords);
  const codes = work.reused('codes', 1024 * sectionCount);
  const tables = work.reused('tables', 4 * tableWords * sectionCount);
  const segmentBits = work.reused('segment-bits', 4 * segmentsPerTile * tileCount);
  const tileBytes = work.reused('tile-bytes', 4 * tileCount);
  const lengths = work.reused('lengths', 4 * rooms.length);
  const places = placesFor(scope, rooms.length);

  const box = boxUniform(work, voxels, tileCount, sectionCount);
  const ofCounts = (count: number, others: number[] = []) => work.uniform('count', [count, ...others]);
  const [tileUniform, chunkUniform] = [ofCounts(tileCount), ofCounts(rooms.length, [first?.sections?.perChunk ?? 0])];
  const ofFirst = first ? [first.places, first.sections?.buffer ?? first.places] : [];
  const perWorkgroup = Math.ceil(rooms.length / 64);
  commands
    .stage('cut')
    .dispatch(gpu.kernel(kernels.cut), [chunkUniform, chunks, sections, tiles, ...ofFirst], perWorkgroup)
    .stage('gather')
    .dispatch(gpu.kernel(kernels.gather), [box, sections, tiles, voxels.buffer, symbols, counts], tileCount)
    .stage('code')
    .dispatch(gpu.kernel(kernels.code), [ofCounts(sectionCount), counts, codes, tables], sectionCount)
    .stage('measure')
    .dispatch(gpu.kernel(kernels.measure), [tileUniform, sections, tiles, symbols, codes, segmentBits, tileBytes], tileCount)
    .stage('places')
    .dispatch(gpu.kernel(kernels.layOut), [chunkUniform, chunks, sections, tiles, tables, tileBytes, lengths], perWorkgroup);
  const layout = { chunkCount: rooms.length, lengths, chunks, chunkWords, placeWord: 4, elementBytes };
  recordPlaces(gpu, commands, work, places, layout);
  const writing = [tileUniform, sections, tiles, symbols, codes, tables, segmentBits, buffer, chunks];
  commands.stage('write').dispatch(gpu.kernel(kernels.write), writing, tileCount);
  return { buffer, places, mostBytes };
}

/** What `recordEncode` runs, or `recordSecond`. */
export function encoders(gpu: Gpu, elementBytes: CodecElementBytes, isSecond: boolean) {
  const constants = { element_bytes: elementBytes, threads: gpu.tuning['huffman.gather'] };
  return {
    cut: { label: 'huffman.cut', shader: cutShader, variant: { second: isSecond }, constants: { element_bytes: elementBytes } },
    gather: { label: 'huffman.gather', shader: gatherShader, constants },
    code: { label: 'huffman.code', shader: codeShader },
    measure: { label: 'huffman.measure', shader: measureShader },
    layOut: { label: 'huffman.lay-out', shader: layOutShader },
    places: placer,
    write: { label: 'huffman.write', shader: writeShader },
  } satisfies Record<string, KernelDescriptor>;
}

/** `array<EncodedChunk>` of tile.wgsl, and what all chunks need together. */
function chunkTable(rooms: readonly ChunkRoom[]) {
  const table = new Uint32Array(chunkWords * rooms.length);
  let [sectionCount, tileCount, symbolWords] = [0, 0, 0];
  for (const [i, room] of rooms.entries()) {
    const at = chunkWords * i;
    table.set(room.shape, at);
    table[at + 3] = room.firstWord;
    table[at + 6] = sectionCount;
    table[at + 7] = room.sections;
    table[at + 8] = tileCount;
    table[at + 9] = room.tiles;
    table[at + 10] = symbolWords;
    sectionCount += room.sections;
    tileCount += room.tiles;
    symbolWords += room.symbolWords;
  }
  return { table, sectionCount, tileCount, symbolWords };
}
