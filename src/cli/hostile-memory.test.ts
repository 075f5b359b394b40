import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measured, requireBuild } from './cli-testing.ts';
import { cutZeros, manyChunks, zeros } from './hostile-testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'stria-hostile-'));
const at = (name: string) => join(folder, name);
/** Node alone takes about 40 MiB, the command with its threads 60. */
const mostMiB = 256;
const cpu = ['--device', 'cpu'];

beforeAll(requireBuild);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['2^24 chunks of one voxel', [4096, 4096, 1, 1], 2 ** 24],
  ['10^7 chunks of one voxel', [10_000_000, 1, 1, 1], 10_000_000],
] as const)('%s', (_name, dims, count) => {
  const file = at(`${count}.stria`);
  beforeAll(async () => writeFileSync(file, await manyChunks(dims, count)));

  test.each([
    ['info', [file]],
    ['verify', [file, ...cpu]],
    ['decompress', [file, '-o', at('out.raw'), ...cpu]],
    ['recover', [file, '-o', at('out.stria')]],
  ])('%s refuses it in little memory', async (command, args) => {
    const { code, stderr, peakMiB } = await measured(command, ...args);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/far more than its data needs/) });
    expect(peakMiB).toBeLessThan(mostMiB);
  });
});

test('a layer of 17 GB and 4 million chunks: everything but reading the voxels takes little memory', async () => {
  writeFileSync(at('deep.stria'), await zeros([2 ** 14, 2 ** 14, 4096, 1], [64, 64, 64]));
  for (const [command, args, wanted] of [
    ['info', [at('deep.stria')], /1\.10 TB/],
    ['verify', [at('deep.stria'), ...cpu], /sound {2}4.194.304 chunks/],
    ['recover', [at('deep.stria'), '-o', at('deep-new.stria')], /nothing is lost/],
  ] as const) {
    const { code, stdout, stderr, peakMiB } = await measured(command, ...args);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout + stderr).toMatch(wanted);
    expect(peakMiB, command).toBeLessThan(mostMiB);
  }
  expect(statSync(at('deep-new.stria')).size).toBeLessThan(10_000);
});

test('a layer of 512 MiB is restored in less memory', async () => {
  writeFileSync(at('wide.stria'), await zeros([2 ** 14, 2 ** 14, 2, 1], [512, 512, 2]));
  const { code, stderr, peakMiB } = await measured('decompress', at('wide.stria'), '-o', at('wide.raw'), ...cpu);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(statSync(at('wide.raw')).size).toBe(2 ** 29);
  rmSync(at('wide.raw'));
  expect(peakMiB).toBeLessThan(mostMiB);
});

test('lost chunks take no space in the recovered file', async () => {
  // Chunks alternate between two shapes: chunks of zeros would each be a run of their own.
  writeFileSync(at('cut.stria'), await cutZeros([72, 2 ** 24, 64, 1], [64, 64, 64]));
  const { code, stdout, stderr, peakMiB } = await measured('recover', at('cut.stria'), '-o', at('saved.stria'));
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout + stderr).toMatch(/1 of 524.288 chunks are intact, 524.287 lost/);
  expect(statSync(at('saved.stria')).size).toBeLessThan(10_000);
  expect(peakMiB).toBeLessThan(mostMiB);
  const info = await measured('info', at('saved.stria'));
  expect(info.stdout + info.stderr).toMatch(/524.287 lost/);
});
