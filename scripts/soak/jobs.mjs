import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { byteLength, cli, digest, fail, root, started, stria, temporaryFolder } from './tally.mjs';

/**
 * Commands, and saves of the app, with their whole results.
 * @returns for each: its name, the name of its output, its arguments for an output, a former result to replace, how long it takes
 */
export async function prepared(folder) {
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
  const save = (kind, out, old) => ({
    name: `save ${kind}`,
    out,
    args: (path) => [saver, kind, path],
    nextStart: (path) => [saver, 'start', path],
    old,
  });
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
    job.bytes = byteLength(out);
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
