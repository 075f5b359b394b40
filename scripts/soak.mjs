// `npm run soak -- [PART...]`: what only many runs or many hours show. Prints one line for each promise, and fails on the first that is
// broken. Counts are kept in out/soak, and a run goes on where the last one of its seed ended.
//   kills    SIGKILLs of commands and saves at any moment
//   disks    disks that fill up, read-only folders, files that change while they are read, two writers of one name
//   playing  hours of playing, in simulated time
//   devices  losses of the GPU device while the engine compresses, restores and verifies, in Node on a software GPU
//   losses   losses of the GPU device in the app, in a browser
//   files    files opened and closed in the app, in a browser
// Without a part: kills, disks and playing, which need no browser.
//   --seconds N   for each part (60)
//   --seed S      (1) The same seed gives the same cases; when a process is killed depends on the machine's speed
//   --from C      the first case
//   --hours H     of playing (8)
//   --count N     of devices, losses and files (200)
//   --curve FILE  of playing and files: writes the memory over time, as JSON
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cli, fail, load } from './soak/tally.mjs';

const number = (fallback) => ({ type: 'string', ...(fallback !== undefined && { default: String(fallback) }) });
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: number(60),
    seed: number(1),
    from: number(),
    hours: number(8),
    count: number(200),
    curve: { type: 'string' },
  },
});
const { curve, ...texts } = values;
const options = { curve, ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)])) };
for (const [name, value] of Object.entries(options)) {
  if (name !== 'curve' && !(Number.isFinite(value) && value >= 0)) fail(`--${name} takes a number`);
}
const parts = {
  kills: async () => (await import('./soak/kills.mjs')).kills(options, await load('src/fuzz/random.ts')),
  disks: async () => (await import('./soak/disks.mjs')).disks(options, await load('src/fuzz/random.ts')),
  playing: async () => (await import('./soak/playing.mjs')).playing(options),
  devices: async () => (await import('./soak/devices.mjs')).devices(options),
  losses: async () => (await import('./soak/browser.mjs')).inBrowser('losses', options),
  files: async () => (await import('./soak/browser.mjs')).inBrowser('files', options),
};
const chosen = positionals.length > 0 ? positionals : ['kills', 'disks', 'playing'];
for (const part of chosen) if (!(part in parts)) fail(`there is no part ${part}; there are ${Object.keys(parts).join(', ')}`);
if (!existsSync(cli)) fail('There is no build yet: run `npm run build` first');
for (const part of chosen) await parts[part]();
// Vite keeps the process alive.
process.exit(0);
