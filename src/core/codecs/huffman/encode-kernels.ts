import codeShader from '../../../shaders/huffman/code.wgsl';
import gatherShader from '../../../shaders/huffman/gather.wgsl';
import measureShader from '../../../shaders/huffman/measure.wgsl';
import writeShader from '../../../shaders/huffman/write.wgsl';
import { assertInBox, boxUniform, firstWordOf, placePayloads, submitLast, tileTable } from '../../codec/batch.ts';
import type { CodecElementBytes, GpuChunk, GpuPayloads, GpuVoxels, KernelCall } from '../../codec/codec.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { KernelDescriptor } from '../../gpu/kernel.ts';
import { throwIfAborted } from '../../shared/job.ts';
import {
  huffmanChunkBytes,
  kinds,
  type Section,
  type SectionKind,
  sectionsOf,
  segmentsPerTile,
  tileSymbols,
  varintLength,
} from './layout.ts';
import { checkParameters } from './reference.ts';

const sectionWords = 16;
/** A table's length in bytes, then its bytes. */
const tableWords = 33;
/** The kind of a section in a chunk that is not written. */
const leftOut = 3;

export async function encode(gpu: Gpu, voxels: GpuVoxels, chunks: readonly GpuChunk[], call: KernelCall): Promise<GpuPayloads> {
  const { scope, signal, onTimes } = call;
  throwIfAborted(signal);
  const batch = cutAll(chunks, voxels);
  const { sections, tileCount } = batch;
  if (chunks.length === 0) return { buffer: undefined, byteOffsets: [], byteLengths: [] };
  const sectionCount = sections.length;
  const kernels = encoders(gpu, voxels.elementBytes);
  await gpu.prepareKernels(Object.values(kernels));
  const work = scope.scope('huffman.encode');
  try {
    const box = boxUniform(work, voxels, tileCount, sectionCount);
    const unplaced = sectionTable(voxels, batch);
    const table = work.storage('sections', unplaced.byteLength, unplaced);
    const tiles = work.storage('tiles', batch.tiles.byteLength, batch.tiles);
    const symbols = work.storage('symbols', 4 * batch.symbolWords);
    const counts = work.storage('counts', 1024 * sectionCount);
    const codes = work.storage('codes', 1024 * sectionCount);
    const tables = work.storage('tables', 4 * tableWords * sectionCount);
    const segmentBits = work.storage('segment-bits', 4 * segmentsPerTile * tileCount);
    const tileBytes = work.storage('tile-bytes', 4 * tileCount);
    const tileUniform = work.uniform('tile-count', [tileCount]);

    const gather = gpu.kernel(kernels.gather);
    const makeCodes = gpu.kernel(kernels.code);
    const measure = gpu.kernel(kernels.measure);
    const commands = gpu
      .commands('huffman.encode', onTimes)
      .stage('gather')
      .dispatch(gather, [box, table, tiles, voxels.buffer, symbols, counts], tileCount)
      .stage('code')
      .dispatch(makeCodes, [work.uniform('section-count', [sectionCount]), counts, codes, tables], sectionCount)
      .stage('measure')
      .dispatch(measure, [tileUniform, table, tiles, symbols, codes, segmentBits, tileBytes], tileCount);
    const tileLengths = commands.readWords(tileBytes);
    const tableContents = commands.readWords(tables);
    await commands.submit();
    const { byteOffsets, byteLengths, totalBytes } = placeAll(chunks, voxels, batch, unplaced, tileLengths(), tableContents());
    if (totalBytes === 0) return { buffer: undefined, byteOffsets, byteLengths };

    throwIfAborted(signal);
    gpu.device.queue.writeBuffer(table, 0, unplaced);
    gpu.device.queue.writeBuffer(tiles, 0, batch.tiles);
    const buffer = scope.storage('huffman.payloads', totalBytes);
    const write = gpu.kernel(kernels.write);
    const writing = gpu.commands('huffman.encode', onTimes).stage('write');
    writing.dispatch(write, [tileUniform, table, tiles, symbols, codes, tables, segmentBits, buffer], tileCount);
    await submitLast(writing, call);
    return { buffer, byteOffsets, byteLengths };
  } finally {
    work.destroy();
  }
}

/** What `encode` runs. */
export function encoders(gpu: Gpu, elementBytes: CodecElementBytes) {
  const constants = { element_bytes: elementBytes, threads: gpu.tuning['huffman.gather'] };
  return {
    gather: { label: 'huffman.gather', shader: gatherShader, constants },
    code: { label: 'huffman.code', shader: codeShader },
    measure: { label: 'huffman.measure', shader: measureShader },
    write: { label: 'huffman.write', shader: writeShader },
  } satisfies Record<string, KernelDescriptor>;
}

interface ChunkSection extends Section {
  readonly chunk: GpuChunk;
  /** The word where its symbols start. */
  readonly symbolsWord: number;
  readonly firstTile: number;
  readonly tileCount: number;
}

/** All sections of all chunks, and their tiles. */
interface Batch {
  readonly sections: readonly ChunkSection[];
  /** For each chunk the number of its first section, then the number of all sections. */
  readonly firstSections: readonly number[];
  readonly tileCount: number;
  /** For each tile: its section, and the byte at which it is written. */
  readonly tiles: Uint32Array<ArrayBuffer>;
  readonly symbolWords: number;
}

function cutAll(chunks: readonly GpuChunk[], box: GpuVoxels): Batch {
  const firstSections: number[] = [];
  const parts: { chunk: GpuChunk; section: Section }[] = [];
  for (const chunk of chunks) {
    assertInBox(chunk, box);
    checkParameters(chunk.parameters);
    firstSections.push(parts.length);
    const geometry = { shape: chunk.shape, elementBytes: box.elementBytes };
    for (const section of sectionsOf(geometry, chunk.sections)) parts.push({ chunk, section });
  }
  firstSections.push(parts.length);
  const tilesPerSection = parts.map(({ section }) => Math.ceil(section.length / tileSymbols));
  const { tileCount, firstTiles, chunkOfTile: sectionOfTile } = tileTable(tilesPerSection);
  const tiles = new Uint32Array(2 * tileCount);
  sectionOfTile.forEach((section, tile) => {
    tiles[2 * tile] = section;
  });
  let symbolWords = 0;
  // Plain literals here and loops below, because a batch has thousands of sections, and the GPU waits for their tables.
  const sections = parts.map(({ chunk, section: { plane, firstElement, length } }, i): ChunkSection => {
    const symbolsWord = symbolWords;
    symbolWords += Math.ceil(length / 4);
    const [firstTile, tileCount] = [firstTiles[i] as number, tilesPerSection[i] as number];
    return { plane, firstElement, length, chunk, symbolsWord, firstTile, tileCount };
  });
  return { sections, firstSections, tileCount, tiles, symbolWords };
}

/** `array<Section>` of tile.wgsl. `placeAll` fills in the places. */
function sectionTable(box: GpuVoxels, { sections }: Batch): Uint32Array<ArrayBuffer> {
  const table = new Uint32Array(sectionWords * sections.length);
  for (let i = 0, at = 0; i < sections.length; i++, at += sectionWords) {
    const { chunk, firstElement, plane, length, symbolsWord, firstTile } = sections[i] as ChunkSection;
    table[at] = firstWordOf(box, chunk.origin);
    table[at + 1] = chunk.shape[0];
    table[at + 2] = chunk.shape[1];
    table[at + 3] = firstElement;
    table[at + 4] = plane;
    table[at + 5] = length;
    table[at + 6] = symbolsWord;
    table[at + 7] = firstTile;
  }
  return table;
}

/**
 * Chooses each section's kind and place: SPEC.md, 'Payload'. Fills in the second half of `table`, and `batch.tiles`.
 * @param tileLengths the coded length of every tile in bytes
 * @param tables the table of every section, from code.wgsl
 */
function placeAll(
  chunks: readonly GpuChunk[],
  { elementBytes }: GpuVoxels,
  { sections, firstSections, tiles }: Batch,
  table: Uint32Array,
  tileLengths: Uint32Array,
  tables: Uint32Array,
) {
  const bodies = sections.map(({ length, firstTile, tileCount }, i) => {
    const tableLength = tables[tableWords * i] as number;
    const directory = 1 + tableLength;
    const start = directory + 2 * tileCount;
    let coded = start;
    for (let tile = firstTile; tile < firstTile + tileCount; tile++) coded += tileLengths[tile] as number;
    if (tableLength === 0) return { kind: kinds.single as SectionKind, bytes: 1, directory, start };
    return coded < length
      ? { kind: kinds.coded as SectionKind, bytes: coded, directory, start }
      : { kind: kinds.plain as SectionKind, bytes: length, directory, start };
  });
  const byteLengths = chunks.map((chunk, number) => {
    let bytes = 1;
    for (let i = firstSections[number] as number; i < (firstSections[number + 1] as number); i++) {
      bytes += varintLength((sections[i] as ChunkSection).length) + (bodies[i] as (typeof bodies)[number]).bytes;
    }
    return bytes < huffmanChunkBytes({ shape: chunk.shape, elementBytes }) ? bytes : 0;
  });
  const { byteOffsets, totalBytes } = placePayloads(byteLengths);
  for (let number = 0; number < chunks.length; number++) {
    const [first, end] = [firstSections[number] as number, firstSections[number + 1] as number];
    let header = byteOffsets[number] as number;
    let at = header + 1;
    for (let i = first; i < end; i++) at += varintLength((sections[i] as ChunkSection).length);
    for (let i = first; i < end; i++) {
      const { length, firstTile, tileCount } = sections[i] as ChunkSection;
      const { kind, bytes, directory, start } = bodies[i] as (typeof bodies)[number];
      const place = sectionWords * i + sectionWords / 2;
      table[place] = byteLengths[number] === 0 ? leftOut : kind;
      table[place + 1] = header;
      table[place + 2] = 4 * length + kind;
      table[place + 3] = i === first ? end - first : 0;
      table[place + 4] = at;
      table[place + 5] = at + directory;
      header += varintLength(length) + Number(i === first);
      let tileAt = kind === kinds.coded ? at + start : at;
      for (let tile = firstTile; tile < firstTile + tileCount; tile++) {
        tiles[2 * tile + 1] = tileAt;
        tileAt += kind === kinds.coded ? (tileLengths[tile] as number) : tileSymbols;
      }
      at += bytes;
    }
  }
  return { byteOffsets, byteLengths, totalBytes };
}
