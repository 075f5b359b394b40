import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compress, open, StriaError, type VoxelData } from './index.ts';

// Tests the library as programs use it. The last tests check that `import 'stria'` gives out/lib.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-lib-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shape = [70, 66, 5] as const;

/** A smooth ball in noise. */
function ball<T extends VoxelData>(kind: new (length: number) => T, [x, y, z]: readonly number[] = shape): T {
  const voxels = new kind((x as number) * (y as number) * (z as number));
  let seed = 7;
  for (let i = 0; i < voxels.length; i++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const [dx, dy] = [(i % (x as number)) - 30, (Math.floor(i / (x as number)) % (y as number)) - 30];
    voxels[i] = dx * dx + dy * dy < 700 ? 100 + (seed >>> 29) : 0;
  }
  return voxels;
}

test.each([Uint8Array, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array, Float32Array, Float64Array])(
  '%o is compressed and read',
  async (kind) => {
    const voxels = ball(kind as new (length: number) => VoxelData);
    const volume = await open(await compress(voxels, { shape }));
    expect(volume.shape).toEqual([70, 66, 5, 1]);
    expect((await volume.read()).data).toEqual(voxels);
  },
);

test('every codec, and time points', async () => {
  const voxels = ball(Uint16Array, [70, 66, 6]);
  for (const codec of ['raw', 'rle', 'rice', 'huffman', 'labels', 'parle', 'wave', 'predict+huffman', 'rle+huffman']) {
    const volume = await open(await compress(voxels, { shape: [70, 66, 2, 3], codec }));
    expect((await volume.read()).data, codec).toEqual(voxels);
    expect((await volume.read({ t: 1 })).data, codec).toEqual(voxels.slice(2 * 70 * 66, 4 * 70 * 66));
  }
});

test('levels are volumes of their own', async () => {
  const volume = await open(new Uint8Array(readFileSync('testdata/levels.stria')));
  const [level, ...others] = await volume.levels();
  expect(others).toEqual([]);
  expect(level).toMatchObject({ shape: [3, 1, 1, 1], spacing: [2, 2, 2, 0] });
  expect([...((await level?.read({ x: [1, 3] }))?.data ?? [])]).toEqual([10, 12]);
  expect(await level?.levels()).toEqual([]);
});

test('interleaved time points, as the command writes them', async () => {
  const voxels = ball(Int16Array, [70, 66, 70 * 6]);
  writeFileSync(join(folder, 'series.raw'), new Uint8Array(voxels.buffer));
  const layout = ['--dims', '70,66,70,6', '--type', 'i16', '--codec', 'rice', '--time-group', '4'];
  execFileSync(process.execPath, ['out/main/cli.js', 'compress', join(folder, 'series.raw'), ...layout, '--device', 'cpu', '-q']);
  const volume = await open(join(folder, 'series.stria'));
  expect(volume.chunkShape[3]).toBe(4);
  expect(Buffer.compare(Buffer.from((await volume.read()).data.buffer), Buffer.from(voxels.buffer))).toBe(0);
  const plane = 70 * 66;
  expect((await volume.read({ z: 2, t: 5 })).data).toEqual(voxels.slice((5 * 70 + 2) * plane, (5 * 70 + 3) * plane));
  await volume.close();
});

test('boxes are cut out of chunks', async () => {
  const size = [130, 70, 68] as const;
  const voxels = ball(Float64Array, size);
  const volume = await open(await compress(voxels, { shape: size, codec: 'rle' }));
  for (const box of [{ x: [60, 70], y: [63, 66], z: [62, 67] }, { x: 129, y: 0, z: 67 }, { y: 69 }, {}] as const) {
    const [x, y, z] = (['x', 'y', 'z'] as const).map((name, axis) => {
      const asked: number | readonly [number, number] = (box as Record<string, never>)[name] ?? [0, size[axis] as number];
      return typeof asked === 'number' ? ([asked, asked + 1] as const) : asked;
    }) as [readonly [number, number], readonly [number, number], readonly [number, number]];
    const expected: number[] = [];
    for (let k = z[0]; k < z[1]; k++)
      for (let j = y[0]; j < y[1]; j++) for (let i = x[0]; i < x[1]; i++) expected.push(voxels[(k * 70 + j) * 130 + i] as number);
    const read = await volume.read(box);
    expect(read.shape).toEqual([x[1] - x[0], y[1] - y[0], z[1] - z[0], 1]);
    expect([...read.data]).toEqual(expected);
  }
  await expect(volume.read({ x: [0, 131] })).rejects.toThrow("x from 0 to 131 is not within the volume's 130");
  await expect(volume.read({ z: 68 })).rejects.toMatchObject({ tag: 'invalid-input' });
});

test('geometry is kept', async () => {
  const affine = [0.5, 0, 0, -1, 0, 0.5, 0, -2, 0, 0, 2, 7];
  const geometry = { spacing: [0.5, 0.5, 2, 1], spatialUnit: 'mm', timeUnit: 's', affine, slope: 2, intercept: -1024 } as const;
  expect(await open(await compress(ball(Int16Array), { shape, ...geometry }))).toMatchObject(geometry);
});

test('an opened volume can be compressed with its geometry', async () => {
  const volume = await open(new Uint8Array(readFileSync('testdata/small.stria')));
  const { spacing, spatialUnit, timeUnit, affine, slope, intercept } = volume;
  expect(spacing[3]).toBe(0);
  const geometry = { spacing, spatialUnit, timeUnit, affine, slope, intercept };
  const { data, shape: whole } = await volume.read();
  expect(await open(await compress(data, { shape: whole, ...geometry }))).toMatchObject(geometry);
  for (const wrong of [
    [1, 1, 0, 1],
    [1, 1, 1, -1],
    [1, 1, 1],
  ] as unknown as (typeof spacing)[])
    await expect(compress(data, { shape: whole, spacing: wrong })).rejects.toMatchObject({ tag: 'invalid-input' });
});

test('the bytes are those of the command', async () => {
  const voxels = ball(Int16Array);
  const header = "{'descr': '<i2', 'fortran_order': False, 'shape': (5, 66, 70), }".padEnd(117);
  writeFileSync(
    join(folder, 'a.npy'),
    Buffer.concat([Buffer.from('934e554d505901007600', 'hex'), Buffer.from(`${header}\n`), Buffer.from(voxels.buffer)]),
  );
  execFileSync(process.execPath, ['out/main/cli.js', 'compress', join(folder, 'a.npy'), '--device', 'cpu', '-q']);
  const own = await compress(voxels, { shape, name: 'a.npy' });
  expect(Buffer.compare(own, readFileSync(join(folder, 'a.stria')))).toBe(0);
});

test('files come from anywhere', async () => {
  const voxels = ball(Uint8Array);
  const bytes = await compress(voxels, { shape });
  const path = join(folder, 'b.stria');
  writeFileSync(path, bytes);
  const server = createServer((request, response) => {
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (request.url !== '/b.stria' || !range) return response.writeHead(404).end();
    const [first, last] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
    response.writeHead(206, { 'Content-Range': `bytes ${first}-${last}/${bytes.length}` }).end(bytes.subarray(first, last + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const like = {
      bytes,
      size: bytes.length,
      async read(offset: number, length: number) {
        return this.bytes.subarray(offset, offset + length);
      },
    };
    for (const input of [
      bytes,
      bytes.buffer,
      new Blob([bytes]),
      path,
      pathToFileURL(path),
      `${url}/b.stria`,
      new URL(`${url}/b.stria`),
      like,
    ]) {
      const volume = await open(input);
      expect((await volume.read()).data).toEqual(voxels);
      await volume.close();
    }
    await expect(open(`${url}/c.stria`)).rejects.toMatchObject({ tag: 'not-readable' });
  } finally {
    server.close();
  }
  await expect(open(join(folder, 'none.stria'))).rejects.toMatchObject({ tag: 'not-readable' });
});

test('faults are typed', async () => {
  const bytes = await compress(ball(Uint8Array), { shape });
  await expect(open(bytes.subarray(0, 900))).rejects.toBeInstanceOf(StriaError);
  const damaged = bytes.slice();
  damaged[600] = (damaged[600] as number) ^ 1;
  await expect(open(damaged).then((volume) => volume.read())).rejects.toMatchObject({ tag: 'corrupt', context: ['chunk 1'] });
  await expect(compress(ball(Uint8Array), { shape: [1, 2, 3] })).rejects.toThrow('23100 voxels do not fill a volume of 1×2×3');
  await expect(compress(ball(Uint8Array), { shape, codec: 'zip' })).rejects.toMatchObject({ tag: 'invalid-input' });
  await expect(open(readFileSync('testdata/recovered.stria')).then((volume) => volume.read())).rejects.toThrow('lost');
  const recovered = await open(readFileSync('testdata/recovered.stria'), { fill: 9 });
  expect(recovered.lostChunks).toBe(3);
  expect((await recovered.read()).data).toContain(9);
});

test('compressing reports its progress and can be stopped', async () => {
  const shares: number[] = [];
  await compress(ball(Uint8Array), { shape, onProgress: (share) => shares.push(share) });
  expect(shares.at(-1)).toBe(1);
  await expect(compress(ball(Uint8Array), { shape, signal: AbortSignal.abort() })).rejects.toMatchObject({ tag: 'aborted' });
});

test('the examples of docs/LIBRARY.md run, with what the package exports', () => {
  const blocks = [...readFileSync('docs/LIBRARY.md', 'utf8').matchAll(/^```js\n(.*?)^```/gms)].map(([, code = '']) => code);
  expect(blocks.length).toBeGreaterThan(2);
  const exported = JSON.parse(readFileSync('package.json', 'utf8')).exports as Record<string, { default: string; types: string }>;
  const code = blocks
    .join('\n')
    .replace(/from 'stria(\/zarr)?'/g, (_, door = '') => {
      const { default: path } = exported[`.${door}`] as { default: string };
      return `from ${JSON.stringify(pathToFileURL(path).href)}`;
    })
    .replace(/from 'zarrita'/g, () => `from ${JSON.stringify(pathToFileURL('node_modules/zarrita/dist/src/index.js').href)}`);
  writeFileSync(join(folder, 'example.mjs'), code);
  execFileSync(process.execPath, ['example.mjs'], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
});

test('a program in TypeScript finds the types of the package', () => {
  const place = join(folder, 'typed');
  mkdirSync(join(place, 'node_modules'), { recursive: true });
  symlinkSync(resolve('.'), join(place, 'node_modules', 'stria'), 'junction');
  writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
  const good = `import { compress, open, type VoxelData } from 'stria';
    import { striaCodec } from 'stria/zarr';
    const volume = await open(await compress(new Uint16Array(8), { shape: [2, 2, 2] }));
    export const x: number = volume.shape[0];
    export const data: VoxelData = (await volume.read({ t: 0 })).data;
    export const codec: string = striaCodec.kind;`;
  writeFileSync(join(place, 'good.mts'), good);
  writeFileSync(join(place, 'bad.mts'), good.replace('x: number', 'x: string'));
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc');
  const check = (name: string) =>
    spawnSync(
      process.execPath,
      [tsc, '--strict', '--noEmit', '--ignoreConfig', '--target', 'es2022', '--module', 'nodenext', name],
      { cwd: place, encoding: 'utf8' },
    );
  expect(check('good.mts')).toMatchObject({ stdout: '', status: 0 });
  expect(check('bad.mts').stdout).toMatch(/^bad\.mts\(4,\d+\): error TS2322/);
});
