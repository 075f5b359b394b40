import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, root, say } from './tally.mjs';

/** Runs a test of e2e/soak.spec.ts at length, and adds up what all runs so far have recorded. @param part losses or files */
export function inBrowser(part, { seconds, count, from, curve }) {
  const folder = join(root, 'out', 'soak');
  mkdirSync(folder, { recursive: true });
  const rowsOf = () =>
    readdirSync(folder)
      .filter((name) => new RegExp(`^${part}-\\d+\\.json$`).test(name))
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  if (from === 0) for (const name of readdirSync(folder)) if (name.startsWith(`${part}-`)) rmSync(join(folder, name));
  const test = ['playwright', 'test', '--project=web', 'e2e/soak.spec.ts', '-g', `^.*${part}:`, '--reporter=line'];
  const { status } = spawnSync(process.execPath, ['scripts/with-display.mjs', 'npx', ...test], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, STRIA_SOAK_COUNT: String(count), STRIA_SOAK_SECONDS: String(seconds) },
  });
  const runs = rowsOf();
  const rows = runs.flat();
  const kinds = [...new Set(rows.map(({ name }) => name))].map(
    (name) => `${rows.filter((row) => row.name === name).length} ${name}`,
  );
  const megabytes = runs.map((run) => {
    const [first, last] = [run[2] ?? run[0], run.at(-1)];
    return `${((last.heapBytes - first.heapBytes) / 2 ** 20).toFixed(2)} MiB of heap, ${last.gpuBytes - first.gpuBytes} bytes on the GPU`;
  });
  // One row a line.
  const lines = runs.map((run) => `[\n${run.map((row) => JSON.stringify(row)).join(',\n')}\n]`);
  if (curve) writeFileSync(curve, `{"what":"${part}","runs":[${lines.join(',\n')}]}\n`);
  say(
    `${rows.length} ${part} so far, in ${runs.length} runs (${kinds.join(', ')}). From the third to the last: ${megabytes.join('; ')}.`,
  );
  if (status !== 0) fail(`${part}: a run failed`);
}
