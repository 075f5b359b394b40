import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { expect, test } from 'vitest';
import { checkBenchResult } from '../../core/bench/check-result.ts';
import { start, stria, testFolders } from '../cli-testing.ts';

const folders = testFolders();

test('only the programs of --tools are measured, and the others are named as left out', async () => {
  writeFileSync(folders.at('scan.dat'), 'some bytes');
  const ran = await stria('bench', 'files', folders.at('scan.dat'), '--tools', 'cp,gzip', '--device', 'cpu', '--json', '-q');
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const { cases, gaps } = checkBenchResult(JSON.parse(ran.stdout));
  expect(cases.map(({ method, operation }) => `${method} ${operation}`)).toEqual([
    'cp compress',
    'cp decompress',
    'gzip -6 compress',
    'gzip -6 decompress',
  ]);
  expect(gaps).toContainEqual(expect.objectContaining({ method: 'xz -6 -T0', reason: 'it is not among --tools' }));
  expect(gaps).toContainEqual(expect.objectContaining({ method: 'Stria, 1 CPU thread', reason: 'it is not among --tools' }));
});

test('a program that fails does not take what was measured before it', async () => {
  writeFileSync(folders.at('scan.dat'), 'some bytes');
  // An xz that only tells its version.
  writeFileSync(folders.at('xz'), '#!/bin/sh\n[ "$1" = --version ]\n');
  chmodSync(folders.at('xz'), 0o755);
  const PATH = `${folders.folder}${delimiter}${process.env.PATH}`;
  const args = ['bench', 'files', folders.at('scan.dat'), '--tools', 'cp,xz', '--device', 'cpu', '-o', folders.at('out.json')];
  const ran = await start(args, { ...process.env, PATH }).ended;
  expect(ran.code).not.toBe(0);
  expect(ran.stderr).toContain('xz -6 -T0 -c exited with 1');
  const { cases, gaps } = checkBenchResult(JSON.parse(readFileSync(folders.at('out.json'), 'utf8')));
  expect(cases.map(({ method }) => method)).toEqual(['cp', 'cp']);
  expect(gaps).toContainEqual({
    table: 'files',
    subject: 'scan.dat',
    method: 'xz -6 -T0',
    reason: 'the run ended before it',
  });
});

test('a program that exceeds --limit is ended and named, and the others are measured', async () => {
  writeFileSync(folders.at('scan.dat'), 'some bytes');
  // A pigz that never ends, and whose child must be ended with it.
  writeFileSync(folders.at('pigz'), '#!/bin/sh\n[ "$1" = --version ] || sleep 600\n');
  chmodSync(folders.at('pigz'), 0o755);
  const PATH = `${folders.folder}${delimiter}${process.env.PATH}`;
  const args = ['bench', 'files', folders.at('scan.dat'), '--tools', 'pigz,gzip', '--limit', '1', '--device', 'cpu', '--json'];
  const ran = await start(args, { ...process.env, PATH }).ended;
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const { cases, gaps } = checkBenchResult(JSON.parse(ran.stdout));
  expect(cases.map(({ method }) => method)).toEqual(['gzip -6', 'gzip -6']);
  const reason = 'it did not finish in 1 s';
  expect(gaps).toContainEqual({ table: 'files', subject: 'scan.dat', method: 'pigz -6', reason });
});

test('an unknown program is refused, with the names of those that are known', async () => {
  const ran = await stria('bench', 'files', '--tools', 'cp,bzip2', '--device', 'cpu');
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain("'bzip2'. The programs are stria, cp, gzip, pigz, lz4, zstd, xz, ffmpeg, cjxl.");
});
