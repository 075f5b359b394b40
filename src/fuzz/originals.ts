import { gzipSync, zlibSync } from 'fflate';
import type { Backend, EncodeChoice } from '../core/chunks/backend.ts';
import { choiceByName } from '../core/codecs/registry.ts';
import type { EncodedChunk } from '../core/format/chunk.ts';
import type { ChunkShape } from '../core/format/chunk-grid.ts';
import { ContainerReader } from '../core/format/container-reader.ts';
import type { LevelsOf } from '../core/format/levels-of.ts';
import { niftiFile, niftiHeaderBytes, nrrdLines, nrrdText, type TestFile } from '../core/io/common/source-testing.ts';
import { describedTiff, omeTiff, planesInOrder, type TestImage } from '../core/io/ome-tiff/ome-tiff-testing.ts';
import { openVolume } from '../core/io/open-volume.ts';
import { encodePngChunk } from '../core/io/pictures/png-chunks.ts';
import { pngFile } from '../core/io/pictures/png-testing.ts';
import { tiffFile } from '../core/io/tiff/tiff-testing.ts';
import { memorySink, memorySource } from '../core/shared/bytes.ts';
import type { SourceDescription } from '../core/shared/source.ts';
import { type Dims4, type ElementType, elementBytes, type VolumeInfo } from '../core/shared/volume.ts';
import { compressVolume } from '../core/stream/compress/compress.ts';
import { memoryVolume } from '../core/stream/memory-volume.ts';
import { joined } from './mutate.ts';
import { Random } from './random.ts';

// The undamaged inputs: small files of every kind that Stria reads.

/** Files that might be opened together, by opening the first one. */
export interface InputOriginal {
  readonly name: string;
  readonly files: readonly TestFile[];
  /** Which of the files are text. */
  readonly isText: readonly boolean[];
  /** The files are restored byte for byte: they are neither pictures nor compressed inside. */
  readonly comesBack?: true;
  /** The files are in one folder, which is opened. */
  readonly isFolder?: true;
}

export interface ContainerOriginal {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly info: VolumeInfo;
  readonly chunkShape: ContainerReader['header']['chunkShape'];
  readonly chunks: readonly EncodedChunk[];
  readonly source: SourceDescription;
  /** Decoded, in order. */
  readonly voxels: Uint8Array;
}

const text = (value: string) => new TextEncoder().encode(value);

/** Steps, slopes, labels and noise in one volume, so that every codec has something to encode. */
function voxelsOf(dims: Dims4, type: ElementType): Uint8Array<ArrayBuffer> {
  const random = new Random(dims[0], dims[3]);
  const width = elementBytes(type);
  const bytes = new Uint8Array(dims[0] * dims[1] * dims[2] * dims[3] * width);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < bytes.length / width; i++) {
    const [x, y, z] = [i % dims[0], Math.floor(i / dims[0]) % dims[1], Math.floor(i / dims[0] / dims[1]) % dims[2]];
    let value = (x >> 2) + 7 * (y >> 3);
    if (z % 3 === 1) value = 3 * x + 2 * y + (random.bits() & 7);
    if (z % 3 === 2 && x > 7) value = random.bits();
    if (type === 'f32') view.setFloat32(i * width, value / 7, true);
    else if (type === 'f64') view.setFloat64(i * width, value / 7, true);
    else for (let byte = 0; byte < width; byte++) bytes[i * width + byte] = value >>> (8 * byte);
  }
  return bytes;
}

function infoOf(dims: Dims4, type: ElementType): VolumeInfo {
  const affine = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] as const;
  return { dims, type, spacing: [1, 1, 2, 1], spatialUnit: 'mm', timeUnit: 'unknown', affine, slope: 1, intercept: 0 };
}

const containerKinds: readonly (readonly [codec: string, type: ElementType, dims: Dims4, effort?: 'max'])[] = [
  ['auto', 'u16', [23, 17, 9, 2]],
  ['raw', 'u8', [13, 5, 4, 1]],
  ['rle', 'u8', [23, 17, 9, 1]],
  ['parle', 'u16', [23, 17, 9, 1]],
  ['rice', 'u8', [23, 17, 9, 1]],
  ['rice', 'f32', [23, 17, 2, 1]],
  ['rice', 'i16', [23, 17, 9, 1], 'max'],
  ['labels', 'u32', [23, 17, 9, 1]],
  ['huffman', 'u8', [23, 17, 9, 1]],
  ['rle+huffman', 'u8', [23, 17, 9, 1]],
  ['predict+huffman', 'u16', [23, 17, 9, 1]],
  ['predict+huffman', 'f64', [9, 7, 5, 1], 'max'],
  ['wave', 'u8', [23, 17, 9, 1]],
  ['wave', 'i16', [23, 17, 9, 1], 'max'],
  ['wave', 'f32', [23, 17, 2, 1]],
  ['predict', 'u8', [23, 17, 9, 1]],
];

/** @param inputs some of these are compressed too, above all pictures */
export async function containerOriginals(backend: Backend, inputs: readonly InputOriginal[]): Promise<ContainerOriginal[]> {
  const originals: ContainerOriginal[] = [];
  for (const [codec, type, dims, effort] of containerKinds) {
    const choice: EncodeChoice = { codec: choiceByName(codec), options: { axis: 'auto', effort } };
    const info = infoOf(dims, type);
    const volume = memoryVolume(info, voxelsOf(dims, type));
    originals.push(await compressed(`${codec} ${type}`, backend, volume, choice, [12, 16, 8]));
  }
  const auto: EncodeChoice = { codec: 'auto', options: { axis: 'auto' } };
  const series: Dims4 = [13, 11, 5, 5];
  const interleaved = memoryVolume(infoOf(series, 'i16'), voxelsOf(series, 'i16'));
  originals.push(await compressed('interleaved', backend, interleaved, auto, [8, 8, 3, 2, 'interleaved']));
  const waves: EncodeChoice = { codec: choiceByName('wave'), options: { axis: 'auto' } };
  originals.push(await compressed('interleaved wave', backend, interleaved, waves, [8, 8, 3, 2, 'interleaved']));
  const long: Dims4 = [150, 6, 5, 1];
  const leveled = memoryVolume(infoOf(long, 'u8'), voxelsOf(long, 'u8'));
  originals.push(await compressed('levels', backend, leveled, auto, [32, 6, 2], true));
  const levelsOf = { factors: [2, 2, 1], voxels: '0123456789abcdef', modifiedMs: 1 } as const;
  originals.push(await compressed('levels of another file', backend, leveled, auto, [32, 6, 2], true, levelsOf));
  const leveledWaves = memoryVolume(infoOf([70, 66, 5, 1], 'u16'), voxelsOf([70, 66, 5, 1], 'u16'));
  originals.push(await compressed('levels of wave', backend, leveledWaves, waves, [32, 32, 4], true));
  // A ramp and a constant.
  const dims: Dims4 = [16, 8, 8, 2];
  const ramp = Uint8Array.from({ length: 2048 }, (_, i) => (i < 1024 ? (i % 16) + 3 * Math.floor(i / 16) : 7));
  originals.push(await compressed('ramp', backend, memoryVolume(infoOf(dims, 'u8'), ramp), auto, [8, 8, 4]));
  for (const { name, files } of inputs) {
    const [file] = files as [TestFile];
    const volume = await openVolume(memorySource(file.name, file.bytes), { siblings: siblingsOf(files) });
    originals.push(await compressed(`of ${name}`, backend, volume, auto));
  }
  return originals;
}

export function siblingsOf(files: readonly TestFile[]) {
  return async (name: string) => {
    const found = files.find((file) => file.name === name);
    return found && memorySource(found.name, found.bytes);
  };
}

async function compressed(
  name: string,
  backend: Backend,
  volume: ReturnType<typeof memoryVolume>,
  choice: EncodeChoice,
  chunkShape?: ChunkShape,
  levels = false,
  levelsOf?: LevelsOf,
): Promise<ContainerOriginal> {
  const pieces: Uint8Array[] = [];
  const watched = {
    info: volume.info,
    format: volume.format,
    stored: volume.stored,
    deflatesSource: volume.deflatesSource,
    source: () => volume.source(),
    async *voxels() {
      for await (const piece of volume.voxels()) {
        pieces.push(piece.slice());
        yield piece;
      }
    },
  };
  const sink = memorySink();
  await compressVolume(watched, sink, { backend, choice, chunkShape, levels, levelsOf });
  const bytes = sink.bytes();
  const reader = await ContainerReader.open(memorySource('original.stria', bytes));
  const chunks = await reader.readChunks(0, reader.chunkCount);
  const source = await reader.sourceDescription();
  const { volume: info, chunkShape: shape } = reader.header;
  return { name, bytes, info, chunkShape: shape, chunks, source, voxels: joined(...pieces) };
}

export function inputOriginals(): InputOriginal[] {
  const dims: Dims4 = [7, 5, 4, 1];
  const [bytes, shorts, floats] = [voxelsOf(dims, 'u8'), voxelsOf(dims, 'u16'), voxelsOf(dims, 'f32')];
  const nii = niftiFile({ dim: [3, 7, 5, 4], datatype: 512 }, shorts, new Uint8Array(16), Uint8Array.of(1, 2, 3));
  const nii2 = niftiFile({ version: 2, dim: [3, 7, 5, 4], datatype: 16, slope: 2 }, floats);
  const hdr = niftiHeaderBytes({ dim: [3, 7, 5, 4], datatype: 2, isPair: true });
  const nrrd = joined(nrrdText(nrrdLines([7, 5, 4], 'u16')), shorts);
  const gzippedNrrd = joined(nrrdText(nrrdLines([7, 5, 4], 'u8', 'little', 'gzip')), gzipSync(bytes));
  const nhdr = nrrdText([
    ...nrrdLines([7, 5, 4], 'u8'),
    'data file: scan.data',
    'spacings: 1 1 2.5',
    'space: left-posterior-superior',
  ]);
  const mhaLines = ['ObjectType = Image', 'NDims = 3', 'BinaryData = True', 'DimSize = 7 5 4', 'ElementSpacing = 1 1 2.5'];
  const mhaOf = (type: string, ...more: readonly string[]) =>
    text([...mhaLines, `ElementType = MET_${type}`, ...more, ''].join('\n'));
  const mgh = new Uint8Array(284);
  [1, 7, 5, 4, 1].forEach((value, at) => {
    mgh[4 * at + 3] = value;
  });
  const vtiText = (type: string) =>
    `<VTKFile type="ImageData" byte_order="LittleEndian"><ImageData WholeExtent="0 6 0 4 0 3" Origin="0 0 0" Spacing="1 1 2.5"><Piece>` +
    `<PointData><DataArray type="${type}" format="appended" offset="0"/></PointData></Piece></ImageData><AppendedData encoding="raw">_`;
  // Rows of seven voxels: the half byte behind them is 0.
  const nibbles = bytes.subarray(0, 80).map((byte, at) => (at % 4 === 3 ? byte & 15 : byte));
  const mrcOf = (mode: number) => {
    const view = new DataView(new ArrayBuffer(1024));
    [7, 5, 4, mode, 0, 0, 0, 7, 5, 4].forEach((value, at) => {
      view.setInt32(4 * at, value, true);
    });
    const file = new Uint8Array(view.buffer);
    file.set(text('MAP DD'), 208);
    return file;
  };
  const npyOf = (type: string) =>
    joined(
      Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 64, 0),
      text(`{'descr': '${type}', 'fortran_order': False, 'shape': (4, 5, 7), }`.padEnd(63, ' ')),
      Uint8Array.of(10),
    );
  const longs = Uint8Array.from({ length: 8 * 140 }, (_, at) => (at % 8 === 0 ? (bytes[at >> 3] as number) : 0));
  const sidecar = text(JSON.stringify({ dims: [7, 5, 4], type: 'u16', endian: 'big', offset: 0, spacing: [1, 1, 2] }));
  const comment = encodePngChunk('tEXt', text('Comment\0hi'));
  const png = (bitDepth: number, colourType: number, isInterlaced: boolean, chunks: readonly Uint8Array[] = [comment]) =>
    pngFile({ width: 11, height: 6, bitDepth, colourType, isInterlaced, chunks, chunkBytes: 40 }, samples(bitDepth));
  const palette = encodePngChunk(
    'PLTE',
    Uint8Array.from({ length: 48 }, (_, i) => 5 * i),
  );
  const tiff = (spec: Partial<Parameters<typeof tiffFile>[0]>, pages: readonly Uint8Array[]) =>
    tiffFile({ width: 7, height: 5, type: 'u16', ...spec }, pages);
  const pages = [shorts.subarray(0, 70), shorts.subarray(70, 140)];
  const cells: TestImage = {
    sizes: [7, 5, 2, 2, 2],
    attributes: 'PhysicalSizeX="0.5"',
    channels: '<Channel ID="Channel:0:0" Name="DAPI" Color="65535"/><Channel ID="Channel:0:1"/>',
  };
  const level = { spec: { width: 3, height: 2, type: 'u16' as const }, pages: planesInOrder({ sizes: [3, 2, 2, 2, 2] }) };
  const hyperstack = 'ImageJ=1.54f\nimages=8\nchannels=2\nslices=2\nframes=2\nhyperstack=true\n';
  const binary = (name: string, file: Uint8Array): InputOriginal => ({ name, files: [{ name, bytes: file }], isText: [false] });
  const comesBack = true;
  return [
    { ...binary('scan.nii', nii), comesBack },
    binary('scan.nii.gz', gzipSync(nii)),
    { ...binary('scan2.nii', nii2), comesBack },
    {
      name: 'pair',
      files: [
        { name: 'scan.hdr', bytes: hdr },
        { name: 'scan.img', bytes },
      ],
      isText: [false, false],
      comesBack,
    },
    { name: 'scan.nrrd', files: [{ name: 'scan.nrrd', bytes: nrrd }], isText: [true], comesBack },
    binary('zipped.nrrd', gzippedNrrd),
    {
      name: 'detached',
      files: [
        { name: 'scan.nhdr', bytes: nhdr },
        { name: 'scan.data', bytes },
      ],
      isText: [true, false],
      comesBack,
    },
    { ...binary('scan.mha', joined(mhaOf('USHORT', 'ElementDataFile = LOCAL'), shorts)), comesBack },
    binary('zlib.mha', joined(mhaOf('UCHAR', 'CompressedData = True', 'ElementDataFile = LOCAL'), zlibSync(bytes))),
    { ...binary('brain.mgh', joined(mgh, bytes, Uint8Array.of(1, 2, 3, 4, 5))), comesBack },
    {
      name: 'analyze',
      files: [
        { name: 'old.hdr', bytes: hdr.slice().fill(0, 344) },
        { name: 'old.img', bytes },
      ],
      isText: [false, false],
      comesBack,
    },
    { ...binary('a.vti', joined(text(vtiText('UInt8')), Uint8Array.of(140, 0, 0, 0), bytes)), comesBack },
    { ...binary('a.mrc', joined(mrcOf(6), shorts)), comesBack },
    { ...binary('nibbles.mrc', joined(mrcOf(101), nibbles)), comesBack },
    { ...binary('halves.mrc', joined(mrcOf(12), shorts)), comesBack },
    { ...binary('a.npy', joined(npyOf('<u2'), shorts)), comesBack },
    { ...binary('longs.npy', joined(npyOf('<i8'), longs)), comesBack },
    {
      name: 'list.mhd',
      files: [
        { name: 'list.mhd', bytes: mhaOf('UCHAR', 'ElementDataFile = s%d.raw 0 3 1') },
        ...[0, 1, 2, 3].map((z) => ({ name: `s${z}.raw`, bytes: bytes.slice(35 * z, 35 * (z + 1)) })),
      ],
      isText: [true, false, false, false, false],
    },
    {
      name: 'raw',
      files: [
        { name: 'scan.raw', bytes: shorts },
        { name: 'scan.raw.json', bytes: sidecar },
      ],
      isText: [false, true],
      comesBack,
    },
    binary('gray.png', png(8, 0, false)),
    binary('rgb16.png', png(16, 2, true)),
    binary('alpha.png', png(8, 6, false)),
    binary('bits.png', png(4, 0, false, [])),
    binary('palette.png', png(4, 3, false, [palette])),
    binary('stack.tif', tiff({ tags: [{ tag: 270, type: 2, values: 'ImageJ=1.54f\nimages=2\nslices=2\n' }] }, pages)),
    binary('lzw.tif', tiff({ compression: 'lzw', predictor: 2, rowsPerStrip: 2 }, pages)),
    binary('tiles.tif', tiff({ compression: 'deflate', tile: [16, 16], endian: 'big' }, pages)),
    binary('big.tif', tiff({ isBig: true, compression: 'packbits' }, pages)),
    binary('cells.ome.tif', omeTiff(cells, { compression: 'deflate', predictor: 2, tile: [16, 16], levels: [level] })),
    binary('big.ome.tif', omeTiff({ ...cells, order: 'XYCZT' }, { isBig: true, endian: 'big', compression: 'lzw' })),
    binary('hyper.tif', describedTiff({ ...cells, order: 'XYCZT' }, hyperstack, planesInOrder({ ...cells, order: 'XYCZT' }))),
    binary('zlib.bin', zlibSync(bytes)),
  ];
}

function samples(bitDepth: number): number[] {
  const random = new Random(bitDepth);
  return Array.from({ length: 11 * 6 * 4 }, () => random.below(2 ** bitDepth));
}
