import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { cliPath, succeed, testFolders } from '../../src/cli/cli-testing.ts';
import { npyBytes, tipsyBytes } from '../../src/core/particles/formats/particle-files-testing.ts';
import { madeParticles } from '../../src/core/particles/particles-testing.ts';

const { at } = testFolders();
const workflows = resolve(import.meta.dirname, '../snakemake');
const values = ['--quantity', 'density', '--scale', 'log', '--type', 'u8'];
const how = ['--size', '48', '--box', '0,0,0,1,1,1', '--edges', 'periodic', '--kernel', 'tsc'];
const cpu = ['--device', 'cpu'];
const stria = `${process.execPath} ${cliPath}`;

function madeGroup(count: number, seed: number) {
  const { positions, masses, radii } = madeParticles(count, [1, 1, 1], seed);
  return { positions: [...positions], masses: [...masses], smoothing: [...radii] };
}

/** The command; the first time that `fault` is in its arguments, it fails. */
function faultyCommand(fault: string): string {
  const path = at('stria');
  const once = `[[ "$*" == *"${fault}"* ]] && mkdir "${at('fault')}" 2>/dev/null && exit 1`;
  writeFileSync(path, ['#!/bin/bash', once, `exec "${process.execPath}" "${cliPath}" "$@"`, ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

function run(options: readonly string[], stria: string, config: readonly string[]): void {
  const files = ['--snakefile', join(workflows, 'deposit.smk'), '--profile', join(workflows, 'profiles/local')];
  const all = [`output=${at('made.stria')}`, `stria=${stria}`, `options=${cpu.join(' ')}`, ...config];
  const env = { ...process.env, HOME: at('.') };
  const ended = spawnSync('snakemake', [...files, ...options, '--config', ...all], { env, cwd: at('.'), encoding: 'utf8' });
  expect(ended, ended.stderr).toMatchObject({ status: 0 });
}

function snakemake(fault: string, ...config: readonly string[]): Buffer {
  run([], faultyCommand(fault), config);
  // The fault struck, and what lay between is removed.
  expect(existsSync(at('fault'))).toBe(true);
  expect(existsSync(at('made.stria.sums.stria'))).toBe(false);
  expect(existsSync(at('made.stria.parts/part-1.stria'))).toBe(false);
  return readFileSync(at('made.stria'));
}

test('8 parts of a Tipsy file are the volume of one machine, also with a task that fails once', async () => {
  writeFileSync(at('sim.00100'), tipsyBytes([madeGroup(4000, 1), madeGroup(9000, 2), madeGroup(300, 3)]));
  await succeed('deposit', at('sim.00100'), ...how, ...values, ...cpu, '-o', at('whole.stria'));
  const config = [`input=${at('sim.00100')}`, 'parts=8', `how=${how.join(' ')}`, `values=${values.join(' ')}`];
  expect(snakemake('--part 3/8', ...config)).toEqual(readFileSync(at('whole.stria')));
});

test('what an earlier run left in the folder is not added', async () => {
  writeFileSync(at('sim.00100'), tipsyBytes([madeGroup(400, 1), madeGroup(900, 2), madeGroup(30, 3)]));
  await succeed('deposit', at('sim.00100'), ...how, ...values, ...cpu, '-o', at('whole.stria'));
  const earlier = how.with(-1, 'ngp');
  const config = [`input=${at('sim.00100')}`, `values=${values.join(' ')}`];
  run(['--until', 'deposit', '--notemp'], stria, [...config, 'parts=3', `how=${earlier.join(' ')}`]);
  expect(existsSync(at('made.stria.parts/part-3.stria'))).toBe(true);
  run([], stria, [...config, 'parts=2', `how=${how.join(' ')}`]);
  expect(readFileSync(at('made.stria'))).toEqual(readFileSync(at('whole.stria')));
});

test('files that are parts are the volume of all files, also with a merge that fails once', async () => {
  const files = [1, 2, 3].map((seed) => {
    const { positions, masses } = madeGroup(2000, seed);
    const rows = masses.flatMap((mass, row) => [...positions.slice(3 * row, 3 * row + 3), mass]);
    writeFileSync(at(`node-${seed}.npy`), npyBytes(rows, [masses.length, 4]));
    return at(`node-${seed}.npy`);
  });
  const same = [...how, '--unit', '1e-6'];
  await succeed('deposit', ...files, ...same, ...values, ...cpu, '-o', at('whole.stria'));
  const config = [`inputs=${at('node-*.npy')}`, `how=${same.join(' ')}`, `values=${values.join(' ')}`];
  expect(snakemake('merge ', ...config)).toEqual(readFileSync(at('whole.stria')));
});
