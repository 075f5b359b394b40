import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, root, say } from './tally.mjs';

/** Hours of src/renderer/playback/long-playing.test.ts: simulated time, with a sleep of the machine after each. */
export function playing({ hours, curve }) {
  const test = ['vitest', 'run', '--project', 'unit', 'src/renderer/playback/long-playing.test.ts'];
  const { status } = spawnSync('npx', test, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, STRIA_SOAK_MINUTES: String(60 * hours) },
  });
  if (status !== 0) fail('playing: the test failed');
  const { shown, heaps } = JSON.parse(readFileSync(join(root, 'out/soak/playing.json'), 'utf8'));
  const grown = (heaps.at(-1) - heaps[0]) / 2 ** 20;
  const rows = heaps.map((heapBytes, at) => ({ hour: at + 1, heapBytes }));
  if (curve)
    writeFileSync(curve, `${JSON.stringify({ what: 'playing in simulated time', framesShown: shown, rows }, null, 2)}\n`);
  say(`${hours} hours of playing in simulated time, ${shown} frames: the heap grew by ${grown.toFixed(2)} MiB`);
}
