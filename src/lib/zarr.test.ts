import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import * as zarr from 'zarrita';
import { striaCodec } from './zarr.ts';

const samples = 'testdata/zarr';

beforeAll(() => {
  zarr.registry.set('stria', async () => striaCodec as never);
});

type Values = Uint8Array | Int16Array | Float32Array | Float64Array | BigInt64Array;

/** Writes an array with the codec, and returns what is in the store. */
async function written(
  name: string,
  dtype: string,
  shape: number[],
  chunkShape: number[],
  data: Values,
  configuration: object = {},
  more: object[] = [],
): Promise<{ store: Map<string, Uint8Array>; array: zarr.Array<zarr.DataType> }> {
  const store = new Map<string, Uint8Array>();
  const codecs = [{ name: 'stria', configuration }, ...more];
  const array = await zarr.create(zarr.root(store as never).resolve(name), {
    shape,
    chunkShape,
    dtype,
    codecs,
    fillValue: 0,
  } as never);
  const stride = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, length) => product * length, 1));
  await zarr.set(array as never, null, { data, shape, stride } as never);
  return { store, array: array as never };
}

const fill = <T extends Values>(array: T, value: (i: number) => number): T => {
  for (let i = 0; i < array.length; i++) array[i] = value(i) as never;
  return array;
};

/** As docs/ZARR.md describes them. */
async function sampleArrays(): Promise<Map<string, Uint8Array>> {
  const edges = fill(new Uint8Array(5 * 6 * 7), (i) => Math.floor(i / 42) * 40 + (Math.floor(i / 7) % 6) * 7 + (i % 7));
  const doubles = fill(new Float64Array(15), (i) => (10 * Math.floor(i / 5) + (i % 5)) / 4);
  const kinds = fill(new Int16Array(48), (i) => [-7, 3 * (i % 16), ((i % 16) * (i % 16)) % 11][Math.floor(i / 16)] as number);
  const all = new Map<string, Uint8Array>();
  for (const { store } of [
    await written('edges', 'uint8', [5, 6, 7], [4, 4, 4], edges),
    await written('doubles', 'float64', [3, 5], [2, 4], doubles),
    await written('kinds', 'int16', [3, 16], [1, 16], kinds, { codec: 'rle' }),
  ]) {
    for (const [path, bytes] of store) all.set(path.slice(1), bytes);
  }
  const text = JSON.stringify({ zarr_format: 3, node_type: 'group', attributes: {} });
  return all.set('zarr.json', new TextEncoder().encode(text));
}

test('the codec writes the sample data', async () => {
  const arrays = await sampleArrays();
  if (process.env.STRIA_WRITE_TESTDATA) {
    for (const [path, bytes] of arrays) {
      mkdirSync(dirname(join(samples, path)), { recursive: true });
      writeFileSync(join(samples, path), bytes);
    }
  }
  const kept = readdirSync(samples, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(samples, path)).isFile(),
  );
  expect(kept.sort()).toEqual([...arrays.keys()].sort());
  for (const [path, bytes] of arrays) expect(Buffer.compare(readFileSync(join(samples, path)), bytes), path).toBe(0);
  // Constant, ramp, coded.
  expect([0, 1, 2].map((row) => (arrays.get(`kinds/c/${row}/0`) as Uint8Array)[5])).toEqual([0, 2, 1]);
});

describe('arrays through zarrita', () => {
  for (const [dtype, kind] of [
    ['uint8', Uint8Array],
    ['int16', Int16Array],
    ['float32', Float32Array],
    ['float64', Float64Array],
  ] as const) {
    test(dtype, async () => {
      const data = fill(new kind(30 * 40 * 50), (i) => ((i % 50) * 3 + Math.floor(i / 50) + (i % 7)) % 120);
      for (const codec of ['auto', 'rice', 'predict+huffman', 'labels', 'wave', 'parle+huffman']) {
        const { store, array } = await written('a', dtype, [30, 40, 50], [15, 40, 50], data, { codec });
        expect((await zarr.get(array, null)).data, codec).toEqual(data);
        const bytes = [...store.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
        if (codec === 'auto') expect(bytes).toBeLessThan(data.byteLength);
      }
    });
  }

  test('integers of 64 bits, one axis, and four axes', async () => {
    const longs = BigInt64Array.from({ length: 100 }, (_, i) => BigInt(i) * 123456789012n - 5n);
    expect((await zarr.get((await written('a', 'int64', [100], [50], longs)).array, null)).data).toEqual(longs);
    const data = fill(new Int16Array(2 * 3 * 9 * 20), (i) => i % 37);
    const { array } = await written('a', 'int16', [2, 3, 9, 20], [1, 2, 9, 20], data);
    expect((await zarr.get(array, [1, 2, null, null])).data).toEqual(data.slice(5 * 180));
  });

  test('damage is an error', async () => {
    const data = fill(new Uint8Array(4096), (i) => (i * i) % 251);
    const { store, array } = await written('a', 'uint8', [16, 16, 16], [16, 16, 16], data, { codec: 'rice' });
    const chunk = store.get('/a/c/0/0/0') as Uint8Array;
    for (let at = 0; at < chunk.length; at += 1 + (at >> 5)) {
      store.set('/a/c/0/0/0', chunk.with(at, (chunk[at] as number) ^ 4));
      await expect(zarr.get(array, null), `byte ${at}`).rejects.toThrow();
    }
    store.set('/a/c/0/0/0', chunk.subarray(0, 40));
    await expect(zarr.get(array, null)).rejects.toThrow();
  });

  test('unsupported input is refused by name', async () => {
    await expect(written('a', 'uint8', [2 ** 25], [2 ** 25], new Uint8Array(2 ** 25))).rejects.toThrow(
      'stria takes chunks of 1 to 16777216 bytes',
    );
    expect(() => striaCodec.fromConfig({}, { dataType: 'bool', shape: [4] })).toThrow('does not support bool');
    expect(() => striaCodec.fromConfig({ codec: 'zip' }, { dataType: 'uint8', shape: [4] })).toThrow('zip');
  });

  test('the schema allows what the codec accepts', () => {
    const { oneOf } = JSON.parse(readFileSync('docs/zarr-codec.schema.json', 'utf8'));
    const pattern = new RegExp(oneOf[0].properties.configuration.properties.codec.pattern);
    for (const codec of ['auto', 'rle', 'predict+huffman']) expect(pattern.test(codec)).toBe(true);
    for (const codec of ['zip', 'rle+rice', 'huffman+huffman+huffman']) expect(pattern.test(codec)).toBe(false);
  });
});
