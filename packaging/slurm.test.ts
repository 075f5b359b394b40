import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

// The job scripts alone, with another program instead of `stria`. `npm run test:cluster` runs them on a Slurm.

let folder: string;
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-slurm-'));
  mkdirSync(at('my parts'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(script: string, env: Readonly<Record<string, string>>): string {
  const variables = { ...process.env, STRIA_FOLDER: at('my parts'), STRIA_OUTPUT: at('scan.stria'), ...env };
  return execFileSync('bash', [resolve('workflows/slurm', script)], { encoding: 'utf8', env: variables });
}

test.runIf(process.platform === 'linux')('merging removes parts and nothing else', () => {
  writeFileSync(at('my parts/part-000001.stria'), '');
  run('merge.sbatch', { STRIA: 'true' });
  expect(readdirSync(folder)).toEqual([]);
  mkdirSync(at('my parts'));
  const unfinished = '.part-000002.stria.0123abcd-77-0123abcd.partial';
  for (const name of ['part-000001.stria', 'part-000002.stria', unfinished, 'scan.nii', 'scan.stria'])
    writeFileSync(at(`my parts/${name}`), '');
  run('merge.sbatch', { STRIA: 'true', STRIA_KEEP_PARTS: '1' });
  expect(readdirSync(at('my parts'))).toHaveLength(5);
  run('merge.sbatch', { STRIA: 'true' });
  expect(readdirSync(at('my parts')).sort()).toEqual(['scan.nii', 'scan.stria']);
});

test.runIf(process.platform === 'linux')('a part is kept unless it is older than the input', () => {
  const names = ['scan.nii', 'my parts/part-000001.stria', 'my parts/part-000002.stria'];
  for (const name of names) writeFileSync(at(name), '');
  for (const [index, seconds] of [200, 100, 300].entries()) utimesSync(at(names[index] as string), seconds, seconds);
  const said = run('part.sbatch', {
    STRIA: 'echo',
    STRIA_INPUT: at('scan.nii'),
    STRIA_OPTIONS: '',
    STRIA_PARTS: '3',
    STRIA_TASKS: '1',
    SLURM_ARRAY_TASK_ID: '1',
  });
  expect([...said.matchAll(/--part (\S+)/g)].map(([, part]) => part)).toEqual(['1/3', '3/3']);
});

test.runIf(process.platform === 'linux')(
  'the merge gets the options for levels and codecs, which parts must not or must also have',
  () => {
    writeFileSync(at('sbatch'), `#!/bin/bash\necho "$STRIA_OPTIONS|$STRIA_MERGE_OPTIONS" >> "${at('said')}"; echo 7\n`);
    chmodSync(at('sbatch'), 0o755);
    const submitted = (script: string, ...options: readonly string[]) => {
      rmSync(at('said'), { force: true });
      rmSync(at('out.stria.parts'), { force: true, recursive: true });
      const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
      execFileSync(resolve('workflows/slurm', script), ['scan.nii', at('out.stria'), '8', ...options], { env });
      const lines = readFileSync(at('said'), 'utf8').split('\n');
      // Both jobs see the same.
      expect(lines[1]).toBe(lines[0]);
      return lines[0]?.split('|').map((words) => words.trim().split(/ +/).join(' '));
    };
    expect(submitted('submit.sh')).toEqual(['', '']);
    const options = ['--dims', '8,8,8', '--levels=mode', '--codec', 'rice', '--type', 'u8', '--effort=max'];
    expect(submitted('submit.sh', ...options)).toEqual([
      '--dims 8,8,8 --codec rice --type u8 --effort=max',
      '--levels=mode --codec rice --effort=max',
    ]);
    expect(submitted('submit.sh', '--no-levels')).toEqual(['', '--no-levels']);
    expect(submitted('deposit.sh', '--size', '8', '--device', 'cpu')).toEqual(['--size 8 --device cpu', '--device cpu']);
  },
);

/** Submits with a stand-in for `sbatch`, which makes the file `submitted`. */
function submit(script: string, parts: string, ...options: readonly string[]) {
  writeFileSync(at('sbatch'), `#!/bin/bash\ntouch "${at('submitted')}"; echo 7\n`, { mode: 0o755 });
  rmSync(at('submitted'), { force: true });
  const env = { ...process.env, STRIA_FOLDER: at('my parts'), PATH: `${folder}:${process.env.PATH}` };
  const args = [at('sim.00100'), at('out.stria'), parts, ...options];
  const { status, stderr } = spawnSync(resolve('workflows/slurm', script), args, { env, encoding: 'utf8' });
  return { status, stderr, isSubmitted: existsSync(at('submitted')) };
}

test.runIf(process.platform === 'linux')('parts of a run with other settings are refused', () => {
  expect(submit('deposit.sh', '8', '--size', '8')).toMatchObject({ status: 0, isSubmitted: true });
  expect(submit('deposit.sh', '8', '--size', '8')).toMatchObject({ status: 0, isSubmitted: true });
  const refused = { status: 2, isSubmitted: false, stderr: expect.stringMatching(/other settings.*STRIA_FOLDER/s) };
  expect(submit('deposit.sh', '6', '--size', '8')).toMatchObject(refused);
  expect(submit('deposit.sh', '8', '--size', '9')).toMatchObject(refused);
  expect(submit('submit.sh', '8', '--size', '8')).toMatchObject(refused);
  // The merge ends the run.
  run('merge.sbatch', { STRIA: 'true' });
  expect(existsSync(at('my parts'))).toBe(false);
  expect(submit('submit.sh', '6')).toMatchObject({ status: 0, isSubmitted: true });
  // Levels are made by the merge, so they may change.
  expect(submit('submit.sh', '6', '--no-levels')).toMatchObject({ status: 0, isSubmitted: true });
  rmSync(at('my parts/stria-run.txt'));
  writeFileSync(at('my parts/part-000001.stria'), '');
  expect(submit('submit.sh', '6')).toMatchObject({ status: 2, isSubmitted: false, stderr: expect.stringContaining('unknown') });
});

test.runIf(process.platform === 'linux')('the sums of this run alone are added', () => {
  for (const name of ['part-000001.stria', 'part-000002.stria', 'part-000003.stria', 'out.stria'])
    writeFileSync(at(`my parts/${name}`), '');
  writeFileSync(
    at('stria'),
    `#!/bin/bash\n[ "$1" = deposit ] && exec touch "${at('scan.stria.sums.stria')}"\nprintf '%s\\n' "$@"\n`,
    {
      mode: 0o755,
    },
  );
  const said = run('merge.sbatch', { STRIA: at('stria'), STRIA_WORK: 'deposit', STRIA_PARTS: '2' }).split('\n');
  expect(said.slice(0, 4)).toEqual(['merge', at('my parts/part-000001.stria'), at('my parts/part-000002.stria'), '--by']);
});

test.runIf(process.platform === 'linux').each(['--levels', '--levels=mode', '--no-levels'])(
  'deposit.sh refuses %s before it submits anything',
  (option) => {
    const refused = { status: 2, isSubmitted: false, stderr: expect.stringContaining(option) };
    expect(submit('deposit.sh', '8', '--size', '8', option)).toMatchObject(refused);
  },
);

test.runIf(process.platform === 'linux')('a controller that does not answer ends no job', () => {
  const statusFor = (answer: string): string => {
    writeFileSync(at('scontrol'), `#!/bin/bash\n${answer}\n`);
    chmodSync(at('scontrol'), 0o755);
    const script = resolve('workflows/snakemake/profiles/slurm/slurm-status.sh');
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    return execFileSync('bash', [script, '7'], { encoding: 'utf8', env }).trim();
  };
  const fault = 'slurm_load_jobs error:';
  expect([
    statusFor('echo "JobId=7 JobName=a JobState=RUNNING Reason=None"'),
    statusFor('echo "JobId=7 JobName=a JobState=COMPLETED Reason=None"'),
    statusFor('echo "JobId=7 JobName=a JobState=NODE_FAIL Reason=None"'),
    statusFor(`echo "${fault} Socket timed out on send/recv operation" >&2; exit 1`),
    statusFor(`echo "${fault} Unable to contact slurm controller (connect failure)" >&2; exit 1`),
    statusFor(`echo "${fault} Invalid job id specified" >&2; exit 1`),
  ]).toEqual(['running', 'success', 'failed', 'running', 'running', 'failed']);
});
