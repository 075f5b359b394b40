import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkBenchResult } from '../../core/bench/check-result.ts';
import { niftiFile, requireBuild, stria } from '../cli-testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'stria-bench-test-'));
const at = (name: string) => join(folder, name);
beforeAll(requireBuild);
afterAll(() => rmSync(folder, { recursive: true }));

test('stria bench seeds runs completely at a small size, and its result agrees with itself', { timeout: 900_000 }, async () => {
  const ran = await stria('bench', 'seeds', '--device', 'gpu', '--size', '16', '--json', '-o', at('a.json'));
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const result = checkBenchResult(JSON.parse(ran.stdout));
  expect(result).toMatchObject({ suite: 'seeds', request: { size: 16 }, gaps: [] });
  const tables = ['rutter', 'parle', 'cuvle-entropy', 'cuvle-size', 'cuvle-plane', 'metal-rice', 'rutter-transfer'];
  expect(new Set(result.cases.map(({ table }) => table))).toEqual(new Set(tables));
  for (const { wallMs } of result.cases) expect(wallMs.repetitions).toBeGreaterThanOrEqual(3);
  expect(JSON.parse(readFileSync(at('a.json'), 'utf8'))).toEqual(result);

  const same = await stria('bench', 'compare', at('a.json'), at('a.json'));
  expect(same).toMatchObject({ code: 0 });
  const count = result.cases.filter(({ gpuMs }) => gpuMs).length;
  expect(same.stdout).toContain(`${count} of ${count} medians by GPU timestamps agree within 5 %`);
  writeFileSync(at('b.json'), JSON.stringify({ ...result, request: { ...result.request, size: 512 } }));
  const unlike = await stria('bench', 'compare', at('a.json'), at('b.json'));
  expect(unlike.code).toBe(2);
  expect(unlike.stderr).toMatch(/not comparable: size 16 and 512/);
});

test('stria bench codecs measures codecs on the volume of a file, repeated along x, y and z', async () => {
  writeFileSync(at('odd.nii.gz'), gzipSync(niftiFile([7, 5, 3], 2)));
  const args = ['bench', 'codecs', at('odd.nii.gz'), '--codec', 'rice', '--size', '16', '--device', 'gpu', '--json', '--quiet'];
  const ran = await stria(...args);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const { cases, request } = checkBenchResult(JSON.parse(ran.stdout));
  expect(request).toMatchObject({ size: 16, file: 'odd.nii.gz', codecs: ['rice'] });
  expect(cases.map(({ subject, operation }) => [subject, operation])).toEqual([
    ['odd.nii.gz 16³ i16', 'encode'],
    ['odd.nii.gz 16³ i16', 'decode'],
  ]);
});

test('stria bench files measures the whole program beside others', async () => {
  writeFileSync(at('scan.nii.gz'), gzipSync(niftiFile([40, 30, 20], 2)));
  const ran = await stria('bench', 'files', at('scan.nii.gz'), '--repetitions', '1', '--device', 'cpu', '--json', '--quiet');
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const { cases, gaps, request } = checkBenchResult(JSON.parse(ran.stdout));
  expect(request.repetitions).toBe(1);
  for (const { wallMs } of cases) expect(wallMs.repetitions).toBe(1);
  const methods = [...cases, ...gaps].map(({ method }) => method);
  const others = ['cp', 'gzip -6', 'pigz -6', 'lz4 -1', 'zstd -1 -T0', 'zstd -3 -T0', 'zstd -19 -T0', 'xz -6 -T0'];
  const coders = ['JPEG-LS, by slice (ffmpeg)', 'JPEG XL -e 7, by slice (cjxl)'];
  for (const method of ['Stria, GPU', 'Stria, 1 CPU thread', ...others, ...coders]) expect(methods).toContain(method);
  const own = cases.filter(({ method }) => method === 'Stria, 1 CPU thread');
  expect(own.map(({ operation }) => operation)).toEqual(['compress', 'decompress']);
  for (const { inputBytes, processorMs } of own) {
    expect(inputBytes).toBe(352 + 40 * 30 * 20 * 2);
    expect(processorMs?.median).toBeGreaterThan(0);
  }
});
