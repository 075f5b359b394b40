// `npm run soak`: what only many runs or many hours show, in minutes. Prints one line for each promise, and fails on the first that is broken.
//   --seconds N  for the kills (60)
//   --seed S     of the kills (1); the same seed gives the same commands and delays, relative to the machine's speed
//   --from C     the first case, to go on where a run ended (0)
//   --hours H    of simulated playing (8)
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';

const number = (fallback) => ({ type: 'string', default: String(fallback) });
const { values } = parseArgs({ options: { seconds: number(60), seed: number(1), from: number(0), hours: number(8) } });
const { seconds, seed, from, hours } = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, Number(text)]));
if (![seconds, seed, from, hours].every((value) => Number.isFinite(value) && value >= 0))
  fail('--seconds, --seed, --from and --hours take numbers');
const root = fileURLToPath(new URL('..', import.meta.url));
const cli = join(root, 'out', 'main', 'cli.js');
if (!existsSync(cli)) fail('There is no build yet: run `npm run build` first');

const folder = mkdtempSync(join(tmpdir(), 'stria-soak-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
await killed(await load('src/fuzz/random.ts'));
await played(await load('src/renderer/playback/player.ts'));

/** Ends `compress`, `decompress` and `merge` by SIGKILL at any moment: under the final name is what was there before, or the whole result. */
async function killed({ Random }) {
  const at = (name) => join(folder, name);
  stria('sample', 'phantom', '--size', '128', '-o', at('a.nii'));
  stria('compress', at('a.nii'), '-o', at('a.stria'), '--device', 'cpu');
  for (const part of [1, 2])
    stria('compress', at('a.nii'), '--part', `${part}/2`, '-o', at(`part${part}.stria`), '--device', 'cpu');
  const commands = [
    { name: 'compress', args: (out) => ['compress', at('a.nii'), '-o', out, '--device', 'cpu'], ending: 'stria' },
    { name: 'decompress', args: (out) => ['decompress', at('a.stria'), '-o', out, '--device', 'cpu'], ending: 'nii' },
    { name: 'merge', args: (out) => ['merge', at('part1.stria'), at('part2.stria'), '-o', out], ending: 'stria' },
  ];
  for (const command of commands) {
    const out = at(`whole-${command.name}.${command.ending}`);
    const startMs = performance.now();
    stria(...command.args(out));
    command.ms = performance.now() - startMs;
    command.whole = readFileSync(out);
  }

  const endMs = performance.now() + 1000 * seconds;
  const counts = { killed: 0, finished: 0, kept: 0, left: 0 };
  let at0 = from;
  for (; performance.now() < endMs; at0++) {
    const random = new Random(seed, at0);
    const command = random.pick(commands);
    const isReplacing = random.oneIn(2);
    const place = at(`case-${at0}`);
    mkdirSync(place);
    const out = join(place, `out.${command.ending}`);
    if (isReplacing) copyFileSync(cli, out);
    const child = spawn(process.execPath, [cli, ...command.args(out), '--quiet'], { stdio: 'ignore' });
    // In the first part of the time Node starts.
    const timer = setTimeout(() => child.kill('SIGKILL'), (0.4 + random.below(701) / 1000) * command.ms);
    const signal = await new Promise((resolve) => child.on('close', (_code, ended) => resolve(ended)));
    clearTimeout(timer);
    counts[signal === 'SIGKILL' ? 'killed' : 'finished']++;

    const bytes = existsSync(out) ? readFileSync(out) : undefined;
    const isOld = isReplacing ? bytes?.equals(readFileSync(cli)) : bytes === undefined;
    const isWhole = bytes?.equals(command.whole);
    const what = `case ${at0} of seed ${seed}, ${command.name}${isReplacing ? ' over a file' : ''}`;
    if (!isOld && !isWhole) fail(`${what}: ${bytes?.length} bytes under the final name, ${command.whole.length} would be whole`);
    if (signal === null && !isWhole) fail(`${what}: it ended by itself, without its result`);
    if (isOld) counts.kept++;
    const rest = readdirSync(place).filter((name) => join(place, name) !== out);
    if (rest.some((name) => !name.endsWith('.partial'))) fail(`${what}: left ${rest.join(', ')}`);
    // The next run names what a killed one has left, and removes it if the person says so.
    if (rest.length > 0) {
      counts.left++;
      const { stderr } = spawnSync(process.execPath, [cli, ...command.args(out)], { encoding: 'utf8' });
      for (const name of rest) if (!stderr.includes(name)) fail(`${what}: the next run does not name ${name}: ${stderr}`);
    }
    rmSync(place, { recursive: true });
  }
  const { killed, finished, kept, left } = counts;
  say(
    `${killed} SIGKILLs and ${finished} whole runs of compress, decompress and merge (seed ${seed}, cases ${from} to ${at0 - 1}): ` +
      `no part of a file under its final name. The target was as before in ${kept}; a temporary file stayed in ${left}, and the next run named each.`,
  );
}

/** Hours of playing in simulated time: the player's memory stays flat. */
async function played({ Player }) {
  if (!global.gc) return say('Playing was not simulated: run by `npm run soak`, which gives Node --expose-gc.');
  let now = 0;
  let tick;
  let shown = 0;
  const player = new Player({
    frameCount: 500,
    index: 0,
    settings: { rate: 60, pace: 'hold', atEnd: 'bounce' },
    loop: {
      now: () => now,
      request: (callback) => {
        tick = callback;
        return 1;
      },
      cancel: () => {
        tick = undefined;
      },
    },
    target: {
      showFrame: async () => {
        shown++;
        return { presentedAt: now, decodeMs: 0.5 };
      },
    },
    onFault: (error) => fail(`playing: ${error}`),
  });
  player.play();
  const heaps = [];
  for (let hour = 0; hour < hours; hour++) {
    for (let frame = 0; frame < 60 * 3600; frame++) {
      now += 1000 / 60;
      tick?.(now);
      await undefined;
      // Timers and finished frames.
      if (frame % 500 === 0) await setImmediate();
    }
    global.gc();
    heaps.push(process.memoryUsage().heapUsed);
  }
  player.dispose();
  const grown = (heaps.at(-1) - heaps[0]) / 2 ** 20;
  if (shown < hours * 3600 * 59) fail(`playing: ${shown} frames in ${hours} hours at 60 a second`);
  if (grown > 2) fail(`playing: memory grew by ${grown.toFixed(1)} MiB`);
  say(
    `${hours} hours of playing in simulated time: ${shown} frames, memory changed by ${grown.toFixed(2)} MiB from the first hour to the last.`,
  );
}

function stria(...args) {
  const { status, stderr } = spawnSync(process.execPath, [cli, ...args, '--quiet'], { encoding: 'utf8' });
  if (status !== 0) fail(`stria ${args.join(' ')} ended with ${status}: ${stderr}`);
}

/** A module of the sources, which imports only what needs no bundler. */
async function load(path) {
  return (await runnerImport(join(root, path), { configFile: false, logLevel: 'error' })).module;
}

function say(text) {
  console.log(`soak: ${text}`);
}

function fail(text) {
  console.error(`soak: ${text}`);
  process.exit(1);
}
