import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { madeParticles } from '../core/particles/particles-testing.ts';
import { type Ended, measured, niftiFile, requireBuild, start, stria } from './cli-testing.ts';
import { zeros } from './hostile-testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'stria-cli-gpu-'));
const at = (name: string) => join(folder, name);
beforeAll(requireBuild);
afterAll(() => rmSync(folder, { recursive: true }));

test('stria gpu names the adapter and its limits', async () => {
  const { code, stdout } = await stria('gpu', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ state: 'ready', limits: { maxStorageBuffersPerShaderStage: expect.any(Number) } });
  expect((await stria('gpu')).stdout).toMatch(/^Adapter .*maxBufferSize/s);
});

test('GPU and CPU deposit particles into the same file', async () => {
  const { positions, masses } = madeParticles(3000, [1, 1, 1]);
  const lines = [...masses].map((mass, at) => [...positions.slice(3 * at, 3 * at + 3), mass].join());
  writeFileSync(at('particles.csv'), lines.join('\n'));
  for (const device of ['cpu', 'gpu']) {
    const how = ['--size', '24', '--box', '0,0,0,1,1,1', '--kernel', 'tsc', '--codec', 'rle', '--device', device];
    const made = await stria('deposit', at('particles.csv'), ...how, '-o', at(`${device}.stria`));
    expect(made, made.stderr).toMatchObject({ code: 0 });
  }
  expect(Buffer.compare(readFileSync(at('gpu.stria')), readFileSync(at('cpu.stria')))).toBe(0);
});

test('GPU and CPU extract the same surface, from a file and from a .stria', async () => {
  writeFileSync(at('head.nii'), niftiFile([33, 31, 20], 1));
  const packed = await stria('compress', at('head.nii'), '-o', at('head.stria'), '--codec', 'raw', '--device', 'cpu');
  expect(packed, packed.stderr).toMatchObject({ code: 0 });
  for (const [name, input, device] of [
    ['a', 'head.nii', 'cpu'],
    ['b', 'head.nii', 'gpu'],
    ['c', 'head.stria', 'gpu'],
  ] as const) {
    const how = ['--level', '100', '--smoothing', '3', '-o', at(`${name}.ply`), '--device', device];
    const made = await stria('mesh', at(input), ...how);
    expect(made, made.stderr).toMatchObject({ code: 0 });
    expect(Buffer.compare(readFileSync(at(`${name}.ply`)), readFileSync(at('a.ply')))).toBe(0);
  }
});

test('GPU, GPU with minimum limits and CPU write the same file, and each restores it', async () => {
  const source = niftiFile([130, 71, 67], 2);
  writeFileSync(at('scan.nii'), source);
  const cpu = ['--device', 'cpu'];
  const gpu = ['--device', 'gpu'];
  const least = [...gpu, '--gpu-limits', 'default'];
  // Each process compiles its own kernels, so the device is tested with a codec whose kernels compile quickly.
  for (const [codec, ways] of [
    ['auto', { cpu, gpu }],
    ['rle', { cpu, least }],
  ] as const) {
    for (const [name, way] of Object.entries(ways)) {
      const packed = at(`${codec}-${name}.stria`);
      const pressed = await stria('compress', at('scan.nii'), '-o', packed, '--codec', codec, ...way);
      expect(pressed, pressed.stderr).toMatchObject({ code: 0 });
      expect(Buffer.compare(readFileSync(packed), readFileSync(at(`${codec}-cpu.stria`)))).toBe(0);
      const restored = await stria('decompress', packed, '-o', at('b'), ...way);
      expect(restored, restored.stderr).toMatchObject({ code: 0 });
      expect(Buffer.compare(readFileSync(at('b')), source)).toBe(0);
    }
  }
  const verified = await stria('verify', at('rle-least.stria'), ...gpu);
  expect(verified, verified.stderr).toMatchObject({ code: 0 });
});

test('a small file with millions of chunks and a layer of 17 GB takes little memory on a GPU too', async () => {
  writeFileSync(at('deep.stria'), await zeros([2 ** 14, 2 ** 14, 4096, 1], [64, 64, 64]));
  const { code, stderr, peakMiB } = await measured('verify', at('deep.stria'), '--device', 'gpu');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  // A software GPU alone takes about 100 MiB.
  expect(peakMiB).toBeLessThan(256);
  writeFileSync(at('flat.stria'), await zeros([2 ** 13, 2 ** 13, 4, 1], [512, 512, 4]));
  const restored = await measured('decompress', at('flat.stria'), '-o', at('flat.raw'), '--device', 'gpu');
  expect(restored, restored.stderr).toMatchObject({ code: 0 });
});

/** Makes the first sync of a file take a second, in which a command may close a GPU that it no longer needs. */
const slowFirstSync = `data:text/javascript,${encodeURIComponent(`
  import { open } from 'node:fs/promises';
  const file = await open(process.execPath);
  const prototype = Object.getPrototypeOf(file);
  await file.close();
  const { sync } = prototype;
  let delayMs = 1000;
  prototype.sync = async function () {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    delayMs = 0;
    return sync.call(this);
  };
`)}`;

const slowly = (...args: readonly string[]): Promise<Ended> =>
  start([...args, '--device', 'gpu'], process.env, ['--import', slowFirstSync]).ended;

test('of several files, the first one’s sync does not close the GPU', async () => {
  mkdirSync(at('several'));
  for (const name of ['a', 'b']) writeFileSync(at(`${name}.nii`), niftiFile([40, 30, 20], 1));
  const { code, stderr } = await slowly('compress', at('a.nii'), at('b.nii'), '-o', at('several'), '--codec', 'rle');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(readdirSync(at('several'))).toEqual(['a.stria', 'b.stria']);
});

test('of several pictures, the first one’s sync does not close the GPU', async () => {
  // A software GPU decodes 64 slices at once.
  writeFileSync(at('deep.nii'), niftiFile([256, 256, 200], 1));
  const packed = await stria('compress', at('deep.nii'), '-o', at('deep.stria'), '--codec', 'rle', '--device', 'cpu');
  expect(packed, packed.stderr).toMatchObject({ code: 0 });
  const { code, stderr } = await slowly('decompress', at('deep.stria'), '--to', 'png', '-o', at('pictures'));
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(readdirSync(at('pictures')).length).toBe(200);
});
