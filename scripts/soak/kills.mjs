import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { cli, digest, fail, repeat, root, say, started, stria, Tally, temporaryFolder } from './tally.mjs';

/**
 * Ends commands, and saves of the app, by SIGKILL at any moment: under the final name is what was there before, or the whole result.
 * Half of the kills come at any time after the start, the others after the temporary file has appeared.
 */
export async function kills({ seconds, seed, from }, { Random }) {
  const folder = temporaryFolder();
  const jobs = await prepared(folder);
  const tally = new Tally('kills', seed, from);
  await repeat(tally, seconds, async (number, place) => {
    const random = new Random(seed, number);
    const job = random.pick(jobs);
    const isReplacing = random.oneIn(2) && job.old !== undefined;
    const what = `case ${number} of seed ${seed}, ${job.name}${isReplacing ? ' over a former result' : ''}`;
    const out = join(place, job.out);
    if (isReplacing) cpSync(job.old, out, { recursive: true });
    const before = digest(out);
    const isLate = random.oneIn(2);
    const delay = random.below(1001) / 1000;
    const { child, ended } = started(process.execPath, job.args(out));
    const kill = () => child.kill('SIGKILL');
    let timer;
    let watcher;
    if (isLate) {
      watcher = watch(place, () => {
        timer ??= setTimeout(kill, delay * 0.3 * job.ms);
      });
    } else timer = setTimeout(kill, (0.2 + 0.7 * delay) * job.ms);
    const { signal, code, errors } = await ended;
    clearTimeout(timer);
    watcher?.close();

    const now = digest(out);
    const isOld = now === before;
    const isWhole = now === job.whole;
    if (signal === null && (code !== 0 || !isWhole)) fail(`${what}: it ended by itself (${code}) without its result: ${errors}`);
    const rest = readdirSync(place).filter((name) => name !== job.out);
    // A folder has no rename that replaces another: between two renames the former one is set aside.
    const isAside = now === undefined && rest.some((name) => name.endsWith('.replaced') && digest(join(place, name)) === before);
    if (!isOld && !isWhole && !isAside) fail(`${what}: part of a result is under its final name`);
    if (rest.some((name) => !/\.(partial|partial-folder|part|replaced)$/.test(name))) fail(`${what}: left ${rest.join(', ')}`);
    if (signal === 'SIGKILL') tally.add('killed', `killed: ${job.name}`);
    else tally.add('ended by themselves');
    if (isAside) tally.add('former folder set aside');
    if (rest.length === 0) return;
    tally.add('temporary left');
    // The next run of a command names what a killed one has left. To try each would double the time.
    if (job.isCommand && random.oneIn(4)) {
      const { stderr } = spawnSync(
        process.execPath,
        job.args(out).filter((word) => word !== '--quiet'),
        { encoding: 'utf8' },
      );
      for (const name of rest) if (!stderr.includes(name)) fail(`${what}: the next run does not name ${name}: ${stderr}`);
      tally.add('temporary named by the next run');
    }
  });
  say(`kills (seed ${seed}, up to case ${tally.next - 1}): no part of a result under a final name. ${tally}`);
}

/** The commands and saves, with their whole results. */
async function prepared(folder) {
  const at = (name) => join(folder, name);
  stria('sample', 'phantom', '--size', '96', '-o', at('a.nii'));
  stria('sample', 'phantom', '--size', '40', '-o', at('small.nii'));
  stria('compress', at('a.nii'), '-o', at('a.stria'), '--device', 'cpu');
  stria('compress', at('small.nii'), '-o', at('small.stria'), '--device', 'cpu');
  stria('decompress', at('small.stria'), '-o', at('small.ome.zarr'), '--device', 'cpu');
  for (const part of [1, 2])
    stria('compress', at('a.nii'), '--part', `${part}/2`, '-o', at(`part${part}.stria`), '--device', 'cpu');
  const rows = Array.from({ length: 20_000 }, (_, i) => `${(i * 37) % 64},${(i * 101) % 64},${(i * 7) % 64},1`);
  writeFileSync(at('p.csv'), ['x,y,z,mass', ...rows].join('\n'));
  const saver = await bundledSaver(folder);
  const byCpu = ['--device', 'cpu', '--quiet'];
  const command = (name, out, args, old = cli) => ({
    name,
    out,
    isCommand: true,
    args: (path) => [cli, ...args(path), ...byCpu],
    old,
  });
  const save = (kind, out, old) => ({ name: `save ${kind}`, out, args: (path) => [saver, kind, path], old });
  const jobs = [
    command('compress', 'out.stria', (out) => ['compress', at('a.nii'), '-o', out]),
    command('compress --part', 'out.stria', (out) => ['compress', at('a.nii'), '--part', '2/3', '-o', out]),
    command('compress --levels', 'out.stria', (out) => ['compress', at('a.nii'), '--levels', '-o', out]),
    command('decompress', 'out.nii', (out) => ['decompress', at('a.stria'), '-o', out]),
    command(
      'decompress to OME-Zarr',
      'out.ome.zarr',
      (out) => ['decompress', at('a.stria'), '-o', out, '-f'],
      at('small.ome.zarr'),
    ),
    { ...command('merge', 'out.stria', () => []), args: (out) => mergeArgs(at, out) },
    command('levels', 'out.stria', (out) => ['levels', at('a.stria'), '-o', out]),
    command(
      'levels in place',
      'out.stria',
      (out) => ['levels', ...(existsSync(out) ? [out] : [at('a.stria'), '-o', out])],
      at('a.stria'),
    ),
    command('deposit', 'out.stria', (out) => ['deposit', at('p.csv'), '--size', '64', '--box', '0,0,0,64,64,64', '-o', out]),
    save('file', 'saved.stria', cli),
    save('beside', 'saved.stria'),
    save('folder', 'pictures'),
  ];
  for (const job of jobs) {
    const place = temporaryFolder();
    const out = join(place, job.out);
    const startMs = performance.now();
    const { code, errors } = await started(process.execPath, job.args(out)).ended;
    job.ms = performance.now() - startMs;
    if (code !== 0) fail(`${job.name} ended with ${code}: ${errors}`);
    job.whole = digest(out);
  }
  return jobs;
}

function mergeArgs(at, out) {
  return [cli, 'merge', at('part1.stria'), at('part2.stria'), '-o', out, '--quiet'];
}

/** The app's own code that saves files and folders, as a program. */
async function bundledSaver(folder) {
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    build: {
      ssr: join(root, 'scripts', 'soak', 'saver.ts'),
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'saver.mjs' } },
    },
    ssr: { noExternal: true },
  });
  return join(folder, 'saver.mjs');
}
