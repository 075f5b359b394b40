import { gzipSync, zipSync } from 'fflate';
import { joinBytes } from '../io/common/byte-stream.ts';
import { memoryTree } from '../io/common/file-tree.ts';
import { niftiFile, niftiHeaderBytes, nrrdLines, nrrdText, rebuild } from '../io/common/source-testing.ts';
import { ctSlice, dicomFile, fragmentBytes, uids } from '../io/dicom/dicom-testing.ts';
import { encodeRle } from '../io/dicom/pixels/encoders-testing.ts';
import { describeExport } from '../io/export-volume.ts';
import { hdf5File } from '../io/hdf5/h5-testing.ts';
import { omeTiff, type TestImage, voxelsOfImage } from '../io/ome-tiff/ome-tiff-testing.ts';
import { openVolume } from '../io/open-volume.ts';
import { pngFile } from '../io/pictures/png-testing.ts';
import { tiffFile } from '../io/tiff/tiff-testing.ts';
import { zarrArray, zarrGroup } from '../io/zarr/zarr-testing.ts';
import { memorySource } from '../shared/bytes.ts';
import type { FileFormat, WrittenVoxelFormat } from '../shared/source.ts';
import type { ElementType } from '../shared/volume.ts';
import { infoOf, voxelsOf } from './engine-testing.ts';

// One volume in every readable format.

export type Files = Readonly<Record<string, Uint8Array>>;

interface Row {
  /** The first file is opened, or for DICOM all of them together. */
  readonly files: Files;
  /** The restored files. Default: the same files. */
  readonly restored?: Files;
  /** The voxels, for formats whose values are restored but not their files. */
  readonly values?: Uint8Array;
}

const [columns, rows, slices] = [20, 17, 12];
const dims = [columns, rows, slices, 1] as const;
const info = (type: ElementType) => infoOf(dims, type);
const bytes = voxelsOf(info('u8'), 'blobs');
const shorts = voxelsOf(info('u16'), 'blobs');
const text = (value: string) => new TextEncoder().encode(value);
const sliceOf = (voxels: Uint8Array, z: number) => voxels.slice((z * voxels.length) / slices, ((z + 1) * voxels.length) / slices);
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** A file as Stria writes the format. */
function written(format: WrittenVoxelFormat, type: ElementType = 'u16', timePoints = 1): Row {
  const volume = infoOf([columns, rows, slices / timePoints, timePoints], type);
  const files = rebuild(describeExport(volume, format, 'scan'), voxelsOf(volume, 'blobs'), type);
  return { files: Object.fromEntries(files.map((file) => [file.name, file.bytes])) };
}

function ct(z: number, syntax: string = uids.explicit): Uint8Array {
  const slice = ctSlice({ columns, rows, z, instance: z + 1, pixels: sliceOf(shorts, z) });
  if (syntax !== uids.rle) return dicomFile(slice, { syntax });
  const { 0x7fe00010: _, ...header } = slice;
  return dicomFile(header, { syntax, after: fragmentBytes([encodeRle(sliceOf(shorts, z), 2)]) });
}

const nifti = niftiFile({ dim: [3, columns, rows, slices], datatype: 512 }, shorts, new Uint8Array(16), Uint8Array.of(1, 2, 3));
const analyze = niftiHeaderBytes({ dim: [3, columns, rows, slices], datatype: 4, isPair: true }).fill(0, 344);
const nhdr = nrrdText([...nrrdLines([columns, rows, slices], 'u8'), 'data file: scan.data']);
const npyHead = (descr: string) =>
  joinBytes([
    Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0),
    text(`{'descr': '${descr}', 'fortran_order': True, 'shape': (${columns}, ${rows}, ${slices}), }`.padEnd(117, ' ')),
    text('\n'),
  ]);
/** Big-endian. */
const longs = Uint8Array.from({ length: 8 * bytes.length }, (_, at) => (at % 8 === 7 ? (bytes[at >> 3] as number) : 0));
/** FreeSurfer appends the commands that made the file. */
export const mghWithTrailer = joinBytes([
  ...Object.values(written('mgh').files),
  ...range(40).map((run) => text(`mri_convert --run ${run}`.padEnd(100, '\0'))),
]);
const zarr = {
  ...zarrGroup('', 3, {
    ome: {
      version: '0.5',
      multiscales: [{ axes: ['z', 'y', 'x'].map((name) => ({ name, type: 'space' })), datasets: [{ path: '0' }] }],
    },
  }),
  ...(await zarrArray('0/', {
    version: 3,
    shape: [slices, rows, columns],
    chunks: [5, 6, 7],
    dtype: '<u2',
    values: shorts,
    compressor: 'zstd',
    perShard: [2, 2, 2],
  })),
};
const hdf5 = await hdf5File((file) => {
  file.create_dataset({ name: 'data', data: new Uint16Array(shorts.buffer), shape: [slices, rows, columns], dtype: '<H' });
});
const gray8 = (z: number) =>
  pngFile({ width: columns, height: rows, bitDepth: 8, colourType: 0, isInterlaced: false }, sliceOf(bytes, z));
const tiff = tiffFile(
  { width: columns, height: rows, type: 'u16', compression: 'lzw', predictor: 2 },
  range(slices).map((z) => sliceOf(shorts, z)),
);

const cells: TestImage = { sizes: [columns, rows, 4, 2, 2], channels: '<Channel Name="DAPI" Color="65535"/><Channel/>' };

const table: Readonly<Record<FileFormat, Readonly<Record<string, Row>>>> = {
  nifti: {
    'with an extension and bytes behind the voxels': { files: { 'scan.nii': nifti } },
    gzipped: { files: { 'scan.nii.gz': gzipSync(nifti) }, restored: { 'scan.nii': nifti } },
    'a pair': {
      files: {
        'scan.hdr': niftiHeaderBytes({ dim: [3, columns, rows, slices], datatype: 512, isPair: true, endian: 'big' }),
        'scan.img': shorts,
      },
    },
  },
  analyze: { 'a pair': { files: { 'old.hdr': analyze, 'old.img': shorts } } },
  nrrd: { attached: written('nrrd', 'f32'), detached: { files: { 'scan.nhdr': nhdr, 'scan.data': bytes } } },
  mha: { '64-bit floats': written('mha', 'f64') },
  mgh: {
    'big-endian': written('mgh'),
    'a long trailer': { files: { 'scan.mgz': gzipSync(mghWithTrailer) }, restored: { 'scan.mgh': mghWithTrailer } },
  },
  mrc: { 'mode 6': written('mrc') },
  vti: { 'appended raw': written('vti', 'i32'), 'time points as components': written('vti', 'i8', 2) },
  npy: {
    'C order': written('npy'),
    '64-bit integers, big-endian': { files: { 'a.npy': joinBytes([npyHead('>i8'), longs]) } },
    'half floats, big-endian': { files: { 'a.npy': joinBytes([npyHead('>f2'), shorts]) } },
  },
  raw: {
    'with a sidecar': {
      files: { 'scan.raw': shorts, 'scan.raw.json': text(JSON.stringify({ dims, type: 'u16', endian: 'big' })) },
    },
  },
  dicom: {
    'a folder of a series': { files: Object.fromEntries(range(slices).map((z) => [`study/IM${z}`, ct(z)])) },
    'one RLE file': { files: { 'IM0.dcm': ct(0, uids.rle) }, values: sliceOf(shorts, 0) },
  },
  png: { 'one picture': { files: { 'a.png': gray8(8) }, values: sliceOf(bytes, 8) } },
  tiff: { 'pages of LZW': { files: { 'stack.tif': tiff }, values: shorts } },
  'ome-tiff': {
    'channels and time points in tiles': {
      files: { 'cells.ome.tif': omeTiff(cells, { compression: 'deflate', tile: [16, 16] }) },
      values: voxelsOfImage(cells),
    },
  },
  zarr: { 'a zipped image in shards': { files: { 'cells.ome.zarr.zip': zipSync(zarr) }, values: shorts } },
  hdf5: { 'a data set': { files: { 'a.h5': hdf5 }, values: shorts } },
};

/** Each format, a name of the case, and its files. */
export const formatCases = Object.entries(table).flatMap(([format, kinds]) =>
  Object.entries(kinds).map(([kind, row]) => [format, kind, row] as const),
);

/** Opens the files of a case. */
export function openFiles(files: Files) {
  const [first] = Object.entries(files);
  if (first === undefined) throw new Error('no files');
  const [name, content] = first;
  // A folder's files have paths.
  if (name.includes('/')) return openVolume(memoryTree('folder', files));
  return openVolume(memorySource(name, content), {
    siblings: async (other) => files[other] && memorySource(other, files[other]),
  });
}
