import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scanBytes, succeed, testFolders } from '../../src/cli/cli-testing.ts';
import { tipsyBytes } from '../../src/core/particles/formats/particle-files-testing.ts';
import { madeParticles } from '../../src/core/particles/particles-testing.ts';
import { startCluster, type TestCluster } from './slurm-testing.ts';

const { at } = testFolders();
const workflows = resolve(import.meta.dirname, '..');
const command = resolve(workflows, '../out/main/cli.js');
/** What deposit makes of the sums. */
const values = ['--quantity', 'density', '--scale', 'log', '--type', 'u8'];

let folder: string;
let cluster: TestCluster;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-cluster-'));
  cluster = startCluster(folder);
});

afterAll(() => {
  cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A raw volume of ten layers of chunks, and the file that one machine makes of it. */
async function writeVolume(...options: readonly string[]): Promise<{ input: string; whole: Buffer }> {
  const dims = [70, 66, 640] as const;
  const input = at('volume.raw');
  writeFileSync(input, scanBytes(dims, 1));
  writeFileSync(`${input}.json`, JSON.stringify({ dims: [...dims, 1], type: 'u8' }));
  await succeed('compress', input, '-o', at('whole.stria'), '--device', 'cpu', ...options);
  return { input, whole: readFileSync(at('whole.stria')) };
}

/** The command, with faults that each strike once: lines of shell that see the arguments of `stria`. */
function faultyCommand(...faults: readonly string[]): string {
  const path = at('stria');
  const once = faults.map((fault, number) => `once() { mkdir "${at(`fault-${number}`)}" 2>/dev/null; }\n${fault}`);
  writeFileSync(path, ['#!/bin/bash', `run() { "${process.execPath}" "${command}" "$@"; }`, ...once, 'run "$@"', ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

/** Kills the command with all its work done, before its output gets its name. */
const dieAtTheEnd = `
  import files from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  files.rename = () => process.kill(process.pid, 'SIGKILL');
  syncBuiltinESMExports();
`;
const killed = 'NODE_OPTIONS="--import=$DIE_AT_THE_END" run "$@"; exit $?';
process.env.DIE_AT_THE_END = `data:text/javascript,${encodeURIComponent(dieAtTheEnd)}`;

interface Submitted {
  readonly input: string;
  readonly output: string;
  readonly stria: string;
  readonly options?: readonly string[];
}

/** Submits seven parts of a volume. @returns the job that merges them */
function submit({ input, output, stria, options = [] }: Submitted, tasks = 3): string {
  return submitted('submit.sh', [input, output, '7', '--device', 'cpu', ...options], stria, tasks);
}

function submitted(script: string, words: readonly string[], stria: string, tasks: number): string {
  const logs = `--output=${at('job-%j-%t.log')}`;
  const env = {
    ...cluster.env,
    STRIA: stria,
    STRIA_VALUES: values.join(' '),
    STRIA_MAX_TASKS: String(tasks),
    STRIA_SBATCH: logs,
  };
  const said = execFileSync(join(workflows, 'slurm', script), words, { env, encoding: 'utf8' });
  return /merging as job (\d+)/.exec(said)?.[1] as string;
}

/** Waits until a job has ended, and returns its state. */
async function stateOf(job: string): Promise<string> {
  for (;;) {
    const { stdout } = spawnSync('scontrol', ['-o', 'show', 'job', job], { env: cluster.env, encoding: 'utf8' });
    const state = /JobState=(\w+)/.exec(stdout)?.[1] ?? 'UNKNOWN';
    if (!['PENDING', 'RUNNING', 'COMPLETING', 'CONFIGURING', 'REQUEUED'].includes(state)) return state;
    await setTimeout(200);
  }
}

test('Slurm compresses seven parts in three tasks, and merges them to the file of one machine', async () => {
  const { input, whole } = await writeVolume();
  const output = at('volume.stria');
  expect(await stateOf(submit({ input, output, stria: faultyCommand() }))).toBe('COMPLETED');
  expect(readFileSync(output)).toEqual(whole);
  expect(existsSync(`${output}.parts`)).toBe(false);
});

test('the levels that Slurm makes are those of one machine, by the codec that was chosen', async () => {
  const options = ['--levels', '--codec', 'rice'];
  const { input, whole } = await writeVolume(...options);
  const output = at('volume.stria');
  expect(await stateOf(submit({ input, output, stria: faultyCommand(), options }))).toBe('COMPLETED');
  expect(readFileSync(output)).toEqual(whole);
});

test('Slurm deposits eight parts of the particles, also with a killed task and a killed merge, and makes the volume of one machine', async () => {
  const groups = [1, 2, 3].map((seed) => {
    const { positions, masses, radii } = madeParticles(3000, [1, 1, 1], seed);
    return { positions: [...positions], masses: [...masses], smoothing: [...radii] };
  });
  writeFileSync(at('sim.00100'), tipsyBytes(groups));
  const how = ['--size', '48', '--box=0,0,0,1,1,1', '--edges', 'periodic', '--kernel', 'tsc', '--device', 'cpu'];
  await succeed('deposit', at('sim.00100'), ...how, ...values, '-o', at('whole.stria'));
  const output = at('volume.stria');
  const stria = faultyCommand(
    `[[ "$*" == *" 3/8 "* ]] && once && { ${killed}; }`,
    `[ "$1" = merge ] && once && { ${killed}; }`,
    `[[ "$*" == *" 6/8 "* ]] && [ -e "${at('broken')}" ] && exit 1`,
  );
  writeFileSync(at('broken'), '');
  const deposit = () => submitted('deposit.sh', [at('sim.00100'), output, '8', ...how], stria, 8);
  expect(await stateOf(deposit())).toBe('CANCELLED');
  // The task that was killed was tried again.
  expect(existsSync(at('fault-0'))).toBe(true);
  expect(existsSync(join(`${output}.parts`, 'part-000003.stria'))).toBe(true);
  rmSync(at('broken'));
  expect(await stateOf(deposit())).toBe('FAILED');
  expect(existsSync(at('fault-1'))).toBe(true);
  expect(existsSync(output)).toBe(false);
  expect(await stateOf(deposit())).toBe('COMPLETED');
  expect(readFileSync(output)).toEqual(readFileSync(at('whole.stria')));
  expect(existsSync(`${output}.parts`)).toBe(false);
  expect(existsSync(`${output}.sums.stria`)).toBe(false);
});

test('a killed command is tried again, and a failed array is finished by submitting it again', async () => {
  const { input, whole } = await writeVolume();
  const output = at('volume.stria');
  const isBroken = `[ -e "${at('broken')}" ] && [[ "$*" == *" 6/7 "* ]] && exit 1`;
  const stria = faultyCommand(`[[ "$*" == *" 2/7 "* ]] && once && { ${killed}; }`, isBroken);
  writeFileSync(at('broken'), '');
  expect(await stateOf(submit({ input, output, stria }))).toBe('CANCELLED');
  expect(existsSync(at('fault-0'))).toBe(true);
  expect(existsSync(output)).toBe(false);
  rmSync(at('broken'));
  expect(await stateOf(submit({ input, output, stria }))).toBe('COMPLETED');
  expect(readFileSync(output)).toEqual(whole);
});

test('a merge that is killed leaves no output, and succeeds when it is submitted again', async () => {
  const { input, whole } = await writeVolume();
  const output = at('volume.stria');
  const stria = faultyCommand(`[ "$1" = merge ] && once && { ${killed}; }`);
  expect(await stateOf(submit({ input, output, stria }))).toBe('FAILED');
  expect(existsSync(output)).toBe(false);
  expect(await stateOf(submit({ input, output, stria }))).toBe('COMPLETED');
  expect(readFileSync(output)).toEqual(whole);
});

test('a node that dies gives its task to another', async () => {
  const { input, whole } = await writeVolume();
  const output = at('volume.stria');
  // Part 5 says where it runs, and waits to be killed with its node.
  const stria = faultyCommand(`[[ "$*" == *" 5/7 "* ]] && once && { echo $SLURMD_NODENAME > "${at('node')}"; sleep 600; }`);
  const merge = submit({ input, output, stria }, 7);
  while (!existsSync(at('node')) || readFileSync(at('node'), 'utf8') === '') await setTimeout(100);
  const node = readFileSync(at('node'), 'utf8').trim();
  cluster.killNode(node);
  expect(await stateOf(merge)).toBe('COMPLETED');
  cluster.startNode(node);
  expect(readFileSync(output)).toEqual(whole);
});

test.each(['local', 'slurm'])(
  'Snakemake with the profile %s gives the file of one machine, also with a killed task',
  async (profile) => {
    const options = ['--device', 'cpu', '--levels', '--codec', 'rice'];
    const { input, whole } = await writeVolume(...options);
    const output = at('volume.stria');
    const stria = faultyCommand(`[[ "$*" == *" 3/7 "* ]] && once && { ${killed}; }`);
    const config = [
      '--config',
      `input=${input}`,
      `output=${output}`,
      'parts=7',
      `stria=${stria}`,
      `options=${options.join(' ')}`,
    ];
    const files = [
      '--snakefile',
      join(workflows, 'snakemake/Snakefile'),
      '--profile',
      join(workflows, 'snakemake/profiles', profile),
    ];
    const env = { ...cluster.env, HOME: folder };
    const ended = spawnSync('snakemake', [...files, ...config], { env, cwd: at('.'), encoding: 'utf8' });
    expect(ended, ended.stderr).toMatchObject({ status: 0 });
    expect(existsSync(at('fault-0'))).toBe(true);
    expect(readFileSync(output)).toEqual(whole);
  },
);
