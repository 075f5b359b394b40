/**
 * docs/FORMAT.md as a reader, to learn from and to test by: each sentence is above the lines that implement it. It takes
 * a whole file in memory and shares no code with `ContainerReader`. Imported by tests alone.
 *
 * It does not know the feature 'pictures', and refuses such files by that name.
 */
import { StriaError } from '../shared/errors.ts';
import { chunksOf, decodeChunk, type PlainChunk, parseIndex, type StageCodecs } from './plain-chunks-testing.ts';
import { type Inflate, readFilesPlainly } from './plain-files-testing.ts';
import { type PlainHeader, parseHeader } from './plain-header-testing.ts';
import { belongsToPart } from './plain-part-testing.ts';
import { corrupt, readRecord, u64, uint } from './plain-records-testing.ts';
import { joinParts } from './plain-source-testing.ts';

/** The source files, byte for byte, by their names. @param inflate for the features 'files' and 'deflated' */
export function readPlainly(file: Uint8Array, codecs: StageCodecs, inflate: Inflate): Map<string, Uint8Array> {
  // FORMAT.md, 'Reading'
  // 'Check the signature, the version, and HEAD: its head, its checksum, then its values.'
  checkFirstBytes(file);
  const head = readRecord(file, 16, 'HEAD');
  // 'No meta bytes.'
  if (head.meta.length > 0) throw corrupt('HEAD has meta bytes');
  const header = parseHeader(head.body, [uint(file, 8, 2), uint(file, 10, 2)]);

  // 'Check the last 8 bytes, find TAIL by the 8 before them, check it and that it ends with the file.'
  if (latin(file.subarray(-8)) !== 'STRIAEND') throw corrupt('file does not end as it should');
  const tail = readRecord(file, u64(file, file.length - 16), 'TAIL');
  if (tail.end !== file.length || tail.meta.length > 0 || tail.body.length < 56) throw corrupt('TAIL is wrong');
  const [chunkCount, indexAt, indexLength, sourceAt, sourceLength] = [0, 8, 16, 24, 32].map((at) => u64(tail.body, at)) as [
    number,
    number,
    number,
    number,
    number,
  ];

  // 'Its number of chunks is that of HEAD's grid.'
  const chunks = chunksOf(header);
  if (chunkCount !== chunks.length) throw corrupt('TAIL has another number of chunks');

  // 'Read INDX, check it, and that it has exactly as many entries as there are chunks.'
  const index = readRecord(file, indexAt, 'INDX');
  // 'length of INDX: the whole record with its padding'
  if (index.end !== indexAt + indexLength || index.meta.length > 0) throw corrupt('INDX is wrong');
  const entries = parseIndex(index.body, header.elementBytes, { start: head.end, end: indexAt });
  if (entries.length !== chunks.length) throw corrupt('INDX has another number of chunks');

  if (header.part !== undefined) {
    const isOwn = belongsToPart(header, chunks);
    // FORMAT.md, 'Parts': 'A reader refuses a file with chunks outside its part.'
    if (chunks.some((chunk) => !isOwn(chunk) && entries[chunk.number]?.kind !== 'lost')) throw corrupt('INDX has other chunks');
    // 'No source file can be restored from one part.'
    throw new StriaError('invalid-input', 'the file holds only a part of its volume');
  }

  // 'A voxel is one element, but an f64 voxel is two of 4 bytes, the low half first, side by side along x.'
  const voxels = new Uint8Array(header.grid.reduce((product, length) => product * length, header.elementBytes));
  for (const chunk of chunks) {
    const bytes = decodeChunk(file, chunk, entries[chunk.number] as (typeof entries)[number], header.elementBytes, codecs);
    putChunk(voxels, header, chunk, bytes);
  }

  const source = readRecord(file, sourceAt, 'SRCE');
  // 'length of SRCE: the whole record with its padding'
  if (source.end !== sourceAt + sourceLength || source.meta.length > 0) throw corrupt('SRCE is wrong');
  const files = joinParts(file, source, header, voxels, inflate);
  if (header.source !== 'dicom') return files;
  const [depth, times] = header.grid.slice(2) as [number, number];
  // 'SRCE has one part, with `hasVoxels` true, `endian` `"little"` and nothing `after`.'
  const [part] = [...files.values()];
  if (files.size !== 1 || part === undefined) throw corrupt('SRCE has more than one part');
  const table = part.subarray(0, part.length - voxels.length);
  // 'where it is empty, only the values are kept, and no file can be restored'
  if (table.length === 0) throw new StriaError('unsupported', 'no file can be restored');
  return readFilesPlainly(table, { voxels, voxelBytes: header.voxelBytes, depth, times }, inflate);
}

/** FORMAT.md, 'The first 16 bytes' */
function checkFirstBytes(file: Uint8Array): void {
  // 'signature: `89 53 54 52 49 41 0D 0A`'
  if (file.length < 16 || latin(file.subarray(0, 8)) !== '\x89STRIA\r\n') throw corrupt('signature is wrong');
  // 'A reader refuses another major version by its number.'
  const major = uint(file, 8, 2);
  if (major !== 1) throw new StriaError('unsupported', `the file is of version ${major}`);
  // 'A higher minor version is read as far as it is known.'
  if (uint(file, 12, 4) !== 0) throw corrupt('bytes behind the version are not 0');
}

/** Chunks overlap nowhere, so each puts its elements in their own places. */
function putChunk(voxels: Uint8Array, header: PlainHeader, chunk: PlainChunk, bytes: Uint8Array): void {
  const { elementBytes, requires } = header;
  const [gridX, gridY, gridZ] = header.grid;
  const [width, height, depth, times] = chunk.extent;
  const [x0, y0, z0, t0] = chunk.origin;
  for (let t = 0; t < times; t++) {
    for (let z = 0; z < depth; z++) {
      for (let y = 0; y < height; y++) {
        // 'time point i begins at plane i × Z'; 'plane z of time point i, both from 0, is plane z × n + i of the box'
        const plane = requires.includes('interleaved') ? z * times + t : t * depth + z;
        const from = (plane * height + y) * width * elementBytes;
        const to = ((((t0 + t) * gridZ + z0 + z) * gridY + y0 + y) * gridX + x0) * elementBytes;
        voxels.set(bytes.subarray(from, from + width * elementBytes), to);
      }
    }
  }
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
