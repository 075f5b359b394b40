// `stria merge --by sum` of sparse volumes beside `cp` of the same bytes, as JSON: docs/SCALE.md, 'Merging what overlaps'.
//
//   npm run build && node bench/merge.mjs > result.json
//
// Eight volumes of 512³ u16, of which each fills another eighth with noise, as the ranks of a simulation do. Wall time and processor time of
// the whole command, of `cp` of its output, and of compressing the same voxels on one thread, in turns, with all files in the cache; the least
// counts.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

const edge = 512;
const ranks = 8;
const rounds = 5;

function writeRank(path, rank) {
  const file = openSync(path, 'wx');
  ftruncateSync(file, 2 * edge ** 3);
  const plane = new Uint16Array(edge * edge);
  let state = rank + 1;
  for (let z = (rank * edge) / ranks; z < ((rank + 1) * edge) / ranks; z++) {
    for (let at = 0; at < plane.length; at++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      plane[at] = 1 + (state >>> 20);
    }
    writeSync(file, plane, 0, plane.byteLength, z * plane.byteLength);
  }
  closeSync(file);
}

const usageOfChildren = () => {
  // Of children that have ended: process.resourceUsage() counts none.
  const words = execFileSync('bash', ['-c', 'cat /proc/$PPID/stat'], { encoding: 'utf8' }).split(') ')[1].split(' ');
  return (Number(words[13]) + Number(words[14])) / 100;
};

/** Seconds by the clock, and of processor time, of a command. */
function timed(program, args) {
  const before = usageOfChildren();
  const start = performance.now();
  const { status, stderr } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  const wall = (performance.now() - start) / 1000;
  if (status !== 0) throw new Error(stderr);
  return { wall, processor: usageOfChildren() - before };
}

const cli = (...words) => ['out/main/cli.js', ...words, '--device', 'cpu'];
const folder = mkdtempSync(join(tmpdir(), 'stria-merge-'));
try {
  const parts = [];
  const layout = ['--dims', `${edge},${edge},${edge}`, '--type', 'u16'];
  for (let rank = 0; rank < ranks; rank++) {
    const raw = join(folder, 'rank.raw');
    writeRank(raw, rank);
    parts.push(join(folder, `rank-${rank}.stria`));
    execFileSync(process.execPath, cli('compress', raw, ...layout, '--quiet', '-o', parts[rank]));
    rmSync(raw);
  }
  const [output, copy, whole, again] = ['total.stria', 'copy.stria', 'whole.raw', 'again.stria'].map((name) =>
    join(folder, name),
  );
  const merge = cli('merge', ...parts, '--by', 'sum', '--json', '-o', output);
  const { copiedCount, combinedCount } = JSON.parse(execFileSync(process.execPath, merge, { encoding: 'utf8' }));
  execFileSync(process.execPath, cli('decompress', output, '--quiet', '-o', whole));
  const compress = cli('compress', whole, ...layout, '--quiet', '--threads', '1', '-o', again);
  const commands = {
    merge: () => timed(process.execPath, merge),
    copy: () => timed('cp', [output, copy]),
    compress: () => timed(process.execPath, compress),
    start: () => timed(process.execPath, ['out/main/cli.js', '--version']),
  };
  const least = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, command] of Object.entries(commands)) {
      if (name !== 'copy') rmSync(copy, { force: true });
      const { wall, processor } = command();
      least[name] ??= { wall, processor };
      least[name] = { wall: Math.min(least[name].wall, wall), processor: Math.min(least[name].processor, processor) };
    }
  }
  const rounded = Object.fromEntries(
    Object.entries(least).map(([name, { wall, processor }]) => [
      name,
      { wallSeconds: Number(wall.toFixed(3)), processorSeconds: Number(processor.toFixed(2)) },
    ]),
  );
  const result = {
    title: 'merge --by sum of sparse volumes, beside cp of the same bytes',
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length}-core cloud machine`,
    cpu: cpus()[0].model.trim(),
    node: process.versions.node,
    method: `${ranks} volumes of ${edge}³ u16, each fills another ${ranks}th with noise; the least of ${rounds} rounds taken in turns`,
    bytesIn: parts.reduce((sum, path) => sum + statSync(path).size, 0),
    bytesOut: statSync(output).size,
    copiedCount,
    combinedCount,
    ...rounded,
  };
  console.log(JSON.stringify(result, undefined, 1));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
