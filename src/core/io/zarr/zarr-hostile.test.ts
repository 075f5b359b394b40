import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { type FileTree, memoryTree } from '../common/file-tree.ts';
import { faultOf, noise } from '../common/source-testing.ts';
import { openVolume } from '../open-volume.ts';
import { compressed, type TestArray, type TestFiles, zarrArray, zarrGroup } from './zarr-testing.ts';

const text = (value: string) => new TextEncoder().encode(value);
const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

/** Opens the first volume and reads up to 4 MiB of it. */
async function read(files: TestFiles, signal?: AbortSignal, most = 4 * 2 ** 20): Promise<void> {
  const volume = await openVolume(memoryTree('a.zarr', files), { signal });
  let given = 0;
  for await (const piece of volume.voxels({ signal })) {
    given += piece.byteLength;
    if (given > most) break;
  }
}

const small: TestArray = { version: 3, shape: [4, 6, 5], chunks: [2, 3, 5], dtype: '<u2', values: noise(240) };

async function changed(change: (document: Record<string, unknown>) => object, array: TestArray = small): Promise<TestFiles> {
  const files = await zarrArray('', array);
  const key = array.version === 3 ? 'zarr.json' : '.zarray';
  const document = JSON.parse(textOf(files[key])) as Record<string, unknown>;
  return { ...files, [key]: text(JSON.stringify({ ...document, ...change(document) })) };
}

// An unhandled rejection, which would end the command, fails the run of the tests.
test('unknown codecs where no list of codecs is expected are refused', async () => {
  const filtered = await changed(() => ({ filters: 'NaN' }), { ...small, version: 2 });
  expect(await faultOf(read(filtered))).toMatchObject({ tag: 'unsupported', message: expect.stringContaining('not a list') });
  const sharded = await changed(
    ({ codecs }) => {
      const [sharding] = codecs as [{ name: string; configuration: object }];
      const configuration = { ...sharding.configuration, index_codecs: [{ name: 'bytes' }, { name: 'a' }, { name: 'b' }] };
      return { codecs: [{ ...sharding, configuration }] };
    },
    { ...small, perShard: [1, 2, 1] },
  );
  expect(await faultOf(read(sharded))).toMatchObject({ tag: 'unsupported', message: expect.stringContaining("codec 'a'") });
});

test.each<[string, (document: Record<string, unknown>) => object, RegExp, RegExp]>([
  ['a negative length', () => ({ shape: [4, -6, 5] }), /corrupt|unsupported/, /shape is not a list of lengths/],
  ['a length that is not a number', () => ({ shape: [4, '6', 5] }), /corrupt|unsupported/, /shape is not a list of lengths/],
  ['an empty axis', () => ({ shape: [4, 0, 5] }), /unsupported/, /it is empty/],
  [
    'no axes',
    () => ({ shape: [], chunk_grid: { name: 'regular', configuration: { chunk_shape: [] } } }),
    /unsupported/,
    /single value/,
  ],
  ['more axes than chunks', () => ({ shape: [4, 6, 5, 1] }), /unsupported/, /4 axes, its chunks 3/],
  ['more bytes than a number can count', () => ({ shape: [2 ** 40, 2 ** 40, 5] }), /unsupported/, /exceed the size of any array/],
  [
    'chunks that exceed memory',
    () => ({ chunk_grid: { name: 'regular', configuration: { chunk_shape: [1e6, 1e6, 1e3] } } }),
    /unsupported/,
    /MiB each/,
  ],
  ['too many chunks', () => ({ shape: [1e5, 1e5, 100] }), /unsupported/, /chunks; the limit is/],
  [
    'chunks of length 0',
    () => ({ chunk_grid: { name: 'regular', configuration: { chunk_shape: [0, 3, 5] } } }),
    /unsupported/,
    /chunk_shape/,
  ],
  ['codecs that are not a list', () => ({ codecs: 'zstd', data_type: 'r16' }), /unsupported/, /r16/],
  ['another version', () => ({ zarr_format: 4 }), /corrupt/, /neither an array nor a group/],
  ['an unknown order of chunks', () => ({ chunk_key_encoding: { name: 'spiral' } }), /corrupt/, /spiral/],
])('refuses %s', async (_, change, tag, message) => {
  const fault = await faultOf(read(await changed(change)));
  expect(fault?.tag).toMatch(tag);
  expect(fault?.message).toMatch(message);
});

test('refuses shards that cannot be cut, and shards of too many chunks', async () => {
  const sharded = { ...small, perShard: [1, 2, 1] };
  const withShard = (chunk_shape: number[]) =>
    changed(() => ({ chunk_grid: { name: 'regular', configuration: { chunk_shape } } }), sharded);
  expect((await faultOf(read(await withShard([2, 7, 5]))))?.message).toContain('cannot be cut');
  expect((await faultOf(read(await withShard([2 ** 20, 3 * 2 ** 20, 5 * 2 ** 10]))))?.message).toMatch(/a shard has/);
});

test('refuses chunks that would exceed their stated size, before allocating memory', async () => {
  const bomb = new Uint8Array(32 * 2 ** 20);
  for (const compressor of ['gzip', 'zlib', 'zstd', 'blosc', 'lz4'] as const) {
    const files = await zarrArray('', { ...small, compressor });
    files['c/0/0/0'] = await compressed(bomb, compressor);
    expect(files['c/0/0/0'].length).toBeLessThan(2 ** 20);
    const before = process.memoryUsage().arrayBuffers;
    const fault = await faultOf(read(files));
    expect(fault).toMatchObject({ tag: 'corrupt' });
    expect(fault?.message).toMatch(/chunk 0\.0\.0: .*(metadata allows|exceeds the stated)/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(24 * 2 ** 20);
  }
});

test('refuses damaged Blosc chunks, which numcodecs decodes to other values', async () => {
  const values = Uint8Array.from({ length: 60 * 60 * 60 }, (_, index) => (index % 7) * (index >> 8));
  const files = await zarrArray('', {
    shape: [60, 60, 60],
    chunks: [60, 60, 60],
    dtype: '|u1',
    version: 3,
    values,
    compressor: 'blosc',
  });
  const chunk = files['c/0/0/0'] as Uint8Array;
  const before = await decodedByNumcodecs(chunk);
  let refused = 0;
  for (let at = 24; at < 100; at++) {
    const bytes = chunk.slice();
    bytes[at] = (bytes[at] as number) ^ 0xff;
    const fault = await faultOf(read({ ...files, 'c/0/0/0': bytes }));
    if (fault === undefined) continue;
    expect(fault.tag).toBe('corrupt');
    expect((await decodedByNumcodecs(bytes)).byteLength).toBe(before.byteLength);
    refused++;
  }
  expect(refused).toBeGreaterThan(10);
});

test('refuses chunks with too few values, and shards with a wrong index', async () => {
  const files = await zarrArray('', small);
  files['c/1/1/0'] = noise(59);
  expect((await faultOf(read(files)))?.message).toContain('chunk 1.1.0: it has 29 values instead of 30');
  const sharded = await zarrArray('', { ...small, perShard: [1, 2, 1] });
  const shard = sharded['c/0/0/0'] as Uint8Array;
  const broken = async (at: number, value: number) => {
    const bytes = shard.slice();
    bytes[bytes.length + at] = value;
    return faultOf(read({ ...sharded, 'c/0/0/0': bytes }));
  };
  // The last four bytes are the checksum of the index.
  expect(await broken(-1, (shard.at(-1) ?? 0) ^ 1)).toMatchObject({ tag: 'corrupt' });
  expect(await broken(-30, 200)).toMatchObject({ tag: 'corrupt' });
  expect(await faultOf(read({ ...sharded, 'c/0/0/0': shard.subarray(0, 7) }))).toMatchObject({ tag: 'corrupt' });
});

test('stops at groups that are too deep, name each other, or lead out of their folder', async () => {
  const deep: TestFiles = {};
  for (let depth = 0; depth < 200; depth++) Object.assign(deep, zarrGroup('a/'.repeat(depth), 3, {}));
  expect(await faultOf(read(deep))).toMatchObject({ tag: 'unsupported' });
  const plate = {
    plate: { wells: [{ path: '.' }, { path: '..' }, { path: 'A/../..' }, { path: 'A' }, { path: 'A' }, { path: 7 }] },
  };
  const circle = { ...zarrGroup('', 2, plate), ...zarrGroup('A/', 2, { well: { images: [{ path: '../' }, { path: '' }] } }) };
  expect(await faultOf(read(circle))).toMatchObject({ tag: 'unsupported' });
  const datasets = [{ path: '../secret' }, { path: '0', coordinateTransformations: 'none' }];
  const image = {
    ...zarrGroup('', 3, { ome: { multiscales: [{ datasets, axes: 5 }, 'x', { datasets: 9 }], omero: [] } }),
    ...(await zarrArray('0/', small)),
  };
  expect(await faultOf(read(image))).toBeUndefined();
});

test('refuses a ZIP with wrong entries or a wrong directory', async () => {
  const files = await zarrArray('', small);
  const zip = zipSync(files, { level: 6 });
  const open = async (bytes: Uint8Array) => {
    const volume = await openVolume(memorySource('a.zip', bytes));
    for await (const _ of volume.voxels());
  };
  expect(await faultOf(open(zip))).toBeUndefined();
  for (let length = 4; length < zip.length; length += 13) {
    expect((await faultOf(open(zip.subarray(0, length))))?.tag).toMatch(/corrupt|unsupported/);
  }
  // A ZIP bomb: the directory states 100 bytes, but the entry has 16 MiB.
  const bomb = zipSync({ 'zarr.json': new Uint8Array(16 * 2 ** 20).fill(32) }, { level: 9 });
  const view = new DataView(bomb.buffer);
  for (let at = 0; at + 4 < bomb.length; at++) if (view.getUint32(at, true) === 16 * 2 ** 20) view.setUint32(at, 100, true);
  expect(await faultOf(open(bomb))).toMatchObject({ tag: 'corrupt' });
});

test('stops when it is cancelled, even if all chunks are missing', async () => {
  const chunks = [2000, 1000, 8];
  const files = await changed(() => ({ shape: chunks.map((count, axis) => count * (small.chunks[axis] as number)) }));
  const controller = new AbortController();
  let lookups = 0;
  const tree: FileTree = {
    ...memoryTree('a.zarr', files),
    find: async (path) => {
      const bytes = files[path];
      // A timer is heard only by a reader that lets the event loop run between chunks.
      if (!bytes && lookups++ === 0) setTimeout(() => controller.abort(), 0);
      return bytes && memorySource(path, bytes);
    },
  };
  const { signal } = controller;
  const volume = await openVolume(tree, { signal });
  const reading = async () => {
    for await (const _ of volume.voxels({ signal }));
  };
  expect(await faultOf(reading())).toMatchObject({ tag: 'aborted' });
  expect(lookups).toBeLessThan(1_000_000);
});

test('2,000 damaged arrays give typed faults or values', async () => {
  const originals = [
    await zarrArray('', { ...small, compressor: 'zstd' }),
    await zarrArray('', { ...small, version: 2, compressor: 'blosc', order: 'F' }),
    await zarrArray('', { ...small, compressor: 'blosc', perShard: [2, 1, 1] }),
    await zarrArray('', { ...small, version: 2, compressor: 'lz4' }),
    { zip: zipSync(await zarrArray('', { ...small, compressor: 'gzip' }), { level: 3 }) },
  ];
  const allowed = new Set(['corrupt', 'unsupported', 'aborted', 'not-readable', undefined]);
  const random = noise(2000 * 8, 99);
  for (let number = 0; number < 2000; number++) {
    const bits = random.subarray(number * 8, number * 8 + 8);
    const files = { ...(originals[number % originals.length] as TestFiles) };
    const names = Object.keys(files);
    const name = names[(bits[0] as number) % names.length] as string;
    const bytes = (files[name] as Uint8Array).slice();
    const at = (((bits[1] as number) << 8) | (bits[2] as number)) % bytes.length;
    if ((bits[3] as number) < 40) files[name] = bytes.subarray(0, at);
    else {
      for (let more = 0; more <= (bits[4] as number) % 3; more++)
        bytes[(at + more * 7) % bytes.length] = bits[5 + more] as number;
      // Digits often change lengths; other bytes seldom do.
      if (/json|zarray/.test(name) && (bits[3] as number) < 160) bytes[at] = 48 + ((bits[5] as number) % 10);
      files[name] = bytes;
    }
    const deadline = performance.now() + 200;
    const signal = {
      get aborted() {
        return performance.now() > deadline;
      },
    } as AbortSignal;
    const zip = files.zip;
    const fault = await faultOf(zip ? readZip(zip, signal) : read(files, signal));
    if (!allowed.has(fault?.tag)) expect.fail(`mutant ${number}: ${fault?.tag} ${fault?.message}\n${fault?.stack}`);
  }
}, 60_000);

async function readZip(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const volume = await openVolume(memorySource('a.zip', bytes), { signal });
  for await (const _ of volume.voxels({ signal }));
}

test('a chunk of gzip with several members is read, because Zarr v2 writers may produce it', async () => {
  const files = await zarrArray('', { ...small, version: 2, compressor: 'gzip' });
  const values = noise(60);
  files['0.0.0'] = new Uint8Array(Buffer.concat([gzipSync(values.subarray(0, 20)), gzipSync(values.subarray(20))]));
  expect(await faultOf(read(files))).toBeUndefined();
});

async function decodedByNumcodecs(chunk: Uint8Array): Promise<Uint8Array> {
  const { default: Blosc } = await import('numcodecs/blosc');
  return Blosc.fromConfig({ id: 'blosc' }).decode(chunk);
}
