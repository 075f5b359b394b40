import { expect, test } from 'vitest';
import filters from '../../../../testdata/hdf5/filters.h5?bytes';
import virtual from '../../../../testdata/hdf5/virtual.h5?bytes';
import { memorySource } from '../../shared/bytes.ts';
import { faultOf, noise, readVoxels } from '../common/source-testing.ts';
import { listVolumes, openVolume } from '../open-volume.ts';
import { FilteredChunks } from './h5-chunks.ts';
import { filterName, filterProblem } from './h5-filters.ts';

/** Each dataset of filters.h5, and the place and length of its chunks. */
const written: readonly (readonly [name: string, start: number, length: number])[] = [
  ['bitshuffle-lz4', 15_764, 1050],
  ['bitshuffle-zstd', 16_814, 870],
  ['blosc-blosclz', 6080, 999],
  ['blosc-lz4', 4386, 985],
  ['blosc-zlib', 9127, 769],
  ['blosc-zstd', 5371, 709],
  ['lz4', 11_162, 1384],
  ['lzf', 2048, 1373],
  ['lzf-shuffle', 3421, 965],
  ['zstandard', 14_728, 1036],
];

/** The values that testdata/hdf5/make-filters.py writes. */
const expected: number[] = [];
for (let z = 0; z < 4; z++) for (let y = 0; y < 12; y++) for (let x = 0; x < 20; x++) expected.push(x * 3 + y * y + z * 100);

const open = (bytes: Uint8Array, dataset?: string) => openVolume(memorySource('a.h5', bytes), { dataset });

async function valuesOf(bytes: Uint8Array, dataset?: string): Promise<number[]> {
  const volume = await open(bytes, dataset);
  const { buffer } = (await readVoxels(volume)).slice();
  return [...(volume.info.type === 'f32' ? new Float32Array(buffer) : new Uint16Array(buffer))];
}

test('datasets are listed with the names of their filters', async () => {
  const entries = (await listVolumes(memorySource('filters.h5', filters))) ?? [];
  const problems = new Map(entries.map(({ id, problem }) => [id, problem]));
  for (const [name] of written) expect(problems.get(`/${name}`), name).toBeUndefined();
  expect(problems.get('/bzip2')).toBe('its filter bzip2 is not supported');
  expect(problems.get('/zfp')).toBe('its filter ZFP is not supported');
  const detailsOf = (id: string) => entries.find((entry) => entry.id === id)?.details;
  expect(detailsOf('/lzf-shuffle')).toBe('shuffle, LZF · chunks 4×12×16');
  expect(detailsOf('/bitshuffle-lz4')).toBe('Bitshuffle · chunks 4×12×16');
  expect(filterName(40_000, 'mine')).toBe('mine');
});

test.each(written)('reads %s of another program', async (name) => {
  const volume = await open(filters, `/${name}`);
  expect(volume.info.dims).toEqual([20, 12, 4, 1]);
  expect(await valuesOf(filters, `/${name}`)).toEqual(expected);
  // As in h5py, the first slash may be left out.
  expect((await open(filters, name)).info.dims).toEqual([20, 12, 4, 1]);
});

test('two filters that compress are refused if Stria decodes one', () => {
  const filter = (id: number) => ({ id, name: filterName(id, 'deflate'), parameters: [] });
  expect(filterProblem([filter(1), filter(32_000)])).toBe('its filters deflate and LZF are not supported together');
  expect(filterProblem([filter(2), filter(32_000), filter(3)])).toBeUndefined();
  expect(filterProblem([filter(1), filter(4)])).toBeUndefined();
});

test.each(written)('damaged chunks of %s give faults or values, and the library reads on', async (name, start, length) => {
  const bits = noise(60 * 4, start);
  let faults = 0;
  for (let number = 0; number < 60; number++) {
    const [one = 0, two = 0, three = 0, four = 0] = bits.subarray(number * 4);
    const bytes = filters.slice();
    bytes[start + (((one << 8) | two) % length)] = three;
    bytes[start + (((two << 8) | four) % length)] = one;
    const fault = await faultOf(valuesOf(bytes, `/${name}`));
    if (fault !== undefined) faults++;
    if (fault !== undefined && fault.tag !== 'corrupt') expect.fail(`${number}: ${fault.tag} ${fault.message}`);
  }
  expect(faults).toBeGreaterThan(0);
  expect(await valuesOf(filters, `/${name}`)).toEqual(expected);
});

test('a read of many tiny chunks takes time in proportion to their number', async () => {
  const count = 30_000;
  const chunks = new FilteredChunks([{ id: 32_008, name: 'Bitshuffle', parameters: [0, 4, 2, 0, 0] }], 64);
  const all = Array.from({ length: count }, (_, number) => {
    const bytes = new Uint8Array(64);
    new DataView(bytes.buffer).setUint32(60, number);
    return bytes;
  });
  // Processor time, since other work on the machine makes a test take longer.
  const begin = process.cpuUsage();
  for (const bytes of all) chunks.contentOf(32_008, bytes);
  expect(chunks.isComplete).toBe(false);
  await chunks.decode({});
  const contents = new Set(all.map((bytes) => chunks.contentOf(32_008, bytes).join()));
  expect(contents.size).toBe(count);
  expect(chunks.isComplete).toBe(true);
  expect(process.cpuUsage(begin).user / 1000).toBeLessThan(5000);
});

test('a virtual dataset of datasets with a filter that Stria decodes is refused, and not called damaged', async () => {
  const fault = await faultOf(open(virtual, 'of-lzf'));
  expect(fault).toMatchObject({ tag: 'unsupported' });
  expect(fault?.message).toContain('its values are in lzf, and the filter LZF is not supported in virtual datasets');
  expect(await valuesOf(virtual, 'of-gzip')).toEqual(Array.from({ length: 24 }, (_, index) => index));
});
