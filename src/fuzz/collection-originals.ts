import { deflateRawSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { joinBytes } from '../core/io/common/byte-stream.ts';
import { noise } from '../core/io/common/source-testing.ts';
import { ctSlice, dicomFile, fragmentBytes, type TestElements, uids } from '../core/io/dicom/dicom-testing.ts';
import { encodeLosslessJpeg, encodeRle } from '../core/io/dicom/pixels/encoders-testing.ts';
import { filteredFiles } from '../core/io/hdf5/filtered-files-testing.ts';
import { hdf5File } from '../core/io/hdf5/h5-testing.ts';
import { type TestFiles, zarrArray, zarrGroup } from '../core/io/zarr/zarr-testing.ts';
import type { InputOriginal } from './originals.ts';

/** DICOM, Zarr and HDF5: files and folders that may hold several volumes. */
export async function collectionOriginals(): Promise<InputOriginal[]> {
  return [...dicomOriginals(), ...(await zarrOriginals()), ...(await hdf5Originals())];
}

function file(name: string, bytes: Uint8Array): InputOriginal {
  return { name, files: [{ name, bytes }], isText: [false] };
}

function folder(name: string, files: TestFiles): InputOriginal {
  const paths = Object.keys(files);
  return {
    name,
    files: paths.map((path) => ({ name: path, bytes: files[path] as Uint8Array })),
    isText: paths.map((path) => /json$|\.z(array|attrs|group)$/.test(path)),
    isFolder: true,
  };
}

function dicomOriginals(): InputOriginal[] {
  const [columns, rows] = [7, 6];
  const pixels = noise(columns * rows * 2, 3);
  const slice = (z: number, more: TestElements = {}) =>
    ctSlice({ columns, rows, z, instance: z + 1, pixels: noise(columns * rows * 2, z + 1), more });
  /** Pixels are in fragments after all other elements. */
  const packed = (syntax: string, frame: Uint8Array) => {
    const { 2145386512: _native, ...others } = slice(0, { 2621699: ['US', 0] });
    return dicomFile(others, { syntax, after: fragmentBytes([frame]) });
  };
  const comesBack = true;
  const sequence: TestElements = { 528704: ['SQ', [{ 528720: ['UI', '1.2.840'], 528725: ['UI', '1.2.3.9'] }, {}]] };
  const samples = new Uint16Array(pixels.slice().buffer).map((value) => value & 0xfff);
  const pet: TestElements = { 524384: ['CS', 'PT'], 2625618: ['DS', '3'], 2625619: ['DS', '0.5'] };
  return [
    { ...file('explicit.dcm', dicomFile(slice(0, sequence), { isDelimited: true })), comesBack },
    { ...file('implicit', dicomFile(slice(0, sequence), { syntax: uids.implicit })), comesBack },
    { ...file('big.dcm', dicomFile(slice(0), { syntax: uids.big })), comesBack },
    file('deflated.dcm', dicomFile(slice(0), { syntax: uids.deflated, pack: (bytes) => new Uint8Array(deflateRawSync(bytes)) })),
    file('rle.dcm', packed(uids.rle, encodeRle(pixels, 2))),
    file('lossless.dcm', packed('1.2.840.10008.1.2.4.70', encodeLosslessJpeg(samples, columns, rows, 12))),
    file('frames.dcm', dicomFile(slice(0, { 2621448: ['IS', '3'], 2145386512: ['OW', noise(columns * rows * 6, 9)] }))),
    folder('study', Object.fromEntries([0, 1, 2].map((z) => [`IM${z}`, dicomFile(slice(z))]))),
    folder(
      'pet',
      Object.fromEntries([0, 1].map((z) => [`P${z}.dcm`, dicomFile(slice(z, { ...pet, 2625619: ['DS', `0.${z + 1}`] }))])),
    ),
  ];
}

async function zarrOriginals(): Promise<InputOriginal[]> {
  const shape = [5, 7, 6];
  const array = { shape, chunks: [2, 3, 4], dtype: '<u2', values: noise(5 * 7 * 6 * 2, 4) } as const;
  const axes = ['z', 'y', 'x'].map((name) => ({ name, type: 'space', unit: 'micrometer' }));
  const scale = (factor: number) => [{ type: 'scale', scale: [2, 0.5 * factor, 0.5 * factor] }];
  const multiscales = [
    {
      axes,
      datasets: [
        { path: '0', coordinateTransformations: scale(1) },
        { path: '1', coordinateTransformations: scale(2) },
      ],
    },
  ];
  const omero = { channels: [{ label: 'a', color: 'FF0000', window: { min: 0, max: 9, start: 1, end: 5 } }] };
  const image = async (version: 2 | 3): Promise<TestFiles> => ({
    ...zarrGroup(
      '',
      version,
      version === 3 ? { ome: { version: '0.5', multiscales, omero }, stria: { slope: 2, intercept: 1 } } : { multiscales, omero },
    ),
    ...(await zarrArray('0/', { ...array, version, compressor: 'zstd', perShard: version === 3 ? [1, 3, 2] : undefined })),
    ...(await zarrArray('1/', { ...array, version, compressor: 'blosc', shape: [5, 3, 3], values: noise(90, 5) })),
  });
  const plain = await zarrArray('', { ...array, version: 2, compressor: 'zlib', order: 'F' });
  return [
    folder('image3.ome.zarr', await image(3)),
    folder('image2.ome.zarr', await image(2)),
    folder('lz4.zarr', await zarrArray('', { ...array, version: 3, compressor: 'lz4', perShard: [2, 1, 1], indexFirst: true })),
    file('stored.zip', zipSync(plain, { level: 0 })),
    file('deflated.zip', zipSync(plain, { level: 6 })),
  ];
}

async function hdf5Originals(): Promise<InputOriginal[]> {
  const shape = [5, 7, 6];
  const shorts = new Uint16Array(noise(5 * 7 * 6 * 2, 6).buffer);
  const modern = await hdf5File((root) => {
    const group = root.create_group('entry');
    const data = group.create_dataset({ name: 'data', data: shorts, shape, chunks: [2, 3, 4], compression: 4 });
    data.create_attribute('element_size_um', [3, 0.5, 0.25], [3], '<d');
    group.create_dataset({ name: 'flat', data: new Float32Array(6), shape: [2, 3] });
  });
  // Old objects have no checksums, so that damage reaches the parsers behind them.
  const old = await hdf5File((root) => root.create_dataset({ name: 'data', data: shorts, shape, chunks: [5, 7, 2] }), {
    libver: ['earliest', 'v114'],
  });
  const contiguous = await hdf5File((root) => root.create_dataset({ name: 'data', data: shorts, shape }), {
    libver: ['earliest', 'v114'],
  });
  const userBlock = joinBytes([new Uint8Array(512), old]);
  return [
    file('modern.h5', modern),
    file('old.h5', old),
    file('contiguous.h5', contiguous),
    file('block.mat', userBlock),
    ...Object.entries(filteredFiles).map(([name, bytes]) => file(name, bytes)),
  ];
}
