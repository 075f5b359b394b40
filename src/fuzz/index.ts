// `npm run fuzz -- --seconds N [--cases N] [--seed S] [--from C] [--case C] [--cpu] [--inputs | --others]`: feeds damaged containers,
// inputs and other files to the engine and checks the promises in CONTRIBUTING.md. Cases run in a child process, so that a hang, a
// crash or excessive memory is a finding like any other. Counts are kept in out/fuzz/SEED-CHOICE-FROM.json while it runs.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ChildTask, ChildWord } from './messages.ts';

/** Time limit of a case. Reading a merely large volume is cancelled earlier (checks.ts). */
const mostCaseMs = 20_000;
/** Compiling kernels on a software GPU takes most of a minute. */
const mostGpuCaseMs = 120_000;
const mostMegabytes = 256;
const mostFindings = 10;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    case: { type: 'string' },
    cases: { type: 'string' },
    cpu: { type: 'boolean', default: false },
    inputs: { type: 'boolean', default: false },
    others: { type: 'boolean', default: false },
    from: { type: 'string', default: '0' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const only = values.case === undefined ? undefined : Number(values.case);
const seconds = Number(values.seconds);
const from = Number(values.from);
const choice = values.inputs ? 'inputs' : values.others ? 'others' : 'all';
/** Ends the run early. */
const mostCases = Number(values.cases ?? Number.MAX_SAFE_INTEGER);
if (![seed, seconds, mostCases, from, only ?? 0].every((value) => Number.isFinite(value) && value >= 0)) {
  console.error('fuzz: --seconds, --cases, --seed, --from and --case take numbers');
  process.exit(2);
}

const folder = 'out/fuzz';
const endTime = Date.now() + 1000 * seconds;
let caseCount = 0;
let findingCount = 0;
let lastCase = only ?? from;
/** Cases without a finding, by kind. */
const passed: Record<string, number> = {};
let keptMs = 0;
const isTimeOver = () => Date.now() > endTime || caseCount > mostCases;

function report(number: number, name: string, what: string, files: readonly { name: string; base64: string }[]): void {
  findingCount++;
  console.error(`\ncase ${number}, ${name}: ${what}`);
  mkdirSync(folder, { recursive: true });
  for (const file of files) {
    const path = join(folder, `${seed}-${number}-${file.name}`);
    writeFileSync(path, Buffer.from(file.base64, 'base64'));
    console.error(`  saved as ${path}`);
  }
  console.error(
    `  rerun with: npm run fuzz -- --seed ${seed} --case ${number}${values.cpu ? ' --cpu' : ''}${choice === 'all' ? '' : ` --${choice}`}`,
  );
}

/** Runs cases in a child process, starting at `first`. Resolves with the case to continue from, or undefined when done. */
function runChild(first: number): Promise<number | undefined> {
  const memory = ['--max-old-space-size=256', '--expose-gc'];
  const child: ChildProcess = fork(fileURLToPath(new URL('child.js', import.meta.url)), { execArgv: memory });
  const task: ChildTask = {
    seed,
    first,
    end: only === undefined ? Number.MAX_SAFE_INTEGER : only + 1,
    withGpu: !values.cpu && choice === 'all',
    choice,
    mostMegabytes,
  };
  let limitMs = mostGpuCaseMs;
  let current: number | undefined;
  let isOver = false;
  return new Promise((resolve) => {
    const watch = () =>
      setTimeout(() => {
        report(current ?? first, 'a case', `it took more than ${limitMs / 1000} s`, []);
        child.kill('SIGKILL');
      }, limitMs);
    let timer = watch();
    child.on('message', (word: ChildWord) => {
      clearTimeout(timer);
      timer = watch();
      if (word.kind === 'ready') {
        if (!word.hasGpu) limitMs = mostCaseMs;
        if (caseCount === 0) console.log(`fuzz: seed ${seed}, ${word.hasGpu ? 'CPU and GPU' : 'CPU alone'}`);
      }
      if (word.kind === 'case') {
        current = lastCase = word.number;
        caseCount++;
      }
      if (word.kind === 'passed') passed[word.of] = (passed[word.of] ?? 0) + 1;
      if (Date.now() > keptMs + 1000) keep();
      if (word.kind === 'finding') report(word.number, word.name, word.what, word.files);
      isOver = word.kind === 'done' || isTimeOver() || findingCount >= mostFindings;
      if (isOver && (only === undefined || word.kind === 'done')) child.kill();
    });
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      if (!isOver && code !== 0 && signal !== 'SIGKILL') {
        report(current ?? first, 'a case', `the process ended with ${signal ?? code}`, []);
      }
      resolve(isOver || only !== undefined || isTimeOver() ? undefined : lastCase + 1);
    });
    child.send(task);
  });
}

/** Writes the counts, so that they survive if the run is killed. */
function keep(): void {
  keptMs = Date.now();
  if (only !== undefined) return;
  mkdirSync(folder, { recursive: true });
  const counts = { seed, choice, from, next: lastCase + 1, passed, findings: findingCount, at: new Date(keptMs).toISOString() };
  writeFileSync(join(folder, `${seed}-${choice}-${from}.json`), `${JSON.stringify(counts, null, 2)}\n`);
}

let next: number | undefined = lastCase;
while (next !== undefined && findingCount < mostFindings) next = await runChild(next);
keep();
const kinds = Object.entries(passed).map(([kind, count]) => `${count} ${kind}`);
console.log(
  `fuzz: ${caseCount} cases of seed ${seed} (${kinds.join(', ')}), ${findingCount === 0 ? 'nothing found' : `${findingCount} findings`}`,
);
process.exit(findingCount === 0 ? 0 : 1);
