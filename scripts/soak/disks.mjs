import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, renameSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { prepared } from './jobs.mjs';
import { cli, digest, fail, repeat, say, started, stria, Tally, temporaryFolder } from './tally.mjs';

/**
 * Disks that fill up, folders that cannot be written, files that change while they are read, two writers of one name. Needs Linux;
 * without root, the full disk is a limit of the length of files alone.
 */
export async function disks({ seconds, seed, from }, { Random }) {
  const folder = temporaryFolder();
  const jobs = await prepared(folder);
  const mounts = canMount(folder);
  const tally = new Tally('disks', seed, from);
  const ways = [fileLimit, changingInput, twoWriters, readOnly(mounts), ...(mounts ? [fullDisk] : [])];
  const inputs = inputsOf(folder);
  await repeat(tally, seconds, async (number, place) => {
    const random = new Random(seed, number);
    const what = `case ${number} of seed ${seed}`;
    tally.add(...(await random.pick(ways)({ random, place, jobs, inputs, what })));
  });
  const note = mounts ? '' : ' No disk could be mounted: full disks were not tried.';
  say(`disks (seed ${seed}, up to case ${tally.next - 1}): nothing wrong under a final name, nothing left. ${tally}.${note}`);
}

/** The file becomes too long while it is written. */
async function fileLimit({ random, place, jobs, what }) {
  const job = random.pick(jobs);
  const kibibytes = random.below(Math.ceil((1.2 * job.bytes) / 1024));
  const start = (out) =>
    started('bash', ['-c', 'ulimit -f "$0"; exec "$@"', String(kibibytes), process.execPath, ...job.args(out)]);
  return failing('file limit', job, place, random.oneIn(2), start, `${what}, ${job.name}, at most ${kibibytes} KiB`);
}

/** The disk has too little room: known before, or not. */
async function fullDisk({ random, place, jobs, what }) {
  const job = random.pick(jobs);
  const kibibytes = 4 + random.below(Math.ceil((1.3 * job.bytes) / 1024));
  const disk = join(place, 'disk');
  mkdirSync(disk);
  mount(disk, `size=${kibibytes}k`);
  try {
    const start = (out) => started(process.execPath, job.args(out));
    return await failing('full disk', job, disk, false, start, `${what}, ${job.name}, ${kibibytes} KiB`);
  } finally {
    spawnSync('umount', [disk]);
  }
}

/** Root may write into every folder, unless its file system is read-only. */
const readOnly = (mounts) =>
  async function readOnlyFolder({ random, place, jobs, what }) {
    const job = random.pick(jobs);
    const disk = join(place, 'disk');
    mkdirSync(disk);
    if (mounts) mount(disk, 'size=16m');
    try {
      if (random.oneIn(2) && job.old) cpSync(job.old, join(disk, job.out), { recursive: true });
      if (mounts) spawnSync('mount', ['-o', 'remount,ro', disk]);
      else chmodSync(disk, 0o555);
      const start = (out) => started(process.execPath, job.args(out));
      const words = await failing('read-only folder', job, disk, undefined, start, `${what}, ${job.name}`);
      if (words.includes('read-only folder: succeeded')) fail(`${what}, ${job.name}: it wrote into a read-only folder`);
      return words;
    } finally {
      if (mounts) spawnSync('umount', [disk]);
      else chmodSync(disk, 0o755);
    }
  };

/**
 * A run that may fail for want of room: then it says so, the target is as before, and nothing is left.
 * @param isReplacing undefined: what is in the folder stays as it is
 */
async function failing(name, job, place, isReplacing, start, what) {
  const out = join(place, job.out);
  if (isReplacing && job.old) cpSync(job.old, out, { recursive: true });
  const before = digest(out);
  const { code, signal, errors } = await start(out).ended;
  const rest = readdirSync(place).filter((entry) => entry !== job.out);
  if (rest.length > 0) fail(`${what}: left ${rest.join(', ')}`);
  if (code === 0) {
    if (digest(out) !== job.whole) fail(`${what}: it succeeded, but the result is not whole`);
    return [`${name}: succeeded`];
  }
  if (digest(out) !== before) fail(`${what}: the target changed although it failed: ${errors}`);
  const isSaid = /disk is full|no space|size limit|files this large|free|read-only|permission denied|not allowed/.test(errors);
  if (signal || code !== 3 || !isSaid) fail(`${what}: it ended with ${signal ?? code}: ${errors}`);
  return [name, `${name}: ${job.name}`];
}

/** Files that may change while a command reads them: each with another one of the same kind. */
function inputsOf(folder) {
  const at = (name) => join(folder, name);
  stria('sample', 'potential', '--size', '96', '-o', at('b.nii'));
  stria('compress', at('b.nii'), '-o', at('b.stria'), '--device', 'cpu');
  const words = (name) => (input, out) => [cli, name, input, '-o', out, '--device', 'cpu'];
  return [
    { name: 'compress', files: [at('a.nii'), at('b.nii')], ending: 'nii', out: 'out.stria', args: words('compress') },
    { name: 'decompress', files: [at('a.stria'), at('b.stria')], ending: 'stria', out: 'out.raw', args: words('decompress') },
    { name: 'levels', files: [at('a.stria'), at('b.stria')], ending: 'stria', out: 'out.stria', args: words('levels') },
  ];
}

/** The result is that of the former file, or of the present one, or a fault. */
async function changingInput({ random, place, inputs, what }) {
  const { name, files, ending, out: outName, args } = random.pick(inputs);
  const [input, other, out] = [join(place, `in.${ending}`), join(place, `other.${ending}`), join(place, outName)];
  copyFileSync(files[0], input);
  const whole = async (path) => {
    const result = join(place, `whole-${outName}`);
    const { code } = await started(process.execPath, args(path, result)).ended;
    return code === 0 ? digest(result) : undefined;
  };
  const former = await whole(input);
  const way = random.pick(['cut', 'grown', 'rewritten', 'replaced']);
  const startMs = performance.now();
  const run = started(process.execPath, args(input, out));
  const delayMs = 60 + random.below(400);
  const length = random.below(400_000);
  const timer = setTimeout(() => {
    if (way === 'cut') truncateSync(input, length);
    if (way === 'grown') appendFileSync(input, new Uint8Array(1 + (length % 5000)));
    if (way === 'rewritten') copyFileSync(files[1], input);
    if (way !== 'replaced') return;
    copyFileSync(files[1], other);
    renameSync(other, input);
  }, delayMs);
  const { code, signal, errors } = await run.ended;
  clearTimeout(timer);
  const tookMs = performance.now() - startMs;
  const text = `${what}, ${name} of a file ${way} after ${delayMs} of ${Math.round(tookMs)} ms`;
  const rest = readdirSync(place).filter((entry) => ![`in.${ending}`, outName, `whole-${outName}`].includes(entry));
  if (rest.length > 0) fail(`${text}: left ${rest.join(', ')}`);
  if (code === 0) {
    const now = digest(out);
    if (now !== former && now !== (await whole(input))) fail(`${text}: the result is of neither file`);
    return [`changing input: whole result`];
  }
  if (signal || ![1, 3].includes(code) || errors === '') fail(`${text}: it ended with ${signal ?? code}: ${errors}`);
  if (digest(out) !== undefined) fail(`${text}: it failed, and a result is under the final name`);
  return [`changing input: refused`, ...(/changed while/.test(errors) ? ['changing input: said that it changed'] : [])];
}

/** Both write the same name at a time: one whole result is there, and each that failed said so. */
async function twoWriters({ random, place, jobs, what }) {
  const first = random.pick(jobs);
  const second = random.pick(jobs.filter(({ out }) => out === first.out));
  const out = join(place, first.out);
  const isReplacing = random.oneIn(2) && first.old !== undefined && first.old === second.old;
  if (isReplacing) cpSync(first.old, out, { recursive: true });
  const run = (job) => started(process.execPath, job.args(out)).ended;
  const one = run(first);
  await new Promise((resolve) => setTimeout(resolve, random.below(100)));
  const ends = await Promise.all([one, run(second)]);
  const text = `${what}, ${first.name} and ${second.name}`;
  const wholes = [first.whole, second.whole];
  const good = ends.filter(({ code }) => code === 0).length;
  if (good === 0) fail(`${text}: both failed: ${ends.map(({ errors }) => errors).join('; ')}`);
  for (const name of readdirSync(place)) {
    // Saving beside a file takes the next free name.
    const isName = name === first.out || / \(\d\)/.test(name);
    if (!isName) fail(`${text}: left ${name}`);
    if (!wholes.includes(digest(join(place, name)))) fail(`${text}: ${name} is not whole`);
  }
  for (const { code, signal, errors } of ends) {
    if (signal || (code !== 0 && (![1, 3].includes(code) || errors === '')))
      fail(`${text}: ended with ${signal ?? code}: ${errors}`);
  }
  return ['two writers', ...(good < 2 ? ['two writers: one was refused'] : [])];
}

function canMount(folder) {
  const disk = join(folder, 'mounted');
  mkdirSync(disk);
  const isMounted = process.getuid?.() === 0 && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk]).status === 0;
  if (isMounted) spawnSync('umount', [disk]);
  return isMounted;
}

function mount(disk, options) {
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk], { encoding: 'utf8' });
  if (status !== 0) fail(`mount: ${stderr}`);
}
