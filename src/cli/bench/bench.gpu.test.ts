import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('stria bench files measures the whole program beside gzip', async () => {
  writeFileSync(at('scan.nii'), niftiFile([40, 30, 20], 2));
  const ran = await stria('bench', 'files', at('scan.nii'), '--device', 'cpu', '--json', '--quiet');
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const { cases, gaps } = checkBenchResult(JSON.parse(ran.stdout));
  const methods = [...cases, ...gaps].map(({ method }) => method);
  for (const method of ['stria', 'gzip -6', 'pigz -6', 'zstd -3', 'zstd -19', 'xz -6']) expect(methods).toContain(method);
  expect(cases.filter(({ method }) => method === 'stria').map(({ operation }) => operation)).toEqual(['compress', 'decompress']);
});
